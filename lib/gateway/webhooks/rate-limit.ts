import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";

const WINDOW_MS: Ms = 60_000;

/** Counts requests of routes within the last minute. @returns undefined: there is room and it is counted; else seconds to wait */
export function createRate(clock: Pick<Clock, "mono">): (route: string, limit: number) => number | undefined {
  const seen = new Map<string, number[]>();
  return (route, limit) => {
    const now = clock.mono();
    const recent = (seen.get(route) ?? []).filter((at) => now - at < WINDOW_MS);
    seen.set(route, recent);
    if (recent.length < limit) {
      recent.push(now);
      return undefined;
    }
    return Math.max(1, Math.ceil(((recent[0] ?? now) + WINDOW_MS - now) / 1000));
  };
}
