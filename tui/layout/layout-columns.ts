import type { State } from "../model/state.js";
import { MAIN_PANE, SIDE_PANES, sharesOf } from "./layout-split.js";

const WIDE = { columns: 160, rows: 30 }; // workspace part, 2.1
/** Rows of a pane at the right, its frame counted. */
export const LEAST_ROWS = 4;
const BARS = 2;
const LEAST_CHAT = 80;
const LEAST_RIGHT = 30;

/** There is room for all panes side by side. */
export const isWide = ({ columns, rows }: Pick<State, "columns" | "rows">): boolean =>
  columns >= WIDE.columns && rows >= Math.max(WIDE.rows, SIDE_PANES.length * LEAST_ROWS + BARS);

/** All panes are seen, each in its frame. */
export const isFramed = (state: State): boolean => isWide(state) && !state.zoom && state.inline === undefined;

/** Columns of the chat's frame: at least 80, and enough left for the others. */
export function chatColumns(state: State): number {
  const { columns } = state;
  const share = sharesOf(state).get(MAIN_PANE) ?? 0;
  return Math.min(Math.max(LEAST_CHAT, Math.floor((columns * share) / 100)), columns - LEAST_RIGHT);
}

/** Columns of the composer, and of what stands above it. */
export const composerColumns = (state: State): number => (isFramed(state) ? chatColumns(state) - 2 : state.columns);
