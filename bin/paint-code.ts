import { createJobThread } from "../lib/base/async/job-thread.js";
import { distFile } from "../lib/base/fs/dist.js";
import type { Clock } from "../lib/base/time/clock.js";
import type { Painted } from "../tui/grammar/code.js";
import type { PaintCode } from "../tui/grammar/painting.js";

/** Code that takes longer keeps its first colours. */
const WITHIN_MS = 2_000;
const IDLE_MS = 60_000;
const MOST_FAILURES = 3;
const REST_MS = 60_000;

/** Colours code in a thread, which starts with the first piece. @param file the thread; absent: that of the build */
export function createCodePainter(clock: Clock, file?: string): PaintCode {
  const limits = { clock, withinMs: WITHIN_MS, idleMs: IDLE_MS, mostFailures: MOST_FAILURES, restMs: REST_MS };
  let thread: ReturnType<typeof createJobThread> | undefined;
  return async (code) => {
    thread ??= createJobThread({ ...limits, file: file ?? distFile("grammar-thread.cjs") });
    // The thread answers with what `paintCode` of bin/grammars.ts gives.
    return (await thread.run({ lang: code.lang, lines: code.lines })) as Painted | undefined;
  };
}
