import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";

/** Looks after the receiving side of an adapter that polls (gateway part, 3.11). */
export interface Watchdog {
  /** The adapter is connected; a poll of it takes at most this time. The first has twice the time. */
  start(pollTimeoutMs: Ms): void;
  polled(): void;
  stop(): void;
}

/** A poll that is late by this has not finished. */
const GRACE_MS: Ms = 15_000;
const MISSES = 3;

/** @param dead called once, when no poll has finished in time three times in a row */
export function createWatchdog(clock: Clock, dead: () => void): Watchdog {
  let limit: Ms | undefined;
  let misses = 0;
  let cancel: () => void = () => undefined;
  const arm = (ms: Ms) => {
    cancel();
    cancel = clock.after(ms, () => {
      misses += 1;
      if (misses < MISSES) arm(limit ?? ms);
      else dead();
    });
  };
  return {
    start: (pollTimeoutMs) => {
      limit = pollTimeoutMs + GRACE_MS;
      misses = 0;
      arm(2 * limit);
    },
    polled: () => {
      misses = 0;
      if (limit !== undefined) arm(limit);
    },
    stop: () => {
      limit = undefined;
      cancel();
    },
  };
}
