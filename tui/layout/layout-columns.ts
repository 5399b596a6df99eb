import type { State } from "../model/state.js";
import { splitOf } from "./layout-split.js";

const WIDE = { columns: 160, rows: 30 }; // workspace part, 2.1
const LEAST_CHAT = 80;
const LEAST_RIGHT = 30;

/** There is room for four panes. */
export const isWide = ({ columns, rows }: Pick<State, "columns" | "rows">): boolean =>
  columns >= WIDE.columns && rows >= WIDE.rows;

/** Four panes are seen, each in its frame. */
export const isFramed = (state: State): boolean => isWide(state) && !state.zoom && state.inline === undefined;

/** Columns of the chat's frame: at least 80, and enough left for the others. */
export const chatColumns = (columns: number, share: number): number =>
  Math.min(Math.max(LEAST_CHAT, Math.floor((columns * share) / 100)), columns - LEAST_RIGHT);

/** Columns of the composer, and of what stands above it. */
export const composerColumns = (state: State): number =>
  isFramed(state) ? chatColumns(state.columns, splitOf(state).chat) - 2 : state.columns;
