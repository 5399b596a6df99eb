import type { Press } from "../model/define-pane.js";
import type { State } from "../model/state.js";
import { cardOnLine, drawerScrolled, lineOf, listTop, rowIn, withBoard } from "./cursor.js";
import type { Column } from "./state.js";
import { isList, partsOf, type Size, topFor } from "./view/geometry.js";
import { columnAt, topOf } from "./view/hit.js";

/** The wheel scrolls what is under it; the cursor goes along only where it would be out of sight. `by`: rows of the list and the drawer, cards of a column. */
export function wheeled(state: State, by: number, { x, width, height }: Press): State {
  const size = { width, height };
  const { cards, drawer } = partsOf(state, size);
  if (drawer !== undefined && x >= cards.width) return drawerScrolled(state, by, drawer);
  if (isList(state.board, size)) return listScrolled(state, by, cards.height);
  const found = columnAt(state, x, size);
  return found === undefined || found.folded
    ? state
    : columnScrolled(state, Math.sign(by), found.column, { width: found.width, height: cards.height - 1 });
}

function columnScrolled(state: State, by: number, column: Column, room: Size): State {
  const { board } = state;
  const cards = board.shown[column];
  const most = topFor(cards, { row: cards.length - 1, top: cards.length - 1 }, room);
  const top = Math.max(0, Math.min(most, topOf(state, column, room) + by));
  const tops = { ...board.at.tops, [column]: top };
  if (column !== board.at.column) return withBoard(state, { at: { ...board.at, tops } });
  let row = Math.max(top, rowIn(board, column));
  while (row > top && topFor(cards, { row, top }, room) > top) row -= 1;
  return withBoard(state, { at: { ...board.at, tops, rows: { ...board.at.rows, [column]: row } } });
}

function listScrolled(state: State, by: number, height: number): State {
  const { board } = state;
  const total = Object.values(board.shown).reduce((sum, column) => sum + column.length, 0);
  const top = Math.max(0, Math.min(total - height, listTop(board, height) + by));
  const found = cardOnLine(board, Math.max(top, Math.min(top + height - 1, lineOf(board))));
  if (found === undefined) return state;
  const { column, row } = found;
  return withBoard(state, { at: { ...board.at, column, rows: { ...board.at.rows, [column]: row }, listTop: top } });
}
