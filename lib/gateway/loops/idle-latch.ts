/** Waits until a service has nothing underway. */
export interface IdleLatch {
  /** A caller waits: what may be left out is left out. */
  readonly wanted: boolean;
  /** Resolves at the next `reached`. */
  wait(): Promise<void>;
  reached(): void;
}

export function createIdleLatch(): IdleLatch {
  const waiting: (() => void)[] = [];
  let wanted = false;
  return {
    get wanted() {
      return wanted;
    },
    wait: () => {
      wanted = true;
      return new Promise((resolve) => {
        waiting.push(resolve);
      });
    },
    reached: () => {
      for (const resolve of waiting.splice(0)) resolve();
    },
  };
}
