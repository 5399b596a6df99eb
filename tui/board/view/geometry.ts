import { wrap } from "../../draw/canvas.js";
import { layoutOf } from "../../layout/layout.js";
import type { State } from "../../model/state.js";
import { columnsOf } from "../columns.js";
import type { BoardState, Column, TaskCard } from "../state.js";

const MIN_COLUMN = 18; // workspace part, 6.1
const LIST_BELOW = 60;
const DRAWER_BESIDE = 90; // narrower, the drawer has the whole pane
const AIRY_FROM = 24; // rows from which cards stand apart
export const EDGE = 2; // cells of « and »
const TITLE_ROWS = 2;

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** What the pane may fill at this moment; the last row is of the line that is typed in. */
export function paneSize(state: State): Size {
  const box = layoutOf(state).panes.find(({ pane }) => pane === "board")?.inside;
  return { width: box?.width ?? state.columns, height: box?.height ?? state.rows };
}

/** What holds for the whole board and has no place on a card: it stands in the title, or below the cards without a title. */
export function boardMarks({ paused, filter, marked, search }: BoardState): readonly string[] {
  return [
    ...(paused === undefined ? [] : [paused.reason === "" ? "paused" : `paused: ${paused.reason}`]),
    ...(filter === "" ? [] : [`filter ${filter}`]),
    ...(search === "" ? [] : [`/${search}`]),
    ...(marked.size === 0 ? [] : [`${marked.size} marked`]),
  ];
}

/** The last row is taken: by the line that is typed in, or by what the title would say. */
function hasFoot(state: State): boolean {
  if (state.board.line !== undefined) return true;
  const framed = layoutOf(state).panes.find(({ pane }) => pane === "board")?.border === true;
  return !framed && boardMarks(state.board).length > 0;
}

/** How the pane is divided: cards at the left, the drawer at the right or over all of it. */
export function partsOf(
  state: State,
  { width, height }: Size,
): { readonly cards: Size; readonly drawer: Size | undefined } {
  const { drawer } = state.board;
  const rows = Math.max(1, height - (hasFoot(state) ? 1 : 0));
  if (drawer === undefined) return { cards: { width, height: rows }, drawer: undefined };
  if (width < DRAWER_BESIDE) return { cards: { width: 0, height: rows }, drawer: { width, height: rows } };
  const half = Math.floor(width / 2);
  return { cards: { width: width - half, height: rows }, drawer: { width: half, height: rows } };
}

/** One line per task: where it was asked for, and where columns do not fit. With the drawer beside it the pane counts as a whole. */
export const isList = (board: BoardState, { width }: Size): boolean => board.view === "list" || width < LIST_BELOW;

export interface Placed {
  readonly column: Column;
  readonly width: number;
  /** Only its head is shown. */
  readonly folded: boolean;
}

export interface Spread {
  readonly placed: readonly Placed[];
  /** Number of the first column that is shown. */
  readonly left: number;
  readonly before: boolean;
  readonly after: boolean;
}

const headCells = ({ counts }: BoardState, column: Column): number => `${column} ${counts[column]}`.length + 1;

/** Which columns are shown and how wide: all of them, or empty ones as their heads, or those around the one with the cursor. */
export function spread(board: BoardState, width: number): Spread {
  const all = columnsOf(board);
  if (all.length * MIN_COLUMN <= width) return { ...whole, placed: shared(all, [], width, board) };
  const empty = all.filter((column) => board.counts[column] === 0);
  const least = least0(board, all, empty);
  if (least <= width) return { ...whole, placed: shared(all, empty, width, board) };
  return sideways(board, all, empty, width);
}

const whole = { left: 0, before: false, after: false };

const least0 = (board: BoardState, columns: readonly Column[], empty: readonly Column[]): number =>
  columns.reduce((sum, column) => sum + (empty.includes(column) ? headCells(board, column) : MIN_COLUMN), 0);

function sideways(board: BoardState, all: readonly Column[], empty: readonly Column[], width: number): Spread {
  const focus = Math.max(0, all.indexOf(board.at.column));
  const inner = Math.max(MIN_COLUMN, width - 2 * EDGE);
  const until = (from: number): number => {
    let to = from;
    while (to < all.length && least0(board, all.slice(from, to + 1), empty) <= inner) to += 1;
    return Math.max(to, from + 1);
  };
  let left = Math.min(board.left, focus);
  while (until(left) <= focus) left += 1;
  while (left > 0 && until(left - 1) === all.length) left -= 1;
  const to = until(left);
  const before = left > 0;
  const after = to < all.length;
  const room = width - (before ? EDGE : 0) - (after ? EDGE : 0);
  return { placed: shared(all.slice(left, to), empty, room, board), left, before, after };
}

/** Folded columns have the width of their head; the others share what is left, the first ones the odd cells. */
function shared(
  columns: readonly Column[],
  empty: readonly Column[],
  width: number,
  board: BoardState,
): readonly Placed[] {
  const folded = columns.filter((column) => empty.includes(column));
  const open = columns.length - folded.length;
  const rest = width - folded.reduce((sum, column) => sum + headCells(board, column), 0);
  const each = open === 0 ? 0 : Math.floor(rest / open);
  let odd = open === 0 ? 0 : rest - each * open;
  return columns.map((column) => {
    if (folded.includes(column)) return { column, width: headCells(board, column), folded: true };
    const more = odd > 0 ? 1 : 0;
    odd -= more;
    return { column, width: each + more, folded: false };
  });
}

/** Lines of a card's title: at most two. */
export function titleLines({ title }: TaskCard, width: number): readonly string[] {
  const lines = wrap(title, Math.max(1, width));
  if (lines.length <= TITLE_ROWS) return lines;
  return [...lines.slice(0, TITLE_ROWS - 1), lines.slice(TITLE_ROWS - 1).join(" ")];
}

/** Rows between two cards. */
export const gapOf = (height: number): number => (height >= AIRY_FROM ? 1 : 0);

/** Rows that a card takes in a column of this width. */
export const cardRows = (card: TaskCard, width: number): number =>
  2 + Math.min(TITLE_ROWS, titleLines(card, width - 2).length);

/** The first card to show so that the one with the cursor is seen, as near to the one that was first as can be. */
export function topFor(
  cards: readonly TaskCard[],
  { row, top }: { row: number; top: number },
  { width, height }: Size,
): number {
  const last = Math.min(row, cards.length - 1);
  let first = Math.max(0, Math.min(top, last));
  const gap = gapOf(height);
  let rows = 0;
  // From the cursor up: what does not fit above it is not shown.
  for (let at = last; at >= first; at--) {
    const card = cards[at];
    rows += card === undefined ? 0 : cardRows(card, width) + (at < last ? gap : 0);
    if (rows > height && at < last) return at + 1;
  }
  // What would be empty at the end is filled from above.
  while (first > 0 && rowsFrom(cards, first - 1, width, gap) <= height) first -= 1;
  return first;
}

/** Rows from a card to the end; more than a screen is not counted. */
function rowsFrom(cards: readonly TaskCard[], from: number, width: number, gap: number): number {
  if (cards.length - from > 200) return Number.POSITIVE_INFINITY;
  let rows = 0;
  for (let at = from; at < cards.length; at++) {
    const card = cards[at];
    rows += card === undefined ? 0 : cardRows(card, width) + (at > from ? gap : 0);
  }
  return rows;
}
