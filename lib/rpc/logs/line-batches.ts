import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";

/** Lines on their way to those who look. */
export interface LineBatcher {
  line(text: string): void;
  stop(): void;
}

/** What is sent at once; the newest lines, and how many there were from the beginning: a reader of fewer knows how many are missing. */
export interface LineBatch {
  /** Each ends with a newline. */
  readonly text: string;
  readonly upto: number;
}

const REST: Ms = 50; // lines that come together are sent together
const WINDOW: Ms = 1_000;
/** Workspace part, 6.3. */
const MOST_PER_WINDOW = 2_000;

/** Tells lines in portions, at most so many a second, the newest first of all. */
export function createLineBatcher(clock: Clock, tell: (lines: LineBatch) => void): LineBatcher {
  let waiting: string[] = [];
  let upto = 0;
  let due: (() => void) | undefined;
  let window = { from: Number.NEGATIVE_INFINITY, told: 0 };
  const flush = () => {
    due = undefined;
    const now = clock.mono();
    if (now - window.from >= WINDOW) window = { from: now, told: 0 };
    const room = MOST_PER_WINDOW - window.told;
    if (room === 0) {
      due = clock.after(window.from + WINDOW - now, flush);
      return;
    }
    const lines = waiting.slice(-room);
    waiting = [];
    window.told += lines.length;
    tell({ text: `${lines.join("\n")}\n`, upto });
  };
  return {
    line: (text) => {
      upto += 1;
      waiting.push(text);
      if (waiting.length >= MOST_PER_WINDOW * 2) waiting = waiting.slice(-MOST_PER_WINDOW);
      due ??= clock.after(REST, flush);
    },
    stop: () => due?.(),
  };
}
