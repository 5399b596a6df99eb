import { putRow, putRows, type Rect, type RowOf } from "./canvas.js";
import type { Cell } from "./draw.js";
import { GLYPH } from "./glyphs.js";
import { isBanded, isEdged } from "./marks.js";
import { THEME } from "./theme.js";

/** Lines of text that are longer than this are hard to read. */
const MOST_TEXT = 100;

/** Where text stands in a room: one column from its edges, and not too wide. @param flush without the margin, for selecting with the terminal */
export function textRect({ x, y, width, height }: Rect, flush: boolean): Rect {
  const margin = flush ? 0 : 1;
  return { x: x + margin, y, width: Math.max(1, Math.min(MOST_TEXT, width - 2 * margin)), height };
}

/** Draw rows of text with their margins, and clear what is left of the room. */
export function drawText(lines: Cell[][], room: Rect, inside: Rect, rows: readonly RowOf[]): void {
  const { x, width } = inside;
  const margin = x - room.x;
  if (room.width > width) putRows(lines, room, [], THEME.text);
  for (let dy = 0; dy < inside.height; dy++) {
    const row = rows[dy] ?? [];
    const y = inside.y + dy;
    const ground = isBanded(row) ? THEME.band : THEME.text;
    if (ground === THEME.band) putRow(lines, { x: x - margin, y, width: width + 2 * margin }, [], ground);
    if (margin > 0 && isEdged(row))
      putRow(lines, { x: x - 1, y, width: 1 }, [[THEME.codeEdge, GLYPH.edge]], THEME.text);
    putRow(lines, { x, y, width }, row, ground);
  }
}
