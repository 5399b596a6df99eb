import { sanitizeLine } from "../draw/sanitize.js";
import type { Message } from "../model/messages.js";
import type { Reducer, State, Updated } from "../model/state.js";
import { viewOf, withView } from "./lens.js";
import { trimmed, withLines, withNote, withOlder } from "./lines.js";
import type { LogsMessage } from "./messages.js";
import { toRow } from "./row.js";
import { mergeMessages } from "./said.js";
import { sourceChosen } from "./source.js";
import { type LogName, type LogView, newView } from "./state.js";

/** The pane of logs, and the output of a run that is opened. */
export const logsReducer: Reducer = (state, message) => {
  switch (message.type) {
    case "log.begin":
    case "log.lines":
    case "log.older":
    case "log.failed": {
      const view = viewOf(state, message.name);
      if (view === undefined) return undefined;
      const begins = message.type === "log.begin" && message.name === "logs" && !isShown(view);
      const given = fed(view, message);
      const next = unread(
        withView(state, message.name, begins ? mergeMessages(given, state.logs.said) : given),
        message,
      );
      return message.type === "log.begin" || message.type === "log.older" ? fetched(next, message.name) : [next, []];
    }
    case "picked":
      return message.asker === "logs.source"
        ? sourceChosen({ ...state, overlay: undefined }, message.value, message.subject["output"])
        : undefined;
    case "connection":
      return message.state === "lost" ? lost(state) : undefined;
    default:
      return undefined;
  }
};

const FEWEST = 200; // a filter that lets little through is looked for further back

/** As long as there is little to see, more is asked for. */
function fetched(state: State, name: LogName): Updated {
  const view = viewOf(state, name);
  if (
    view === undefined ||
    view.phase !== "ready" ||
    view.before === null ||
    view.fetching ||
    view.rows.length >= FEWEST
  )
    return [state, []];
  const effect = { do: "log.more", name, filter: view.filter, before: view.before } as const;
  return [withView(state, name, { ...view, fetching: true }), [effect]];
}

/** Lines of it are here: what comes goes on with them. */
const isShown = ({ phase, rows }: LogView): boolean => phase === "ready" && rows.length > 0;

function fed(view: LogView, message: LogsMessage): LogView {
  switch (message.type) {
    case "log.begin":
      return isShown(view) ? goneOn(view, message.lines) : begun(view, message);
    case "log.lines":
      return withLines(view, message.lines, message.missing);
    case "log.older":
      return trimmed(withOlder(view, message.lines, message.before));
    case "log.failed":
      return view.phase === "ready"
        ? { ...withNote(view, sanitizeLine(message.message)), fetching: false }
        : { ...view, phase: "failed", error: sanitizeLine(message.message) };
  }
}

function begun(view: LogView, { lines, before, exists }: Extract<LogsMessage, { type: "log.begin" }>): LogView {
  const rows = lines.map((line) => toRow(line, view.filter.source));
  const { search, line } = view;
  return { ...newView(view.filter), phase: "ready", rows, before, exists, search, line };
}

/** After a lost connection the log goes on where it was left; what is read stays where it is. */
function goneOn(view: LogView, lines: readonly string[]): LogView {
  const last = view.rows.findLast((row) => !row.note)?.line;
  const at = last === undefined ? -1 : lines.lastIndexOf(last);
  const gap = at < 0 && lines.length > 0 ? withNote(view, "… lines are missing here") : view;
  return { ...withLines(gap, lines.slice(at + 1), 0), fetching: false };
}

/** Errors of the owner that come while another pane is looked at. */
function unread(state: State, message: Message): State {
  if (message.type !== "log.lines" || message.name !== "logs") return state;
  const seen = state.focus === "logs" || state.pane === "logs";
  const more = seen
    ? 0
    : state.logs.unread + message.lines.filter((line) => toRow(line, "owner").level === "error").length;
  return more === state.logs.unread ? state : { ...state, logs: { ...state.logs, unread: more } };
}

const LOST = "connection lost";

/** What was read stays; a line says since when nothing comes. */
function lost(state: State): Updated | undefined {
  const { view } = state.logs;
  if (view.phase !== "ready" || view.rows.at(-1)?.text.startsWith(LOST) === true) return undefined;
  const note = `${LOST} ${new Date(state.wall).toTimeString().slice(0, 8)}`;
  return [withView(state, "logs", withNote(view, note)), []];
}
