import type { Binding, State, Updated } from "../model/state.js";
import { showMessage } from "../model/state.js";
import { showRun } from "../runs/open.js";
import { columnsOf } from "./columns.js";
import { cursorTo, findSelectedCard, inSight, rowIn, sideways, withBoard } from "./cursor.js";
import { archive } from "./dialogs/archive.js";
import { assign } from "./dialogs/assign.js";
import { boards } from "./dialogs/boards.js";
import { subjectCard, withCard } from "./dialogs/dialog.js";
import { comment, edit, priority } from "./dialogs/edit.js";
import { links } from "./dialogs/links.js";
import { block, complete, openMoves, step } from "./dialogs/move.js";
import { create } from "./dialogs/new.js";
import { plan } from "./dialogs/plan.js";
import { closeDrawer, lookAt, openDrawer } from "./drawer.js";
import { nextHit, openBoardLine, withFilter } from "./find.js";
import { readMoreNearEnd } from "./read-more.js";

type Act = (state: State) => Updated;
type Row = readonly [id: string, keys: readonly string[], label: string, act: Act, hint?: string];

/** To another column; with the drawer open it shows the task there. */
const column =
  (by: 1 | -1): Act =>
  (state) => {
    const [next, effects] = sideways(state, by);
    return withDrawer(next, effects);
  };

/** The next or previous task of the column; with the drawer open that one is shown. */
const neighbour =
  (by: 1 | -1): Act =>
  (state) => {
    const { column: at } = state.board.at;
    const row = Math.max(0, Math.min(state.board.shown[at].length - 1, rowIn(state.board, at) + by));
    const next = cursorTo(state, at, row);
    return withDrawer(next, readMoreNearEnd(next));
  };

function withDrawer(state: State, effects: Updated[1]): Updated {
  const card = findSelectedCard(state.board);
  if (state.board.drawer === undefined || card === undefined || card.id === state.board.drawer.id)
    return [state, effects];
  const [next, more] = lookAt(state, card.id);
  return [next, [...effects, ...more]];
}

const mark: Act = (state) => {
  const card = subjectCard(state.board);
  if (card === undefined) return [state, []];
  const marked = new Set(state.board.marked);
  if (!marked.delete(card.id)) marked.add(card.id);
  return [withBoard(state, { marked }), []];
};

const markAll: Act = (state) => {
  const shown = columnsOf(state.board).flatMap((one) =>
    one === "done" && state.board.filter === "" ? [] : state.board.shown[one],
  );
  return [withBoard(state, { marked: new Set(shown.map((card) => card.id)) }), []];
};

const view: Act = (state) => {
  const next = state.board.view === "list" ? "columns" : "list";
  return [inSight(withBoard(state, { view: next })), []];
};

const copy = withCard((state, card) => {
  const detail = state.board.drawer?.id === card.id ? state.board.drawer.detail : undefined;
  const text =
    detail === undefined
      ? `${card.id} ${card.title}`
      : [detail.title, detail.body].filter((part) => part !== "").join("\n\n");
  return [state, [{ do: "copy", text }]];
});

/** The newest run of the task at hand, in the pane of runs. */
const toRun = withCard((state, card) => {
  const own = [...state.runs.all.values()].filter((row) => row.board === state.board.slug && row.task === card.id);
  const newest = own.reduce(
    (last, row) => (last === undefined || row.startedAt >= last.startedAt ? row : last),
    own[0],
  );
  return newest === undefined
    ? [showMessage(state, `${card.id} has had no run in the last 24 hours`), []]
    : showRun(state, newest.id);
});

/** What Escape ends, the nearest first; with nothing of it the focus goes to the composer. */
const endable = ({ board }: State): boolean =>
  board.drawer !== undefined || board.search !== "" || board.filter !== "" || board.marked.size > 0;

const end: Act = (state) => {
  const { board } = state;
  if (board.drawer !== undefined) return closeDrawer(state);
  if (board.search !== "") return [withBoard(state, { search: "" }), []];
  if (board.filter !== "") return [withFilter(state, ""), []];
  return [withBoard(state, { marked: new Set() }), []];
};

const ROWS: readonly Row[] = [
  ["open", ["enter"], "open the task; again: show all its runs", openDrawer, "Enter open"],
  ["new", ["a"], "new task", create(false), "a new"],
  ["newTriage", ["A"], "new task in triage", create(true)],
  ["move", ["m"], "move", openMoves, "m move"],
  ["moveLeft", ["<"], "move to the column on the left", step(-1)],
  ["moveRight", [">"], "move to the column on the right", step(1)],
  ["assign", ["@"], "assign", assign, "@ assign"],
  ["comment", ["c"], "comment", comment, "c comment"],
  ["edit", ["e"], "edit title and body", edit, "e edit"],
  ["priority", ["p"], "priority", priority],
  ["block", ["b"], "block, or unblock", block],
  ["complete", ["D"], "complete", complete],
  ["archive", ["x"], "archive", archive],
  ["specify", ["s"], "specify a triage task", plan("specify")],
  ["decompose", ["S"], "decompose a triage task", plan("decompose")],
  ["links", ["L"], "parents and children", links],
  ["run", ["o"], "go to the run", toRun],
  ["boards", ["B"], "switch boards", boards],
  ["view", ["V"], "columns or list", view, "V list"],
  ["left", ["left", "h"], "column left", column(-1)],
  ["right", ["right", "l"], "column right", column(1)],
  ["nextTask", ["J"], "next task, also while one is open", neighbour(1)],
  ["prevTask", ["K"], "previous task, also while one is open", neighbour(-1)],
  ["mark", ["space", " "], "mark for a bulk action", mark],
  ["markAll", ["*"], "mark all shown", markAll],
  ["markNone", ["-"], "mark none", (state) => [withBoard(state, { marked: new Set() }), []]],
  ["search", ["/"], "search", (state) => openBoardLine(state, "search"), "/ search"],
  ["next", ["n"], "next match", (state) => nextHit(state, 1)],
  ["prev", ["N"], "previous match", (state) => nextHit(state, -1)],
  [
    "filter",
    ["f"],
    "filter (words, @assignee, #tenant, archived)",
    (state) => openBoardLine(state, "filter"),
    "f filter",
  ],
  ["copy", ["y"], "copy the task", copy],
  ["copyId", ["Y"], "copy the id", withCard((state, card) => [state, [{ do: "copy", text: card.id, what: card.id }]])],
];

/** Keys of the board pane (workspace part, 3.2). */
export const BOARD_KEYS: readonly Binding[] = [
  ...ROWS.map(
    ([id, keys, label, act, hint]): Binding => ({
      id: `board.${id}`,
      context: "board",
      keys,
      label,
      act,
      ...(hint === undefined ? {} : { hint }),
    }),
  ),
  {
    id: "board.end",
    context: "board",
    keys: ["escape"],
    label: "close, clear",
    hint: "Esc back",
    when: endable,
    act: end,
  },
];
