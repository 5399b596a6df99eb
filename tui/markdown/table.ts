import type { RowOf, Span } from "../draw/canvas.js";
import { THEME } from "../draw/theme.js";
import { textCells } from "../draw/width.js";
import { inlineSpans } from "./inline.js";
import { shownLine, wrapSpans } from "./wrap.js";

type Align = "left" | "right" | "center";
type CellText = readonly Span[];

const RULER = /^ {0,3}\|? *:?-+:? *(\| *:?-+:? *)*\|? *$/;
const NARROW = 12; // a column that has to wrap is at least so wide, else each row becomes a block

/** Whether a table begins at this line: a row with bars above a ruler with as many columns. */
export function isTable(lines: readonly string[], at: number): boolean {
  const [head = "", ruler = ""] = [lines[at], lines[at + 1]];
  return (
    head.includes("|") &&
    ruler.includes("-") &&
    ruler.includes("|") &&
    RULER.test(ruler) &&
    cellsOf(head).length === cellsOf(ruler).length
  );
}

/** Columns fitted to the width; a table that is too wide becomes one block per row. */
export function tableRows(lines: readonly string[], at: number, width: number): readonly [readonly RowOf[], number] {
  const aligns = cellsOf(lines[at + 1] ?? "").map(alignOf);
  let end = at + 2;
  while (end < lines.length && (lines[end] ?? "").includes("|")) end += 1;
  const head = styled(lines[at] ?? "", THEME.bold);
  const body = lines.slice(at + 2, end).map((line) => styled(line, THEME.text));
  const widths = fitted(
    aligns.map((_, column) => natural([head, ...body], column)),
    width,
  );
  return [widths === undefined ? asBlocks(head, body, width) : asTable({ head, body, aligns, widths }), end - at];
}

/** Cells of a row; a bar behind a backslash or in code is text. */
function cellsOf(line: string): readonly string[] {
  const bare = line
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "");
  const cells = [""];
  let code = false;
  for (let at = 0; at < bare.length; at++) {
    const char = bare[at] ?? "";
    if (char === "`") code = !code;
    if (char === "\\" && bare[at + 1] === "|") {
      cells.push(`${cells.pop() ?? ""}|`);
      at += 1;
    } else if (char === "|" && !(code && bare.indexOf("`", at) >= 0)) cells.push("");
    else cells.push(`${cells.pop() ?? ""}${char}`);
  }
  return cells.map((cell) => cell.trim());
}

function alignOf(ruler: string): Align {
  if (!ruler.endsWith(":")) return "left";
  return ruler.startsWith(":") ? "center" : "right";
}

const styled = (line: string, base: number): readonly CellText[] =>
  cellsOf(shownLine(line)).map((cell) => inlineSpans(cell, base));
const cellsIn = (cell: CellText): number => cell.reduce((sum, [, text]) => sum + textCells(text), 0);
const natural = (rows: readonly (readonly CellText[])[], column: number): number =>
  Math.max(1, ...rows.map((row) => cellsIn(row[column] ?? [])));
const total = (widths: readonly number[]): number => widths.reduce((sum, one) => sum + one + 3, -3);

/** Widths of the columns; the widest give way first. Undefined: they would get too narrow to read. */
function fitted(wanted: readonly number[], width: number): readonly number[] | undefined {
  const widths = [...wanted];
  while (total(widths) > width) {
    const widest = widths.indexOf(Math.max(...widths));
    const most = widths[widest] ?? 0;
    if (most <= NARROW) return undefined;
    widths[widest] = most - 1;
  }
  return widths;
}

interface Table {
  readonly head: readonly CellText[];
  readonly body: readonly (readonly CellText[])[];
  readonly aligns: readonly Align[];
  readonly widths: readonly number[];
}

function asTable({ head, body, aligns, widths }: Table): readonly RowOf[] {
  const ruler: RowOf = [[THEME.dim, widths.map((one) => "─".repeat(one)).join("─┼─")]];
  const rows = (row: readonly CellText[]) => lineUp(row, aligns, widths);
  return [...rows(head), ruler, ...body.flatMap(rows)];
}

/** The rows of cells that one row of a table takes. */
function lineUp(row: readonly CellText[], aligns: readonly Align[], widths: readonly number[]): readonly RowOf[] {
  const columns = widths.map((width, column) => wrapSpans(row[column] ?? [], width));
  const height = Math.max(1, ...columns.map((rows) => rows.length));
  return Array.from({ length: height }, (_, y) =>
    columns.flatMap((rows, column): Span[] => {
      const spans = rows[y] ?? [];
      const free = Math.max(0, (widths[column] ?? 0) - cellsIn(spans));
      const before = aligns[column] === "right" ? free : aligns[column] === "center" ? free >> 1 : 0;
      const bar: Span[] = column === 0 ? [] : [[THEME.dim, " │ "]];
      return [...bar, [THEME.text, " ".repeat(before)], ...spans, [THEME.text, " ".repeat(free - before)]];
    }),
  );
}

function asBlocks(head: readonly CellText[], body: readonly (readonly CellText[])[], width: number): readonly RowOf[] {
  return body.flatMap((row, place): readonly RowOf[] => [
    ...(place === 0 ? [] : [[] satisfies RowOf]),
    ...head.flatMap((name, column) => wrapSpans([...name, [THEME.dim, ": "], ...(row[column] ?? [])], width)),
  ]);
}
