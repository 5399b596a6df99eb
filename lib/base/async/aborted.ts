import { setMaxListeners } from "node:events";

/**
 * Let any number of pieces of work wait for these signals at once, each for as long as it runs. From eleven listeners on, the runtime would
 * print a warning of a leak.
 */
export function allowManyListeners(...signals: readonly (AbortSignal | undefined)[]): void {
  for (const signal of signals) if (signal !== undefined) setMaxListeners(0, signal);
}

/** Resolves when the signal aborts, at once when it has. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** Wait for shared work as long as this caller wants to; the work itself continues. @throws the signal's reason */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
    const done = () => signal.removeEventListener("abort", stop);
    work.then(
      (value) => {
        done();
        resolve(value);
      },
      (error: unknown) => {
        done();
        reject(error);
      },
    );
  });
}
