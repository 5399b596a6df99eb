import type { Step } from "../model/define-pane.js";
import type { State, Updated } from "../model/state.js";
import { columnsOf, placeOf as placeIn } from "./columns.js";
import { readMoreNearEnd } from "./read-more.js";
import type { BoardState, Column, Cursor, TaskCard } from "./state.js";
import { drawerLength } from "./view/drawer.js";
import { isList, paneSize, partsOf, type Size, spread, topFor } from "./view/geometry.js";

/** Row of the cursor in a column, as far as there are cards. */
export const rowIn = ({ at, shown }: BoardState, column: Column): number =>
  Math.max(0, Math.min(at.rows[column] ?? 0, shown[column].length - 1));

/** The card with the cursor. */
export const findSelectedCard = (board: BoardState): TaskCard | undefined =>
  board.shown[board.at.column][rowIn(board, board.at.column)];

export const withBoard = (state: State, change: Partial<BoardState>): State => ({
  ...state,
  board: { ...state.board, ...change },
});

/** The cursor on a card of a column; what is shown moves just as far as it must. */
export function cursorTo(state: State, column: Column, row: number): State {
  const { at } = state.board;
  const placed = withBoard(state, { at: { ...at, column, rows: { ...at.rows, [column]: Math.max(0, row) } } });
  return inSight(placed);
}

/** Scroll so that the cursor is seen at the present size. */
export function inSight(state: State): State {
  const { board } = state;
  const size = paneSize(state);
  const { cards } = partsOf(state, size);
  if (isList(board, size)) return withBoard(state, { at: { ...board.at, listTop: listTop(board, cards.height) } });
  const { placed, left } = spread(board, cards.width);
  const { column } = board.at;
  const width = placed.find((one) => one.column === column)?.width ?? 0;
  const top = topFor(
    board.shown[column],
    { row: rowIn(board, column), top: board.at.tops[column] ?? 0 },
    { width, height: cards.height - 1 },
  );
  return withBoard(state, { left, at: { ...board.at, tops: { ...board.at.tops, [column]: top } } });
}

/** First line of the list so that the cursor is seen. */
export function listTop(board: BoardState, height: number): number {
  const line = lineOf(board);
  const total = columnsOf(board).reduce((sum, column) => sum + board.shown[column].length, 0);
  const top = Math.min(board.at.listTop, line, Math.max(0, total - height));
  return Math.max(top, line - height + 1, 0);
}

/** Line of the cursor among all tasks. */
export function lineOf(board: BoardState): number {
  let before = 0;
  for (const column of columnsOf(board)) {
    if (column === board.at.column) return before + rowIn(board, column);
    before += board.shown[column].length;
  }
  return 0;
}

/** The card on a line of the list. */
export function cardOnLine(
  board: BoardState,
  line: number,
): { readonly column: Column; readonly row: number } | undefined {
  let before = 0;
  for (const column of columnsOf(board)) {
    const count = board.shown[column].length;
    if (line < before + count) return { column, row: line - before };
    before += count;
  }
  return undefined;
}

/** To the next column that has anything; in the list to its first task. */
export function sideways(state: State, by: 1 | -1): Updated {
  const { board } = state;
  const all = columnsOf(board);
  const list = isList(board, paneSize(state));
  for (let at = all.indexOf(board.at.column) + by; at >= 0 && at < all.length; at += by) {
    const column = all[at];
    if (column === undefined || board.shown[column].length === 0) continue;
    const next = cursorTo(state, column, list ? 0 : (board.at.rows[column] ?? 0));
    return [next, readMoreNearEnd(next)];
  }
  return [state, []];
}

