import { type Cell, GAP } from "./draw.js";
import { measure, splitGraphemes } from "./width.js";

/** A rectangle of the screen, in cells. */
export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Whether a cell of the screen is one of a rectangle. */
export const contains = ({ x, y, width, height }: Rect, at: { readonly x: number; readonly y: number }): boolean =>
  at.x >= x && at.x < x + width && at.y >= y && at.y < y + height;

/** Text in one style; a row is several of them. */
export type Span = readonly [style: number, text: string];
export type RowOf = readonly Span[];

/** Write one row of spans at (x, y), cut at `width`; what is left of the row gets `fill`. Returns the cells used. */
export function putRow(lines: Cell[][], at: { x: number; y: number; width: number }, row: RowOf, fill: number): number {
  const line = lines[at.y];
  if (!line) return 0;
  const end = Math.min(at.x + at.width, line.length);
  let x = at.x;
  for (const [style, text] of row) {
    if (ASCII.test(text)) {
      for (let at = 0; at < text.length && x < end; at++, x++) put(line, x, style, text[at] ?? " ");
      continue;
    }
    for (const cluster of splitGraphemes(text)) {
      const { cells } = measure(cluster);
      if (x + cells > end) break;
      put(line, x, style, cluster);
      if (cells === 2) put(line, x + 1, style, GAP);
      x += cells;
    }
  }
  const used = x - at.x;
  for (; x < end; x++) put(line, x, fill, " ");
  return used;
}

/** Text of which each character is a cell: most of what is drawn. */
const ASCII = /^[ -~]*$/;

/** A cut into a wide cell blanks its other half. */
function put(line: Cell[], x: number, style: number, cluster: string): void {
  const cell = line[x];
  if (!cell) return;
  if (cell[1] === GAP && cluster !== GAP) blank(line[x - 1]);
  if (cluster !== GAP && line[x + 1]?.[1] === GAP) blank(line[x + 1]);
  cell[0] = style;
  cell[1] = cluster;
}

function blank(cell: Cell | undefined): void {
  if (cell) cell[1] = " ";
}

/** Fill a rectangle with rows from the top; rows that are missing become blank. */
export function putRows(lines: Cell[][], rect: Rect, rows: readonly RowOf[], fill: number): void {
  for (let dy = 0; dy < rect.height; dy++)
    putRow(lines, { x: rect.x, y: rect.y + dy, width: rect.width }, rows[dy] ?? [], fill);
}

/** Break a text into lines of at most `width` cells, at blanks where there are any. Empty lines stay. */
export function wrap(text: string, width: number): string[] {
  return text.split("\n").flatMap((line) => wrapLine(line.replaceAll("\t", "    "), Math.max(1, width)));
}

function wrapLine(line: string, width: number): string[] {
  const out: string[] = [];
  let now = "";
  let cells = 0;
  let blankAt = -1;
  for (const cluster of splitGraphemes(line)) {
    const size = measure(cluster).cells;
    if (cells + size > width) {
      const cut = blankAt > 0 && cluster !== " " ? blankAt + 1 : now.length;
      out.push(now.slice(0, cut).trimEnd());
      now = now.slice(cut);
      cells = splitGraphemes(now).reduce((sum, one) => sum + measure(one).cells, 0);
      blankAt = -1;
      if (cluster === " " && now === "") continue;
    }
    if (cluster === " ") blankAt = now.length;
    now += cluster;
    cells += size;
  }
  out.push(now);
  return out;
}
