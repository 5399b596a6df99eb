import { type MarkedToken, ownTokens } from "../../lib/base/text/markdown.js";
import type { RowOf, Span } from "../draw/canvas.js";
import { THEME } from "../draw/theme.js";
import { textCells } from "../draw/width.js";
import { inlineSpans } from "./inline.js";
import { wrapSpans } from "./wrap.js";

type TableToken = Extract<MarkedToken, { readonly type: "table" }>;
type CellText = readonly Span[];

const NARROW = 12; // a column that has to wrap is at least so wide, else each row becomes a block

/** Columns fitted to the width; a table that is too wide becomes one block per row. */
export function tableRows({ header, align, rows }: TableToken, width: number): readonly RowOf[] {
  const styled = (cells: TableToken["header"], base: number): readonly CellText[] =>
    cells.map(({ tokens }) => inlineSpans(ownTokens(tokens), base));
  const head = styled(header, THEME.bold);
  const body = rows.map((row) => styled(row, THEME.text));
  const widths = fitted(
    header.map((_, column) => natural([head, ...body], column)),
    width,
  );
  return widths === undefined ? asBlocks(head, body, width) : asTable({ head, body, aligns: align, widths });
}

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
  readonly aligns: TableToken["align"];
  readonly widths: readonly number[];
}

function asTable({ head, body, aligns, widths }: Table): readonly RowOf[] {
  const ruler: RowOf = [[THEME.dim, widths.map((one) => "─".repeat(one)).join("─┼─")]];
  const rows = (row: readonly CellText[]) => lineUp(row, aligns, widths);
  return [...rows(head), ruler, ...body.flatMap(rows)];
}

/** The rows of cells that one row of a table takes. */
function lineUp(row: readonly CellText[], aligns: TableToken["align"], widths: readonly number[]): readonly RowOf[] {
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
