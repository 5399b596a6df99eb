import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";

/** Background work of an owner that stays. */
export interface Upkeep {
  start(): void;
  /** Ends the waiting, and waits for work in progress. */
  stop(): Promise<void>;
}

export interface RepeatedWork {
  readonly clock: Clock;
  /** From the start of the owner to the first time. Default: at once. */
  readonly firstMs?: Ms;
  readonly everyMs: Ms;
  /** Undefined: there is nothing to do, and nothing is loaded for it. The signal aborts when the owner stops. */
  readonly work: (signal: AbortSignal) => Promise<void> | undefined;
  /** Not called for what the stop has interrupted. */
  readonly failed: (error: unknown) => void;
}

/** Work that is done after the start and then regularly. A failure does not end the repetition. */
export function createRepeatedWork({ clock, firstMs = 0, everyMs, work, failed }: RepeatedWork): Upkeep {
  const stopping = new AbortController();
  let cancel: () => void = () => undefined;
  let running: Promise<void> = Promise.resolve();
  const look = () => {
    running = (work(stopping.signal) ?? Promise.resolve()).catch((error: unknown) => {
      if (!stopping.signal.aborted) failed(error);
    });
    cancel = clock.after(everyMs, look);
  };
  return {
    start: () => {
      cancel = clock.after(firstMs, look);
    },
    stop: async () => {
      cancel();
      stopping.abort();
      await running;
    },
  };
}
