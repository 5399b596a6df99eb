import type { Ms } from "../units.js";
import type { Clock } from "./clock.js";

/** Wait for `work`, but not longer than `ms`; the work itself goes on. True when it was done. Rejects when it does in time. */
export async function settlesWithin(clock: Clock, ms: Ms, work: Promise<unknown>): Promise<boolean> {
  let cancel = () => {
    // Nothing is set yet.
  };
  const late = new Promise<boolean>((resolve) => {
    cancel = clock.after(ms, () => resolve(false));
  });
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    cancel();
  }
}
