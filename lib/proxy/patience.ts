import type { Clock } from "../base/time/clock.js";
import type { Ms } from "../base/units.js";

/** Waits for the next sign of life. One timer, however many signs there are. */
export interface Patience {
  /** From now on silence of `ms` is too long; replaces what was waited for. */
  wait(ms: Ms, late: () => void): void;
  /** A sign of life. */
  touch(): void;
  /** Nothing is waited for. */
  stop(): void;
  /** Nothing is waited for any longer, for any caller. */
  end(): void;
}

export function createPatience(clock: Clock): Patience {
  let last: Ms = 0;
  let disarm: () => void = () => undefined;
  let over = false;
  const arm = (rest: Ms, ms: Ms, late: () => void) => {
    disarm = clock.after(rest, () => {
      const left = last + ms - clock.mono();
      if (left < 1) late();
      else arm(left, ms, late);
    });
  };
  return {
    wait: (ms, late) => {
      disarm();
      if (over) return;
      last = clock.mono();
      arm(ms, ms, late);
    },
    touch: () => {
      last = clock.mono();
    },
    stop: () => disarm(),
    end: () => {
      over = true;
      disarm();
    },
  };
}
