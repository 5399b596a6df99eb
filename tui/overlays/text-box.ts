import type { Editor } from "../composer/editor.js";
import { measure, splitGraphemes, textCells } from "../draw/width.js";

/** Lines of an input as they are seen, and where its cursor stands among them. */
export interface TextBox {
  readonly lines: readonly string[];
  readonly cursor: { readonly x: number; readonly y: number };
}

const DOT = "•";

/** One line: what is around the cursor, cut at both sides. `hidden`: dots in place of letters. */
export function lineBox({ text, cursor }: Pick<Editor, "text" | "cursor">, width: number, hidden = false): TextBox {
  const cells = (part: string) => (hidden ? DOT.repeat(splitGraphemes(part).length) : part.replaceAll("\n", "⏎"));
  const before = splitGraphemes(cells(text.slice(0, cursor)));
  let x = 0;
  let from = before.length;
  for (; from > 0; from--) {
    const more = measure(before[from - 1] ?? "").cells;
    if (x + more >= width) break;
    x += more;
  }
  return { lines: [before.slice(from).join("") + cells(text.slice(cursor))], cursor: { x, y: 0 } };
}

/** Where the cursor goes when cell `x` of a line is pressed that is drawn as `lineBox` draws it. */
export function pressedAt({ text, cursor }: Pick<Editor, "text" | "cursor">, width: number, x: number): number {
  const before = splitGraphemes(text.slice(0, cursor));
  const seen = lineBox({ text, cursor }, width).cursor.x;
  let at = cursor;
  let cells = seen;
  while (cells > x && before.length > 0) {
    const last = before.pop() ?? "";
    cells -= measure(last).cells;
    at -= last.length;
  }
  for (const cluster of cells < x ? splitGraphemes(text.slice(cursor)) : []) {
    const next = cells + measure(cluster).cells;
    if (next > x) break;
    cells = next;
    at += cluster.length;
  }
  return at;
}

/** The same in several lines that are drawn as `textBox` draws them. */
export function pressedIn(
  { text }: Pick<Editor, "text">,
  width: number,
  { x, y }: { readonly x: number; readonly y: number },
): number {
  const row = rowsOf(text, Math.max(2, width))[y];
  return row === undefined
    ? text.length
    : row.from + pressedAt({ text: text.slice(row.from, row.to), cursor: 0 }, width, x);
}

/** Several lines, broken at blanks where there are any. */
export function textBox({ text, cursor }: Pick<Editor, "text" | "cursor">, width: number): TextBox {
  const rows = rowsOf(text, Math.max(2, width));
  let y = 0;
  while (y + 1 < rows.length && (rows[y + 1]?.from ?? 0) <= cursor) y += 1;
  const row = rows[y];
  const x = row === undefined ? 0 : textCells(text.slice(row.from, Math.max(row.from, Math.min(cursor, row.to))));
  return { lines: rows.map(({ from, to }) => text.slice(from, to)), cursor: { x: Math.min(x, width - 1), y } };
}

interface Row {
  readonly from: number;
  readonly to: number;
}

function rowsOf(text: string, width: number): readonly Row[] {
  const rows: Row[] = [];
  let start = 0;
  for (const line of text.split("\n")) {
    rows.push(...rowsOfLine(line, width).map(({ from, to }) => ({ from: start + from, to: start + to })));
    start += line.length + 1;
  }
  return rows;
}

/** One cell is left free for the cursor behind the last letter. */
function rowsOfLine(line: string, width: number): readonly Row[] {
  const rows: Row[] = [];
  let from = 0;
  let at = 0;
  let used = 0;
  let blank = -1;
  for (const cluster of splitGraphemes(line)) {
    const cells = measure(cluster).cells;
    if (used + cells > width - 1) {
      const cut = blank > from ? blank : at;
      rows.push({ from, to: cut });
      used = textCells(line.slice(cut, at));
      from = cut;
      blank = -1;
    }
    at += cluster.length;
    used += cells;
    if (cluster === " ") blank = at;
  }
  return [...rows, { from, to: line.length }];
}
