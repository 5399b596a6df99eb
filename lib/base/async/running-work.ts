/** Work that runs in the background, for anyone who has to wait at the end until none of it runs. */
export interface RunningWork {
  /** Keep this work until it settles. Its failure stays with the caller. @returns the same work */
  add<T>(work: Promise<T>): Promise<T>;
  /** Resolves when none of it runs any more, failed or not. Never rejects. */
  settled(): Promise<void>;
}

/** Nothing runs yet. */
export function createRunningWork(): RunningWork {
  const running = new Set<Promise<unknown>>();
  return {
    add: (work) => {
      const done = () => {
        running.delete(work);
      };
      running.add(work);
      work.then(done, done);
      return work;
    },
    settled: async () => {
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}
