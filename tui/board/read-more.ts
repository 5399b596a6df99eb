import type { Effect } from "../model/messages.js";
import type { State, Updated } from "../model/state.js";
import { COLUMNS, type Column } from "./state.js";

const AHEAD = 60; // cards before the end of what is here

/** What has to be asked for because the cursor nears the end of what is here of its column. */
export function readMoreNearEnd({ board }: State): readonly Effect[] {
  const { column } = board.at;
  const near = (board.at.rows[column] ?? 0) + AHEAD >= board.shown[column].length;
  return near && board.phase === "ready" && lacks(board, column) ? [more(board, column, false)] : [];
}

/** The same for the columns without the cursor that were scrolled. */
export function wantedBelow(before: State, { board }: State): readonly Effect[] {
  if (board.phase !== "ready" || before.board.at.tops === board.at.tops) return [];
  const scrolled = COLUMNS.filter((one) => one !== board.at.column && before.board.at.tops[one] !== board.at.tops[one]);
  return scrolled
    .filter((column) => (board.at.tops[column] ?? 0) + AHEAD >= board.shown[column].length && lacks(board, column))
    .map((column) => more(board, column, false));
}

/** Everything is asked for: what is searched or filtered must be here. */
export function readAll(state: State): Updated {
  const { board } = state;
  if (board.phase !== "ready") return [state, []];
  const columns = lacking(board);
  return [state, columns.map((column) => more(board, column, true))];
}

type Board = State["board"];

const lacking = (board: Board): readonly Column[] =>
  COLUMNS.filter((column) => (column !== "archived" || board.filter.includes("archived")) && lacks(board, column));

/** Not everything is here that a filter may let through. */
export const lacksAny = (board: Board): boolean => lacking(board).length > 0;

const lacks = (board: Board, column: Column): boolean => board.columns[column].length < board.counts[column];

const more = (board: Board, column: Column, all: boolean): Effect => ({
  do: "board.more",
  slug: board.slug,
  column,
  last: board.edges[column],
  all,
});
