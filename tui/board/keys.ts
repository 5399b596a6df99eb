import type { Binding, State } from "../state.js";
import { COLUMNS } from "./state.js";

const column = (state: State, by: number): State => ({
  ...state,
  board: { ...state.board, cursor: { column: Math.min(COLUMNS.length - 1, Math.max(0, state.board.cursor.column + by)), row: 0 } },
});

/** Keys of the board pane (workspace part, 3.2). */
export const BOARD_KEYS: readonly Binding[] = [
  { id: "board.left", context: "board", keys: ["left", "h"], label: "column left", act: (state) => [column(state, -1), []] },
  { id: "board.right", context: "board", keys: ["right", "l"], label: "column right", act: (state) => [column(state, 1), []] },
];
