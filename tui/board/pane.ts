import { SPIN_MS } from "../glyphs.js";
import type { PaneKind } from "../pane.js";
import type { State } from "../state.js";
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
  changesIn: agesChange,
  move: stepped,
  wants: (_before, after) => wanted(after),
  line: boardLine,
};

const MINUTE_MS = 60_000;

/** Ages are shown in seconds for a minute, then in minutes; what runs turns. */
function agesChange({ board, display, wall }: State): number | undefined {
  if (board.cards.size === 0) return undefined;
  if (board.counts.running > 0 || board.working.size > 0) return display.animation ? SPIN_MS : MINUTE_MS / 60;
  for (const { since, endedAt } of board.cards.values()) if (wall - Math.max(since, endedAt) * 1000 < MINUTE_MS) return MINUTE_MS / 60;
  return MINUTE_MS;
}
