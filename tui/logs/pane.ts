import { definePane } from "../model/define-pane.js";
import type { State } from "../model/state.js";
import { createLogsEffects } from "./effects.js";
import { LOGS_KEYS } from "./keys.js";
import { viewOf } from "./lens.js";
import { endOf } from "./lines.js";
import { clickedLine, moved, roomIn, topAtEnd, wanted } from "./move.js";
import { logsReducer } from "./reducer.js";
import { recordMessage } from "./said.js";
import { filtered, logLine } from "./search.js";
import { type LogName, NO_LOGS } from "./state.js";
import { subjectOf } from "./subject.js";
import { logRows } from "./view.js";

export default definePane({
  id: "logs",
  title: "logs",
  short: "log",
  place: 4,
  keys: ["f5", "alt+4"],
  initial: () => NO_LOGS,
  reducer: logsReducer,
  observe: recordMessage,
  effects: createLogsEffects,
  bindings: LOGS_KEYS,
  subject: ({ logs }) => subjectOf(logs.view),
  tab: ({ logs, focus, pane }) =>
    logs.unread > 0 && focus !== "logs" && pane !== "logs" ? { count: logs.unread, unread: true } : {},
  rows: (state, width, height) => logRows(state, "logs", width, height),
  move: (state, step) => moved(state, "logs", step),
  wants: (before, after) => wanted(before, after, "logs"),
  click: (state, { y }) => [clickedLine(state, "logs", y), []],
  line: (state) => logLine(state, "logs"),
  scroll: (state) => logScroll(state, "logs"),
  filter: (state, words) =>
    words === (state.logs.view.filter.text ?? "") ? [state, []] : filtered(state, "logs", words),
  isLoading: ({ logs }) => logs.view.phase === "loading" || logs.view.fetching,
});

/** Which part of what is here is seen. */
export function logScroll(state: State, name: LogName) {
  const view = viewOf(state, name);
  if (view === undefined || view.record !== undefined) return undefined;
  const room = roomIn(state, name);
  const top = view.follow ? topAtEnd(view, room) : view.top;
  return { top: top - view.from, shown: Math.min(room.height, endOf(view) - top), total: view.rows.length };
}
