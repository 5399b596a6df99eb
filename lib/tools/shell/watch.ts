import type { Ms } from "../../base/units.js";
import { toScreenLine } from "../../safety/redact/text.js";

/** Source: core part, 17.5. */
const BETWEEN_NOTICES: Ms = 15_000;
const DROPPED_WINDOWS = 3;
const LINES_SHOWN = 10;

/** Looks for patterns in whole lines of one process. */
export interface PatternWatch {
  /** A notice for the conversation, or undefined. `now` is of the monotonic clock. */
  see(lines: readonly string[], now: Ms): string | undefined;
  /** Too much matched: the end is reported instead. */
  readonly disabled: boolean;
}

export function createPatternWatch(id: string, patterns: readonly string[]): PatternWatch {
  let last = Number.NEGATIVE_INFINITY;
  let suppressed = 0;
  let windows = 0;
  let disabled = false;
  return {
    get disabled() {
      return disabled;
    },
    see: (lines, now) => {
      if (disabled) return undefined;
      const hits = lines.filter((line) => patterns.some((pattern) => line.includes(pattern)));
      if (hits.length === 0) return undefined;
      if (now - last < BETWEEN_NOTICES) {
        windows += suppressed === 0 ? 1 : 0;
        suppressed += hits.length;
        disabled = windows >= DROPPED_WINDOWS;
        return undefined;
      }
      const more = suppressed > 0 ? ` (${suppressed} earlier matching lines were not shown)` : "";
      last = now;
      suppressed = 0;
      const found = patterns.filter((pattern) => hits.some((line) => line.includes(pattern)));
      const shown = hits.slice(0, LINES_SHOWN).map((line) => toScreenLine(line, 300));
      return `[Background process ${id} printed ${found.map((one) => JSON.stringify(one)).join(", ")}${more}:\n${shown.join("\n")}]`;
    },
  };
}
