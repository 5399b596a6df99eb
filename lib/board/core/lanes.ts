/** One foreign transition of a task at a time: two of them must not stop one worker together. */
export interface TaskLanes {
  /** Run `work` after everything that was given for `key` before. */
  take<T>(key: string, work: () => Promise<T>): Promise<T>;
  /** Something is under way for `key`. */
  busy(key: string): boolean;
}

export function createLanes(): TaskLanes {
  const tails = new Map<string, Promise<unknown>>();
  return {
    busy: (key) => tails.has(key),
    take: (key, work) => {
      const mine = (tails.get(key) ?? Promise.resolve()).then(work);
      // The caller of `take` gets the failure; the next piece must run anyway.
      const tail = mine
        .catch(() => undefined)
        .finally(() => {
          if (tails.get(key) === tail) tails.delete(key);
        });
      tails.set(key, tail);
      return mine;
    },
  };
}
