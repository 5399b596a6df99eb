import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";

const FAILURES = 3;
const OPEN_MS: Ms = 30_000;

/** Lets calls of a server that does not work fail at once (extensions part, 2.4). Only transport errors and timeouts count. */
export interface Breaker {
  /** Milliseconds until a call is tried again; undefined: it may go. One call at a time is let through after a pause. */
  blocked(): Ms | undefined;
  failed(): void;
  worked(): void;
}

/** No call has failed yet. */
export function createBreaker(clock: Pick<Clock, "mono">): Breaker {
  let failures = 0;
  let until = 0;
  return {
    blocked: () => {
      if (failures < FAILURES) return undefined;
      const left = until - clock.mono();
      if (left > 0) return left;
      until = clock.mono() + OPEN_MS; // this one is the probe; the others wait for its outcome
      return undefined;
    },
    failed: () => {
      failures += 1;
      if (failures >= FAILURES) until = clock.mono() + OPEN_MS;
    },
    worked: () => {
      failures = 0;
    },
  };
}