/** A step of every list (workspace part, 3.2); with the drawer open it is what scrolls. */
export function stepped(state: State, step: Step): State {
  const size = paneSize(state);
  const parts = partsOf(state, size);
  if (state.board.drawer !== undefined && parts.drawer !== undefined) return scrolled(state, step, parts.drawer);
  const page = isList(state.board, size)
    ? parts.cards.height - 1
    : Math.max(1, Math.floor((parts.cards.height - 1) / 4));
  const half = Math.max(1, page >> 1);
  const by = { up: -1, down: 1, pageUp: -page, pageDown: page, halfUp: -half, halfDown: half, first: -1e9, last: 1e9 }[
    step
  ];
  return isList(state.board, size) ? alongList(state, by) : alongColumn(state, by);
}

function alongColumn(state: State, by: number): State {
  const { column } = state.board.at;
  const last = state.board.shown[column].length - 1;
  return cursorTo(state, column, Math.max(0, Math.min(last, rowIn(state.board, column) + by)));
}

function alongList(state: State, by: number): State {
  const { board } = state;
  const total = columnsOf(board).reduce((sum, column) => sum + board.shown[column].length, 0);
  const found = cardOnLine(board, Math.max(0, Math.min(total - 1, lineOf(board) + by)));
  return found === undefined ? state : cursorTo(state, found.column, found.row);
}

function scrolled(state: State, step: Step, { width, height }: Size): State {
  const half = Math.max(1, height >> 1);
  const by = {
    up: -1,
    down: 1,
    pageUp: -height,
    pageDown: height,
    halfUp: -half,
    halfDown: half,
    first: -1e9,
    last: 1e9,
  }[step];
  return drawerScrolled(state, by, { width, height });
}

/** The drawer, `by` rows further down. */
export function drawerScrolled(state: State, by: number, { width, height }: Size): State {
  const { drawer } = state.board;
  if (drawer === undefined) return state;
  const most = Math.max(0, drawerLength(state, width) - height);
  return withBoard(state, { drawer: { ...drawer, top: Math.max(0, Math.min(most, Math.min(drawer.top, most) + by)) } });
}

/**
 * The cursor stays on its card while others come and go around it; when its card has left, it is on the one that followed, even when others came
 * or left in the same moment. Nothing is in the column any more: it goes where its card has gone.
 */
export function keptCursor(before: BoardState, after: BoardState): Cursor {
  const { column } = before.at;
  const card = findSelectedCard(before);
  if (card === undefined || before.shown[column] === after.shown[column]) return after.at;
  const row = placeKept(before.shown[column].slice(rowIn(before, column)), after.shown[column]);
  if (row < 0) return after.shown[column].length > 0 ? after.at : followed(after, card);
  const moved = row - rowIn(before, column);
  const top = Math.max(0, (after.at.tops[column] ?? 0) + moved);
  return { ...after.at, rows: { ...after.at.rows, [column]: row }, tops: { ...after.at.tops, [column]: top } };
}

/** Row of the first of these cards that is still there. */
function placeKept(wanted: readonly TaskCard[], there: readonly TaskCard[]): number {
  const first = wanted[0]?.id;
  const row = there.findIndex((one) => one.id === first);
  if (row >= 0) return row;
  const rows = new Map(there.map((one, at) => [one.id, at] as const));
  const next = wanted.find((one) => rows.has(one.id));
  return next === undefined ? -1 : (rows.get(next.id) ?? -1);
}

/** Where the last card of a column has gone. */
function followed({ at, cards, shown }: BoardState, { id }: TaskCard): Cursor {
  const status = cards.get(id)?.status;
  const row = status === undefined ? -1 : shown[status].findIndex((one) => one.id === id);
  return status === undefined || row < 0 ? at : { ...at, column: status, rows: { ...at.rows, [status]: row } };
}

/** The card that was wanted goes under the cursor as soon as it is here. */
export function toWanted(state: State): State {
  const { wanted, cards, shown } = state.board;
  const card = wanted === undefined ? undefined : cards.get(wanted);
  if (card === undefined) return state;
  const row = placeIn(shown[card.status], card);
  const found = withBoard(state, { wanted: undefined });
  return shown[card.status][row]?.id === card.id ? cursorTo(found, card.status, row) : found;
}
