import type { Effect } from "../messages.js";
import type { State, Updated } from "../state.js";
import { COLUMNS, type Column } from "./state.js";

const AHEAD = 60; // cards before the end of what is here

/** What has to be asked for because the cursor nears the end of what is here of its column. */
export function wanted({ board }: State): readonly Effect[] {
  const { column } = board.at;
  const near = (board.at.rows[column] ?? 0) + AHEAD >= board.shown[column].length;
  return near && board.phase === "ready" && lacks(board, column) ? [more(board, column, false)] : [];
}

/** Everything is asked for: what is searched or filtered must be here. */
export function readAll(state: State): Updated {
  const { board } = state;
  if (board.phase !== "ready") return [state, []];
  const columns = COLUMNS.filter((column) => (column !== "archived" || board.filter.includes("archived")) && lacks(board, column));
  return [state, columns.map((column) => more(board, column, true))];
}

type Board = State["board"];

const lacks = (board: Board, column: Column): boolean => board.columns[column].length < board.counts[column];

const more = (board: Board, column: Column, all: boolean): Effect => ({
  do: "board.more",
  slug: board.slug,
  column,
  last: board.edges[column],
  all,
});
