import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";

/** The time that a call may take. It does not run while a person is asked. */
export interface CallLimit {
  /** Time stands still until the returned function is called. */
  hold(): () => void;
  /** Milliseconds that it has stood still. */
  held(): Ms;
  stop(): void;
}

/** @param ms 0: without a limit */
export function createLimit(clock: Clock, ms: Ms, over: () => void): CallLimit {
  let left = ms;
  let since = 0;
  let holds = 0;
  let heldMs = 0;
  let heldSince = 0;
  let cancel: () => void = () => undefined;
  let stopped = ms <= 0;
  const run = () => {
    since = clock.mono();
    cancel = clock.after(left, over);
  };
  if (!stopped) run();
  return {
    hold: () => {
      if (holds === 0) {
        heldSince = clock.mono();
        cancel();
        left = Math.max(0, left - (heldSince - since));
      }
      holds += 1;
      let released = false;
      return () => {
        if (released) return;
        released = true;
        holds -= 1;
        if (holds > 0) return;
        heldMs += clock.mono() - heldSince;
        if (!stopped) run();
      };
    },
    held: () => heldMs + (holds > 0 ? clock.mono() - heldSince : 0),
    stop: () => {
      stopped = true;
      cancel();
    },
  };
}
