import type { Rect, RowOf } from "../draw/canvas.js";
import type { Cell } from "../draw/draw.js";
import { areaNumber } from "../draw/pictures.js";
import { THEME } from "../draw/theme.js";
import { measure, splitGraphemes } from "../draw/width.js";
import { PANE_DEFINITIONS } from "../index.gen.js";
import type { Pane } from "../model/panes.gen.js";
import type { State } from "../model/state.js";
import type { Selection } from "../terminal/terminal-state.js";

interface Part {
  readonly cluster: string;
  /** Cell where it begins. */
  readonly x: number;
}

function partsOf(row: RowOf | undefined): readonly Part[] {
  let x = 0;
  return (row ?? []).flatMap(([, text]) =>
    splitGraphemes(text).map((cluster) => {
      const part = { cluster, x };
      x += measure(cluster).cells;
      return part;
    }),
  );
}

/** Cells of one row that a selection covers; `to` is the last one. */
function span(
  { from, to }: Selection,
  y: number,
  width: number,
): { readonly from: number; readonly to: number } | undefined {
  const [first, last] = from.y < to.y || (from.y === to.y && from.x <= to.x) ? [from, to] : [to, from];
  if (y < first.y || y > last.y) return undefined;
  return { from: y === first.y ? first.x : 0, to: y === last.y ? last.x : width - 1 };
}

/** What is selected as text: no frames, no blanks at the ends of lines. */
export function selectedText(state: State, { width, height }: Rect, selection: Selection): string {
  const rows = PANE_DEFINITIONS[selection.pane].rows(state, width, height);
  const lines: string[] = [];
  for (let y = 0; y < height; y++) {
    const part = span(selection, y, width);
    if (part === undefined) continue;
    const chosen = partsOf(rows[y]).filter(({ x }) => x >= part.from && x <= part.to);
    lines.push(
      chosen
        .map(({ cluster }) => (areaNumber(cluster) === undefined ? cluster : " "))
        .join("")
        .trimEnd(),
    );
  }
  return lines.join("\n").replace(/^\n+|\n+$/g, "");
}

const WORD = /^[\p{L}\p{N}_.~/:@%+-]/u;

/** First and last cell of the word at a place; undefined: without a word. */
export function wordAt(
  state: State,
  pane: Pane,
  { width, height }: Rect,
  at: { x: number; y: number },
): { from: number; to: number } | undefined {
  const parts = partsOf(PANE_DEFINITIONS[pane].rows(state, width, height)[at.y]);
  const here = parts.findLastIndex(({ x }) => x <= at.x);
  if (here < 0 || !WORD.test(parts[here]?.cluster ?? "")) return undefined;
  let from = here;
  let to = here;
  while (WORD.test(parts[from - 1]?.cluster ?? "")) from--;
  while (WORD.test(parts[to + 1]?.cluster ?? "")) to++;
  return { from: parts[from]?.x ?? 0, to: parts[to]?.x ?? 0 };
}

/** Show what is selected. */
export function drawSelection(lines: readonly Cell[][], { x, y, width, height }: Rect, selection: Selection): void {
  for (let dy = 0; dy < height; dy++) {
    const part = span(selection, dy, width);
    if (part === undefined) continue;
    for (let dx = part.from; dx <= Math.min(part.to, width - 1); dx++) {
      const cell = lines[y + dy]?.[x + dx];
      if (cell) cell[0] = THEME.selection;
    }
  }
}
