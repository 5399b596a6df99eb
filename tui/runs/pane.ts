import type { PaneKind } from "../pane.js";
import { runRows } from "./view.js";

export const RUNS_PANE: PaneKind = {
  subject: () => "",
  tab: ({ runs }) => {
    const live = runs.rows.state === "ready" ? runs.rows.rows.filter((run) => run.endedAt === null).length : 0;
    return live === 0 ? {} : { count: live, live: true };
  },
  rows: (state, width, height) => runRows(state, width).slice(state.runs.top, state.runs.top + height),
  move: (state, step) => {
    const by = { up: -1, down: 1, pageUp: -8, pageDown: 8, halfUp: -4, halfDown: 4, first: -1e6, last: 1e6 }[step];
    const most = state.runs.rows.state === "ready" ? Math.max(0, state.runs.rows.rows.length - 1) : 0;
    return { ...state, runs: { ...state.runs, top: Math.min(most, Math.max(0, state.runs.top + by)) } };
  },
};
