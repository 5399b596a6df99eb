import type { Display } from "../../app/display.js";
import type { RowOf, Span } from "../../draw/canvas.js";
import { THEME } from "../../draw/theme.js";
import { textCells, truncateToWidth } from "../../draw/width.js";
import { wrapSpans } from "../../markdown/wrap.js";
import type { ToolItem } from "../state.js";

/** How an item is looked at: what the settings and the user's own folding say, and what changes while it runs. */
export interface Look {
  readonly display: Display;
  /** Folded or unfolded by the user; undefined: as the settings say. */
  readonly open: (aspect: Aspect) => boolean | undefined;
  /** The whole result, where it was fetched. */
  readonly whole: string | undefined;
  /** Sign of something that runs. */
  readonly spin: string;
  readonly now: number;
  /** A call that has begun does nothing before a question is answered. Absent: none does. */
  readonly waits?: (call: ToolItem) => boolean;
  /** What a person said stands on a ground of its own. Absent: it does not, where rows are written for good. */
  readonly bands?: boolean;
  readonly output: readonly string[];
}

const LEAST = 12; // cells that the part which gives way first keeps

export type Aspect = "text" | "thinking" | "diff" | "output" | "group" | "inner";

/** A row with something at its right end; the left part gives way, and of it the span `soft` first. */
export function rightRow(all: readonly Span[], right: string, width: number, soft = -1): RowOf {
  const room = Math.max(1, width - (right === "" ? 0 : textCells(right) + 1));
  const over = all.reduce((sum, [, text]) => sum + textCells(text), 0) - room;
  const left = all.map(
    ([style, text], place): Span =>
      place === soft && over > 0
        ? [style, truncateToWidth(text, Math.max(LEAST, textCells(text) - over))]
        : [style, text],
  );
  const spans: Span[] = [];
  let used = 0;
  for (const [style, text] of left) {
    if (used >= room) break;
    const shown = truncateToWidth(text, room - used);
    spans.push([style, shown]);
    used += textCells(shown);
  }
  return right === ""
    ? spans
    : [...spans, [THEME.dim, `${" ".repeat(Math.max(1, width - used - textCells(right)))}${right}`]];
}

/** A length of time beside a call: `0.4 s`, `12 s`, `4m 02s`. */
export function took(ms: number): string {
  if (ms < 9_950) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)}m ${String(seconds % 60).padStart(2, "0")}s`;
}

export const indent = (rows: readonly RowOf[], lead: Span): readonly RowOf[] =>
  rows.map((row): RowOf => [lead, ...row]);

/** What is not shown, and the key that shows it. */
export const moreRow = (count: number, key: string, what = "line"): RowOf => [
  [THEME.dim, `  … ${count.toLocaleString("en-US")} more ${what}${count === 1 ? "" : "s"} (${key})`],
];

/** A text in one style, wrapped. */
export const plain = (text: string, style: number, width: number): readonly RowOf[] =>
  text.split("\n").flatMap((line) => wrapSpans([[style, line]], width));
