import { setFlagsFromString } from "node:v8";
import { optimisedAfter } from "../runtime.js";
import type { Clock } from "../time/clock.js";

/** So many requests within a second are a rush. People and tools at work ask a few times a second. */
export const RUSH = 256;
const WITHIN_MS = 1_000;

/**
 * An owner has its code optimised late (`bin/agent.ts`): most of what it runs, it runs now and then. What comes in such numbers pays for it: the
 * runtime's own measure is taken then, for good, because what came in a rush once comes again.
 *
 * @param hurry Called once
 * @returns to be called for every request
 */
export function rushed(clock: Pick<Clock, "mono">, hurry: () => void = optimiseEarly): () => void {
  let since = clock.mono();
  let count = 0;
  let over = false;
  return () => {
    count += 1;
    if (over || count < RUSH) return;
    const now = clock.mono();
    over = now - since < WITHIN_MS;
    since = now;
    count = 0;
    if (over) hurry();
  };
}

/** What the runtime begins with. A function that waits for its first optimisation already, waits for that with what it was given. */
const optimiseEarly = () => {
  for (const flag of optimisedAfter(67_584)) setFlagsFromString(flag);
};
