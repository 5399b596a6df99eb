import type { Scroll } from "../../draw/boxes.js";
import type { State } from "../../model/state.js";
import { cardOnLine, listTop, rowIn } from "../cursor.js";
import type { Column } from "../state.js";
import { drawerLength } from "./drawer.js";
import { cardRows, EDGE, gapOf, isList, type Placed, partsOf, type Size, spread, topFor } from "./geometry.js";

interface Place {
  readonly column: Column;
  /** Undefined: the head of the column. */
  readonly row: number | undefined;
}

/** What is shown at a cell of the pane; undefined: nothing that can be chosen, or the drawer. */
export function hitAt(
  state: State,
  { x, y }: { readonly x: number; readonly y: number },
  size: Size,
): Place | undefined {
  const { cards } = partsOf(state, size);
  if (x >= cards.width || y >= cards.height) return undefined;
  if (isList(state.board, size)) return cardOnLine(state.board, listTop(state.board, cards.height) + y);
  const column = columnAt(state, x, size);
  return column && inColumn(state, column, y, cards.height);
}

/** The column of cards that this cell belongs to. */
export function columnAt(state: State, x: number, size: Size): Placed | undefined {
  const { placed, before } = spread(state.board, partsOf(state, size).cards.width);
  let left = before ? EDGE : 0;
  for (const one of placed) {
    if (x >= left && x < left + one.width) return one;
    left += one.width;
  }
  return undefined;
}

function inColumn(state: State, { column, width, folded }: Placed, y: number, height: number): Place | undefined {
  if (y === 0 || folded) return { column, row: undefined };
  const cards = state.board.shown[column];
  const gap = gapOf(height - 1);
  let line = 1;
  for (let row = topOf(state, column, { width, height: height - 1 }); row < cards.length && line <= y; row++) {
    const card = cards[row];
    const rows = card === undefined ? 0 : cardRows(card, width);
    if (y < line + rows) return { column, row };
    line += rows + gap;
  }
  return undefined;
}

/** First card that a column shows. */
export function topOf({ board }: State, column: Column, room: Size): number {
  const cards = board.shown[column];
  const top = board.at.tops[column] ?? 0;
  return board.at.column === column
    ? topFor(cards, { row: rowIn(board, column), top }, room)
    : Math.min(top, Math.max(0, cards.length - 1));
}

/** Which part is seen: of the drawer where it has the whole pane, of the list, else of the column with the cursor. */
export function boardScroll(state: State, width: number, height: number): Scroll | undefined {
  const size = { width, height };
  const { board } = state;
  const parts = partsOf(state, size);
  if (board.phase !== "ready") return undefined;
  if (board.drawer !== undefined && parts.drawer !== undefined) {
    const total = drawerLength(state, parts.drawer.width);
    return {
      top: Math.min(board.drawer.top, Math.max(0, total - parts.drawer.height)),
      shown: parts.drawer.height,
      total,
    };
  }
  if (isList(board, size)) {
    const total = Object.values(board.shown).reduce((sum, column) => sum + column.length, 0);
    return { top: listTop(board, parts.cards.height), shown: parts.cards.height, total };
  }
  return columnScroll(state, parts.cards);
}

function columnScroll(state: State, { width, height }: Size): Scroll | undefined {
  const { column } = state.board.at;
  const one = spread(state.board, width).placed.find((placed) => placed.column === column);
  if (one === undefined || one.folded) return undefined;
  const room = { width: one.width, height: height - 1 };
  const cards = state.board.shown[column];
  const top = topOf(state, column, room);
  let shown = 0;
  for (let rows = 0; top + shown < cards.length; shown++) {
    const card = cards[top + shown];
    rows += card === undefined ? 0 : cardRows(card, room.width) + (shown > 0 ? gapOf(room.height) : 0);
    if (rows > room.height) break;
  }
  return { top, shown, total: cards.length };
}
