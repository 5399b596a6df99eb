import { SPIN_MS } from "../draw/glyphs.js";
import { definePane, type Press } from "../model/define-pane.js";
import { type State, showMessage, type Updated } from "../model/state.js";
import { showRun } from "../runs/open.js";
import { boardRows } from "./board-view.js";
import { columnsOf } from "./columns.js";
import { cursorTo, rowIn, stepped } from "./cursor.js";
import { openDrawer } from "./drawer.js";
import { createBoardEffects } from "./effects.js";
import { boardLine, withFilter } from "./find.js";
import { BOARD_KEYS } from "./keys.js";
import { lacksAny, readAll, readMoreNearEnd, wantedBelow } from "./read-more.js";
import { boardReducer } from "./reducer.js";
import { showTask } from "./show.js";
import { NO_BOARD } from "./state.js";
import { drawerSpot } from "./view/drawer.js";
import { boardMarks, partsOf, type Size } from "./view/geometry.js";
import { boardScroll, hitAt } from "./view/hit.js";
import { wheeled } from "./wheel.js";

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

export default definePane({
  id: "board",
  title: "board",
  short: "brd",
  place: 2,
  keys: ["f3", "alt+2"],
  share: 45,
  initial: () => NO_BOARD,
  reducer: boardReducer,
  effects: createBoardEffects,
  bindings: BOARD_KEYS,
  subject: ({ board }) => [board.slug, ...boardMarks(board)].join(" · "),
  tab: ({ board }) => {
    const open = columnsOf({ filter: "" }).reduce(
      (sum, column) => sum + (column === "done" ? 0 : board.counts[column]),
      0,
    );
    const live = board.counts.running > 0;
    return { ...(open > 0 ? { count: open } : {}), live };
  },
  rows: boardRows,
  changesIn: agesChange,
  move: stepped,
  wants: (before, after) => [...readMoreNearEnd(after), ...wantedBelow(before, after)],
  line: boardLine,
  click: clicked,
  wheel: wheeled,
  scroll: boardScroll,
  filter: (state, words) => (words === state.board.filter ? [state, []] : readAll(withFilter(state, words))),
  isLoading: ({ board }) =>
    board.phase === "loading" || (board.filter !== "" && board.phase === "ready" && lacksAny(board)),
});

/** Ages are shown in minutes, those of what runs in seconds for the first one; what runs turns. */
function agesChange({ board, display }: State): number | undefined {
  if (board.phase !== "ready" || board.cards.size === 0) return undefined;
  if (board.columns.running.length === 0 && board.working.size === 0) return MINUTE_MS;
  return display.animation ? SPIN_MS : SECOND_MS;
}

/** What stands in the drawer: another task is shown in it, a run in its own pane. */
function pressedInDrawer(state: State, size: Size, y: number): Updated {
  const spot = drawerSpot(state, size, y);
  if (spot === undefined) return [state, []];
  if ("all" in spot) return openDrawer(state);
  const { slug, drawer } = state.board;
  if ("task" in spot) return showTask(state, slug, spot.task, true);
  const run = [...state.runs.all.values()].find(
    (one) => one.board === slug && one.task === drawer?.id && one.run === spot.run,
  );
  return run === undefined
    ? [showMessage(state, `run ${spot.run} ended more than 24 hours ago`), []]
    : showRun(state, run.id);
}

/** A press puts the cursor on a card, a second one opens it; what the drawer names is opened at once. */
function clicked(state: State, { x, y, width, height, times }: Press): Updated {
  const { cards, drawer } = partsOf(state, { width, height });
  if (drawer !== undefined && x >= cards.width) return pressedInDrawer(state, drawer, y);
  const hit = hitAt(state, { x, y }, { width, height });
  if (hit === undefined) return [state, []];
  const placed = cursorTo(state, hit.column, hit.row ?? rowIn(state.board, hit.column));
  return times > 1 && hit.row !== undefined ? openDrawer(placed) : [placed, readMoreNearEnd(placed)];
}
