import type { RowOf, Span } from "../../draw/canvas.js";
import { GLYPH } from "../../draw/glyphs.js";
import { bold, THEME, underlined } from "../../draw/theme.js";
import { textCells, truncateToWidth } from "../../draw/width.js";
import type { State } from "../../model/state.js";
import { rowIn } from "../cursor.js";
import type { BoardState, Column } from "../state.js";
import { cardView, padRow, statusStyle } from "./card.js";
import { gapOf, type Placed, type Size, spread } from "./geometry.js";
import { topOf } from "./hit.js";

/** The board as columns of cards. */
export function columnRows(state: State, { width, height }: Size): readonly RowOf[] {
  const { placed, before, after } = spread(state.board, width);
  const columns = placed.map((one) => columnOf(state, one, height));
  const body = Array.from(
    { length: height },
    (_, y): RowOf => columns.flatMap((rows, at) => padRow(rows[y] ?? [], placed[at]?.width ?? 0, THEME.text)),
  );
  if (!before && !after) return body;
  return body.map(
    (row, y): RowOf => [
      ...(before ? [side(y === 0 ? `${GLYPH.before} ` : "  ")] : []),
      ...row,
      ...(after ? [side(y === 0 ? ` ${GLYPH.after}` : "  ")] : []),
    ],
  );
}

const side = (text: string): Span => [THEME.accent, text];

function columnOf(state: State, { column, width, folded }: Placed, height: number): readonly RowOf[] {
  const { board } = state;
  const focused = board.at.column === column;
  const head = headRow(state, column, width, focused);
  if (folded) return [head];
  const cards = board.shown[column];
  const row = rowIn(board, column);
  const room = { width, height: height - 1 };
  const top = topOf(state, column, room);
  const rows: RowOf[] = [];
  const gap = gapOf(room.height);
  for (let at = top; at < cards.length && rows.length < room.height; at++) {
    const card = cards[at];
    if (card === undefined) break;
    rows.push(...cardView(state, card, width, focused && state.focus === "board" && at === row));
    if (gap > 0) rows.push([]);
  }
  return [head, ...withMore(rows, room, board, column)];
}

/** Where more of a column is to come it says so. */
function withMore(rows: readonly RowOf[], { height }: Size, board: BoardState, column: Column): readonly RowOf[] {
  const coming = board.columns[column].length < board.counts[column] && rows.length < height;
  return coming ? [...rows, [[THEME.dim, ` ${GLYPH.more}`]]] : rows;
}

/** Name and count. Cards that were just sent elsewhere are counted where they are shown. */
function headRow({ board, focus }: State, column: Column, width: number, focused: boolean): RowOf {
  const total = countOf(board, column);
  const shown = board.filter === "" ? String(total) : `${board.shown[column].length}/${total}`;
  const active = focused && focus === "board";
  const plain = total === 0 ? THEME.dim : statusStyle(column);
  const style = active ? underlined(bold(total === 0 ? THEME.text : plain)) : plain;
  const name = truncateToWidth(column, Math.max(1, width - textCells(shown) - 2));
  return [
    [style, name],
    [THEME.dim, ` ${shown}`],
  ];
}

/** How many tasks of a column there are to be seen as soon as everything is confirmed. */
function countOf({ counts, moving, cards }: BoardState, column: Column): number {
  let count = counts[column];
  for (const [id, was] of moving) {
    const now = cards.get(id)?.status;
    if (was.status === now) continue;
    if (was.status === column) count -= 1;
    if (now === column) count += 1;
  }
  return Math.max(0, count);
}
