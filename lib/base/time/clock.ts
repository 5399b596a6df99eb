import type { EpochMs, Ms } from "../units.js";

/** Time. Wall time may jump either way; `mono` never runs backwards. Nothing else in the product reads a clock or sets a timer. */
export interface Clock {
  now(): EpochMs;
  mono(): Ms;
  /** Resolves after `ms`; rejects with the signal's reason when it aborts first. */
  sleep(ms: Ms, signal?: AbortSignal): Promise<void>;
  /** Run `fn` once after `ms`. The returned function cancels; harmless when it has run. */
  after(ms: Ms, fn: () => void): () => void;
}

const start = process.hrtime.bigint();

export const systemClock: Clock = {
  now: () => Date.now(),
  mono: () => Number(process.hrtime.bigint() - start) / 1e6,
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const onAbort = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener("abort", onAbort);
        resolve();
      }, ms);
      signal?.addEventListener("abort", onAbort, { once: true });
    }),
  after: (ms, fn) => {
    if (ms <= 0) {
      const next = setImmediate(fn); // a timer of 0 ms takes one: what is meant at once waits for what is there already, for nothing else
      return () => clearImmediate(next);
    }
    const timer = setTimeout(fn, ms);
    return () => clearTimeout(timer);
  },
};
