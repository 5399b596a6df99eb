import type { Ms } from "../units.js";
import type { Clock } from "./clock.js";

/** A wait is counted in so many parts. */
const PARTS = 30;

/**
 * Run `fn` once, when `ms` have been waited. Time in which the machine let this process stand still (it was suspended, or had no
 * processor) counts as one part of the wait at most: a sender could not be heard in that time. What has come by the end is
 * looked at before `fn` runs.
 *
 * @returns what cancels it; harmless when it has run
 */
export function afterWaiting(clock: Pick<Clock, "after">, ms: Ms, fn: () => void): () => void {
  let left = PARTS;
  let cancel = (): void => undefined;
  const next = (): void => {
    left -= 1;
    cancel = left < 0 ? clock.after(0, fn) : clock.after(ms / PARTS, next);
  };
  next();
  return () => cancel();
}
