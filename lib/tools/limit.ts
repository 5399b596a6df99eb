import type { Clock } from "../base/clock.js";
import type { Ms } from "../base/units.js";

/** The time that a call may take. It does not run while a person is asked. */
export interface Limit {
  /** Time stands still until the returned function is called. */
  hold(): () => void;
  stop(): void;
}

/** @param ms 0: there is no limit */
export function createLimit(clock: Clock, ms: Ms, over: () => void): Limit {
  let left = ms;
  let since = 0;
  let holds = 0;
  let cancel: () => void = () => undefined;
  let stopped = ms <= 0;
  const run = () => {
    since = clock.mono();
    cancel = clock.after(left, over);
  };
  if (!stopped) run();
  return {
    hold: () => {
      if (stopped) return () => undefined;
      if (holds === 0) {
        cancel();
        left = Math.max(0, left - (clock.mono() - since));
      }
      holds += 1;
      let released = false;
      return () => {
        if (released) return;
        released = true;
        holds -= 1;
        if (holds === 0 && !stopped) run();
      };
    },
    stop: () => {
      stopped = true;
      cancel();
    },
  };
}
