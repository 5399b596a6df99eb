import { EMPTY, replaceAll } from "../composer/editor.js";
import { roomOf } from "../logs/lens.js";
import type { PaneLine, Step } from "../model/define-pane.js";
import { type State, showMessage, type Updated } from "../model/state.js";
import { hasText, placeOf, withRuns } from "./list.js";
import type { RunsState } from "./state.js";

export const withList = (state: State, change: Partial<RunsState>): State => ({
  ...state,
  runs: { ...state.runs, ...change },
});

/** Rows that the list has: its last one is that of the line, where one is open. */
export const listHeight = ({ line, search }: RunsState, height: number): number =>
  Math.max(1, line === undefined && search === "" ? height : height - 1);

/** First row that is shown so that the cursor is seen; it moves as little as can be. */
export function topOf(runs: RunsState, height: number): number {
  const at = placeOf(runs);
  const most = Math.max(0, runs.shown.length - height);
  return Math.max(0, Math.min(Math.max(Math.min(runs.top, at), at - height + 1), most));
}

const STEPS = (page: number): Readonly<Record<Step, number>> => ({
  up: -1,
  down: 1,
  pageUp: -page,
  pageDown: page,
  halfUp: -(page >> 1 || 1),
  halfDown: page >> 1 || 1,
  first: -1e9,
  last: 1e9,
});

export function listMoved(state: State, step: Step): State {
  const { runs } = state;
  const height = listHeight(runs, roomOf(state, "runs").height);
  const at = placeOf(runs) + STEPS(Math.max(1, height - 1))[step];
  return toPlace(state, Math.min(runs.shown.length - 1, Math.max(0, at)));
}

function toPlace(state: State, at: number): State {
  const cursor = state.runs.shown[at]?.id;
  const next = withList(state, { cursor });
  return withList(next, { top: topOf(next.runs, listHeight(next.runs, roomOf(state, "runs").height)) });
}

/** The list with other rules of what is shown. */
export const refilter = (state: State, change: Partial<RunsState>): State => {
  const runs = { ...state.runs, ...change };
  return { ...state, runs: withRuns(runs, runs.all) };
};

export function openListLine(state: State, kind: "search" | "filter"): Updated {
  const before = kind === "search" ? state.runs.search : state.runs.filter;
  const editor = kind === "filter" ? replaceAll(EMPTY, before) : EMPTY;
  return [withList(state, { line: { kind, editor, before } }), []];
}

/** What is typed at the foot of the list. */
export function listLine(state: State): PaneLine | undefined {
  const { line } = state.runs;
  if (line === undefined) return undefined;
  const { kind, before } = line;
  return {
    editor: line.editor,
    changed: (editor) => {
      const typed = { line: { ...line, editor } };
      if (kind === "filter") return [refilter(state, { ...typed, filter: editor.text }), []];
      const next = withList(state, { ...typed, search: editor.text });
      return [found(next, 1, true) ?? next, []];
    },
    taken: () => [withList(state, { line: undefined }), []],
    dropped: () => [
      refilter(state, { line: undefined, ...(kind === "search" ? { search: before } : { filter: before }) }),
      [],
    ],
  };
}

/** The next run that has what is searched, round the end. */
export function nextRun(state: State, by: 1 | -1): Updated {
  if (state.runs.search === "") return [showMessage(state, "no search yet; press / to search"), []];
  return [found(state, by, false) ?? showMessage(state, `no run matches "${state.runs.search}"`, true), []];
}

function found(state: State, by: 1 | -1, here: boolean): State | undefined {
  const { shown, search } = state.runs;
  const wanted = search.toLowerCase();
  if (wanted === "") return undefined;
  const from = placeOf(state.runs);
  for (let step = here ? 0 : 1; step <= shown.length; step++) {
    const at = (from + by * step + shown.length * 2) % Math.max(1, shown.length);
    const row = shown[at];
    if (row !== undefined && hasText(row, wanted)) return toPlace(state, at);
  }
  return undefined;
}

/** A press of the mouse: the cursor goes to its row. */
export function clickedRow(state: State, y: number, height: number): State {
  const at = topOf(state.runs, listHeight(state.runs, height)) + y;
  return at < state.runs.shown.length ? toPlace(state, at) : state;
}
