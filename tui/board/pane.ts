import type { PaneKind } from "../pane.js";
import { boardRows } from "./view.js";

export const BOARD_PANE: PaneKind = {
  subject: (state) => state.board.slug,
  tab: ({ board }) => (board.tasks.state === "ready" && board.tasks.rows.length > 0 ? { count: board.tasks.rows.length } : {}),
  rows: boardRows,
  move: (state, step) => {
    const by = { up: -1, down: 1, pageUp: -8, pageDown: 8, halfUp: -4, halfDown: 4, first: -1e6, last: 1e6 }[step];
    const { cursor } = state.board;
    return { ...state, board: { ...state.board, cursor: { ...cursor, row: Math.max(0, cursor.row + by) } } };
  },
};
