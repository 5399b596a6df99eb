/** Wakes one listener. Rings while it is busy are kept as one. */
export interface Wakeup {
  notify(): void;
  /** Resolves at the next ring, or at once after one that was not waited for. Rejects with the signal's reason when it aborts. */
  wait(signal: AbortSignal): Promise<void>;
}

export function createWakeup(): Wakeup {
  let rang = false;
  let wake: (() => void) | undefined;
  return {
    notify: () => {
      rang = true;
      wake?.();
    },
    wait: (signal) =>
      new Promise((resolve, reject) => {
        const done = () => {
          signal.removeEventListener("abort", stop);
          wake = undefined;
          rang = false;
          resolve();
        };
        const stop = () => {
          wake = undefined;
          reject(signal.reason);
        };
        if (signal.aborted) return reject(signal.reason);
        if (rang) return done();
        signal.addEventListener("abort", stop, { once: true });
        wake = done;
      }),
  };
}
