import type { Clock } from "../../base/time/clock.js";
import { type Ms, toUnix, type UnixSeconds } from "../../base/units.js";

/** Smaller differences between the two clocks are corrections of the wall clock, not jumps. */
const JUMP: Ms = 5_000;

/** Wall time for stamps that were taken earlier: a wall clock that is set, or a machine that slept, ages nothing. */
export interface SteadyTime {
  /** Now, as it would be had the wall clock gone on evenly since `stamp`. Exact for jumps that this process saw. */
  since(stamp: UnixSeconds): UnixSeconds;
}

interface Jump {
  /** Wall time at which it would have been noticed. Stamps up to here were taken before a jump forward. */
  readonly at: UnixSeconds;
  readonly by: UnixSeconds;
}

export function createSteadyTime(clock: Clock): SteadyTime {
  const jumps: Jump[] = [];
  let difference = clock.now() - clock.mono();
  const look = () => {
    const by = clock.now() - clock.mono() - difference;
    if (Math.abs(by) < JUMP) return;
    jumps.push({ at: toUnix(clock.now() - by), by: Math.round(by / 1000) });
    difference += by;
  };
  return {
    since: (stamp) => {
      look();
      const now = toUnix(clock.now());
      return jumps.reduce((at, jump) => at - (wasBefore(stamp, jump, now) ? jump.by : 0), now);
    },
  };
}

/** A stamp between the two readings of a clock that was set back may be from either side; the younger reading does not end a live worker. */
function wasBefore(stamp: UnixSeconds, jump: Jump, now: UnixSeconds): boolean {
  return jump.by > 0 ? stamp <= jump.at : stamp > now;
}
