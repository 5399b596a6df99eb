import { measure, splitGraphemes, textCells } from "../draw/width.js";
import { type Chip, isChip } from "./chip.js";
import { lineEnd, lineStart, snapped } from "./edges.js";

/** A row of the screen: the part of the text that it shows. */
export interface TextRow {
  readonly from: number;
  readonly to: number;
}

/** A text with what is seen in place of its chips, and the cells that a row has. One more stays free for the cursor. */
export interface Wrapped {
  readonly text: string;
  readonly chips: readonly Chip[];
  readonly width: number;
}

/** Longer lines are broken there whatever they hold, so that a key never costs more than a piece of this length. */
const PIECE = 2_048;
const TAB = "    ";
/** Bidi controls and invisible characters. */
const SPELLED = /^[\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/;

/** What a cluster looks like. */
export function look(cluster: string, chips: readonly Chip[]): string {
  if (cluster.length === 1 && cluster >= " " && cluster <= "~") return cluster;
  if (cluster === "\t") return TAB;
  if (isChip(cluster)) return `[${chips.find((one) => one.sign === cluster)?.label ?? "?"}]`;
  if (cluster.length === 1 && SPELLED.test(cluster))
    return `⟪U+${cluster.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟫`;
  return cluster;
}

const cellsOf = (cluster: string, { chips, width }: Wrapped): number => {
  const seen = look(cluster, chips);
  return seen === cluster ? measure(cluster).cells : Math.min(width, textCells(seen));
};

/** Cells of a part of one row. */
export const rowCells = (box: Wrapped, from: number, to: number): number =>
  splitGraphemes(box.text.slice(from, to)).reduce((sum, cluster) => sum + cellsOf(cluster, box), 0);

/** The row in which a place stands. */
export function rowAt(box: Wrapped, place: number): TextRow {
  const rows = pieceRows(box, place);
  return rows.findLast((row) => row.from <= place) ?? { from: place, to: place };
}

export function rowBefore(box: Wrapped, { from }: TextRow): TextRow | undefined {
  if (from <= 0) return undefined;
  return pieceRows(box, from - 1).findLast((one) => one.from < from);
}

export function rowAfter(box: Wrapped, row: TextRow): TextRow | undefined {
  const next = pieceRows(box, row.from).find((one) => one.from > row.from);
  if (next !== undefined) return next;
  const { text } = box;
  if (row.to >= text.length) return undefined;
  return pieceRows(box, text[row.to] === "\n" ? row.to + 1 : row.to)[0];
}

/** Rows of the whole, but never more than `most` are counted. */
export function countRows(box: Wrapped, most: number): number {
  let count = 1;
  for (let row = rowAfter(box, rowAt(box, 0)); row !== undefined && count < most; row = rowAfter(box, row)) count += 1;
  return count;
}

/** The place in a row that is `column` cells from its left, between two clusters. */
export function placeAt(box: Wrapped, row: TextRow, column: number): number {
  let place = row.from;
  let used = 0;
  for (const cluster of splitGraphemes(box.text.slice(row.from, row.to))) {
    used += cellsOf(cluster, box);
    if (used > column) break;
    place += cluster.length;
  }
  // The end of a row that goes on below is the beginning of the next one.
  const last = place === row.to && row.to < box.text.length && box.text[row.to] !== "\n" && row.to > row.from;
  return last ? snapped(box.text, row.to - 1) : place;
}

/** The rows of the piece of a line around a place; the newest ones are kept, because each frame asks for them several times. */
function pieceRows(box: Wrapped, place: number): readonly TextRow[] {
  const { from, to } = pieceAt(box.text, place);
  const text = box.text.slice(from, to);
  const key = `${box.width}:${text}`;
  const known = kept.get(key) ?? wrapPiece({ ...box, text });
  kept.delete(key);
  if (box.chips.length === 0) kept.set(key, known);
  if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value ?? "");
  return known.map((row) => ({ from: row.from + from, to: row.to + from }));
}

const kept = new Map<string, readonly TextRow[]>();
const MOST_KEPT = 48;

/** The line that was looked at last: a frame asks for the same one many times, and finding the ends of a long one takes a while. */
let line = { text: "", start: 0, end: 0 };

function lineAt(text: string, place: number): typeof line {
  if (line.text !== text || place < line.start || place > line.end)
    line = { text, start: lineStart(text, place), end: lineEnd(text, place) };
  return line;
}

function pieceAt(text: string, place: number): TextRow {
  const { start, end } = lineAt(text, place);
  if (end - start <= PIECE) return { from: start, to: end };
  const edge = (n: number) => (n <= 0 ? start : Math.min(end, snapped(text, Math.min(end, start + n * PIECE))));
  let n = Math.floor((place - start) / PIECE);
  if (n > 0 && edge(n) >= end) n -= 1;
  return { from: edge(n), to: edge(n + 1) };
}

/** Break at blanks and between wide signs. One blank may stand in the cell of the cursor; more of them go on below. */
function wrapPiece(box: Wrapped): TextRow[] {
  const { text, width } = box;
  const rows: TextRow[] = [];
  let from = 0;
  let at = 0;
  let used = 0;
  let cut = -1;
  const end = (to: number) => {
    rows.push({ from, to });
    from = to;
    used = rowCells(box, from, at);
    cut = -1;
  };
  for (const cluster of splitGraphemes(text)) {
    const cells = cellsOf(cluster, box);
    const hangs = cluster === " " && used === width;
    while (used + cells > width && !hangs && at > from) end(cut > from ? cut : at);
    at += cluster.length;
    used += cells;
    if (hangs) end(at);
    else if (cluster === " " || cells > 1) cut = at;
  }
  rows.push({ from, to: text.length });
  return rows;
}
