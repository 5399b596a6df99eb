import type { Field } from "../bars/field.js";
import { THEME } from "../draw/theme.js";
import { clickedLine, moved, wanted } from "../logs/move.js";
import { logLine } from "../logs/search.js";
import { subjectOf } from "../logs/subject.js";
import { definePane, type Press, type Step, type Tab } from "../model/define-pane.js";
import type { State, Updated } from "../model/state.js";
import { createRunsEffects } from "./effects.js";
import { RUNS_KEYS } from "./keys.js";
import { liveRuns } from "./list.js";
import { clickedRow, listLine, listMoved, refilter } from "./list-move.js";
import { openRun } from "./open.js";
import { runsReducer } from "./reducer.js";
import { NO_RUNS } from "./state.js";
import { transcriptLine, transcriptMoved, transcriptTurned, transcriptWants } from "./transcript.js";
import { aspectAt, runRows, runScroll } from "./view.js";

const SECOND_MS = 1_000;

export default definePane({
  id: "runs",
  title: "runs",
  short: "run",
  place: 3,
  keys: ["f4", "alt+3"],
  share: 30,
  initial: () => NO_RUNS,
  reducer: runsReducer,
  effects: createRunsEffects,
  bindings: RUNS_KEYS,
  subject,
  tab,
  rows: runRows,
  changesIn: (state) => (liveRuns(state) > 0 ? SECOND_MS : undefined),
  move: runMoved,
  wants: (before, after) =>
    after.runs.opened?.aspect === "transcript" ? transcriptWants(before, after) : wanted(before, after, "run"),
  click: clicked,
  wheel: (state, by) =>
    state.runs.opened?.aspect === "transcript" ? transcriptTurned(state, by) : rowsMoved(state, by),
  scroll: runScroll,
  line: (state) => {
    const { opened } = state.runs;
    if (opened === undefined) return listLine(state);
    return opened.aspect === "log"
      ? logLine(state, "run")
      : opened.aspect === "transcript"
        ? transcriptLine(state)
        : undefined;
  },
  status: (state): readonly Field[] => {
    const { count = 0, live = false } = tab(state);
    return live && count > 0 ? [{ spans: [[THEME.status, `runs ${count}`]] }] : [];
  },
  // The conversation of an opened run is that of a worker or a child, to be read only.
  heading: (state) => (state.runs.opened === undefined ? undefined : subject(state)),
  filter: (state, words) => [words === state.runs.filter ? state : refilter(state, { filter: words }), []],
});

function tab(state: State): Tab {
  const live = liveRuns(state);
  const unread = [...state.runs.all.values()].some(({ waits }) => waits);
  return live === 0 ? {} : { count: live, live: true, unread };
}

function rowsMoved(state: State, by: number): State {
  let next = state;
  for (let step = 0; step < Math.abs(by); step++) next = runMoved(next, by < 0 ? "up" : "down");
  return next;
}

/** The head of an opened run takes a row. A double click opens. */
function clicked(state: State, { x, y, width, height, times }: Press): Updated {
  const { opened } = state.runs;
  const aspect = opened === undefined || y > 0 ? undefined : aspectAt(x, width);
  if (aspect !== undefined) return openRun(aspect)(state);
  if (opened?.aspect === "log") return [clickedLine(state, "run", y - 1), []];
  if (opened !== undefined) return [state, []];
  const next = clickedRow(state, y, height);
  return times === 2 ? openRun()(next) : [next, []];
}

function subject(state: State): string {
  const { runs } = state;
  if (runs.opened !== undefined) {
    const row = runs.all.get(runs.opened.id);
    const title =
      row === undefined ? "" : row.kind === "task" ? `${row.task} ${row.title}` : `${row.kind} ${row.title}`;
    const kind = row?.kind === "task" ? " [worker]" : "";
    const filter =
      runs.opened.aspect === "log" && runs.opened.log?.filter.text !== undefined
        ? ` · ${subjectOf(runs.opened.log)}`
        : "";
    return `${title}${kind}${filter}`;
  }
  const live = liveRuns(state);
  return [
    `${live} active`,
    ...(runs.ended ? [] : ["active only"]),
    ...(runs.filter === "" ? [] : [`filter ${runs.filter}`]),
    ...(runs.marked.size === 0 ? [] : [`${runs.marked.size} marked`]),
  ].join(" · ");
}

function runMoved(state: State, step: Step): State {
  const { opened } = state.runs;
  if (opened === undefined) return listMoved(state, step);
  if (opened.aspect === "transcript") return transcriptMoved(state, step);
  if (opened.aspect === "log") return moved(state, "run", step);
  const by = { up: -1, down: 1, pageUp: -8, pageDown: 8, halfUp: -4, halfDown: 4, first: -1e6, last: 200 }[step];
  const top = Math.min(Math.max(0, opened.top + by), Math.max(0, (opened.facts?.length ?? 0) - 1));
  return { ...state, runs: { ...state.runs, opened: { ...opened, top } } };
}
