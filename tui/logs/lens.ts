import { layoutOf } from "../layout/layout.js";
import type { Pane } from "../model/panes.gen.js";
import type { State } from "../model/state.js";
import type { LogName, LogView } from "./state.js";

/** The log that is looked at under a name. */
export const viewOf = (state: State, name: LogName): LogView | undefined =>
  name === "logs" ? state.logs.view : state.runs.opened?.log;

/** The same in another state. */
export function withView(state: State, name: LogName, view: LogView): State {
  if (name === "logs") return { ...state, logs: { ...state.logs, view } };
  const { opened } = state.runs;
  return opened === undefined ? state : { ...state, runs: { ...state.runs, opened: { ...opened, log: view } } };
}

/** The log that keys mean: in the pane of runs it is the output of the opened one. */
export const nameAt = (state: State): LogName => (state.focus === "runs" ? "run" : "logs");

/** What a pane may fill; as much as the screen gives while another one is shown. */
export function roomOf(state: State, pane: Pane): { readonly width: number; readonly height: number } {
  const inside = layoutOf(state).panes.find((one) => one.pane === pane)?.inside;
  return { width: Math.max(1, inside?.width ?? state.columns), height: Math.max(1, inside?.height ?? state.rows - 6) };
}

const LOW = 5; // a pane that is lower gives no row away

/** Rows for lines; the last one is that of the search, the filter and the end. */
export const bodyOf = (height: number): number => (height >= LOW ? height - 1 : height);

/** Nothing names the pane: it has no frame whose head could. */
export const isBare = (state: State, pane: Pane): boolean =>
  layoutOf(state).panes.some((one) => one.pane === pane && !one.border);
