import { SPIN_MS } from "../glyphs.js";
import type { PaneKind, Press } from "../pane.js";
import type { State, Updated } from "../state.js";
import { columnsOf } from "./columns.js";
import { cursorTo, rowIn, stepped } from "./cursor.js";
import { openDrawer } from "./drawer.js";
import { boardLine } from "./find.js";
import { wanted } from "./read-more.js";
import { boardMarks } from "./view/geometry.js";
import { boardScroll, hitAt } from "./view/hit.js";
import { boardRows } from "./view.js";

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

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
  click: clicked,
  scroll: boardScroll,
};

/** Ages are shown in minutes, those of what runs in seconds for the first one; what runs turns. */
function agesChange({ board, display }: State): number | undefined {
  if (board.phase !== "ready" || board.cards.size === 0) return undefined;
  if (board.columns.running.length === 0 && board.working.size === 0) return MINUTE_MS;
  return display.animation ? SPIN_MS : SECOND_MS;
}

/** A press puts the cursor on a card, a second one opens it. */
function clicked(state: State, { x, y, width, height, times }: Press): Updated {
  const hit = hitAt(state, { x, y }, { width, height });
  if (hit === undefined) return [state, []];
  const placed = cursorTo(state, hit.column, hit.row ?? rowIn(state.board, hit.column));
  return times > 1 && hit.row !== undefined ? openDrawer(placed) : [placed, wanted(placed)];
}
