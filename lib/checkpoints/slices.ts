import type { Clock } from "../base/time/clock.js";
import type { Ms } from "../base/units.js";

/** How long a piece of work goes on before it lets others work. */
const SLICE_MS: Ms = 8;

/** Call it between pieces of long work: now and then it waits for its next turn, so that others do not wait for the whole. */
export function slices(clock: Clock): () => Promise<void> {
  let until = clock.mono() + SLICE_MS;
  return async () => {
    if (clock.mono() < until) return;
    await clock.sleep(0);
    until = clock.mono() + SLICE_MS;
  };
}
