import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";

/** Extensions part, 2.6. */
const FIRST_WAIT_MS: Ms = 1_000;
const LONGEST_WAIT_MS: Ms = 60_000;

/** Makes an attempt after a wait that doubles each time. One attempt waits at most. */
export interface Retry {
  schedule(): void;
  cancel(): void;
  /** It worked: the next wait is the shortest again. */
  reset(): void;
}

/** No attempt is scheduled yet. */
export function createRetry(clock: Pick<Clock, "after">, attempt: () => void): Retry {
  let wait = FIRST_WAIT_MS;
  let cancel = (): void => undefined;
  return {
    schedule: () => {
      cancel();
      cancel = clock.after(wait, attempt);
      wait = Math.min(wait * 2, LONGEST_WAIT_MS);
    },
    cancel: () => cancel(),
    reset: () => {
      wait = FIRST_WAIT_MS;
    },
  };
}
