import type { PaneKind } from "../pane.js";
import { columnsOf } from "./columns.js";
import { stepped } from "./cursor.js";
import { boardLine } from "./find.js";
import { wanted } from "./read-more.js";
import { boardMarks } from "./view/geometry.js";
import { boardRows } from "./view.js";

export const BOARD_PANE: PaneKind = {
  subject: ({ board }) => [board.slug, ...boardMarks(board)].join(" · "),
  tab: ({ board }) => {
    const open = columnsOf({ filter: "" }).reduce((sum, column) => sum + (column === "done" ? 0 : board.counts[column]), 0);
    const live = board.counts.running > 0;
    return { ...(open > 0 ? { count: open } : {}), live };
  },
  rows: boardRows,
  move: stepped,
  wants: (_before, after) => wanted(after),
  line: boardLine,
};
