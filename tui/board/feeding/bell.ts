/** Something that is waited for, rung by another part. */
export interface Bell {
  ring(): void;
  heard(signal: AbortSignal): Promise<void>;
}

/** A bell without a waiter. */
export function createBell(): Bell {
  let wake: (() => void)[] = [];
  return {
    ring: () => {
      const woken = wake;
      wake = [];
      for (const one of woken) one();
    },
    heard: (signal) =>
      new Promise<void>((resolve) => {
        wake.push(resolve);
        signal.addEventListener("abort", () => resolve(), { once: true });
      }),
  };
}
