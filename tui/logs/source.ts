import type { LogFilter, LogLevel } from "../../lib/contracts/ui/log-lines.js";
import { type State, showMessage, type Updated } from "../model/state.js";
import type { PickItem, PickOverlay } from "../overlays/pick/state.js";
import type { RunRow } from "../runs/state.js";
import { viewOf, withView } from "./lens.js";
import { type LogName, newView } from "./state.js";

/** Another look: the old lines go, those of the new filter are asked for. */
export function followLog(state: State, name: LogName, filter: LogFilter): Updated {
  const before = viewOf(state, name);
  const view = { ...newView(filter), search: before?.search ?? "" };
  return [withView(state, name, view), [{ do: "log.follow", name, filter }]];
}

/** This level and those above. */
export const withLevel =
  (level: LogLevel) =>
  (state: State): Updated =>
    followLog(state, "logs", { ...state.logs.view.filter, level });

/** Only what the shown conversation did, or everything. */
export function toggleSession(state: State): Updated {
  const { session, ...rest } = state.logs.view.filter;
  if (session !== undefined) return followLog(state, "logs", rest);
  const { id } = state.session;
  return id === undefined
    ? [showMessage(state, "no session is open"), []]
    : followLog(state, "logs", { ...rest, session: id });
}

const SOURCES: readonly (PickItem & { readonly value: "owner" | "errors" | "gateway" | "board" | "mcp" })[] = [
  { value: "owner", label: "owner", detail: "everything logged by the owner of this home" },
  { value: "errors", label: "errors", detail: "warnings and errors" },
  { value: "gateway", label: "gateway", detail: "platforms and their messages" },
  { value: "board", label: "board", detail: "dispatcher and workers" },
  { value: "mcp", label: "mcp", detail: "output of MCP servers" },
];

/** The output that a run has, if any. */
export function outputOf({ board, task, run, session, process }: RunRow): LogFilter | undefined {
  if (board !== undefined && task !== undefined && run !== undefined)
    return { source: "run", run: { board, task, id: run } };
  return session !== undefined && process !== undefined
    ? { source: "process", process: { session, id: process } }
    : undefined;
}

/** Choose what is shown; the run that is selected in its pane is one of it. */
export function chooseSource(state: State, run: RunRow | undefined): Updated {
  const output = run === undefined ? undefined : outputOf(run);
  const items: readonly PickItem[] = [
    ...SOURCES,
    ...(run === undefined || output === undefined
      ? []
      : [{ value: "run", label: "run", detail: `output of ${run.title}` }]),
  ];
  const at = Math.max(
    0,
    items.findIndex(({ value }) => value === state.logs.view.filter.source),
  );
  const subject = output === undefined ? {} : { output: JSON.stringify(output) };
  const overlay: PickOverlay = {
    kind: "pick",
    asker: "logs.source",
    title: "Which log",
    items,
    filter: "",
    at,
    subject,
  };
  return [{ ...state, overlay }, []];
}

/** The choice. Level, text and session stay where they mean something. */
export function sourceChosen(state: State, value: string, output: string | undefined): Updated {
  const { level, text, session } = state.logs.view.filter;
  const found = SOURCES.find((one) => one.value === value)?.value;
  if (found !== undefined) {
    const kept = { ...(text === undefined ? {} : { text }), ...(session === undefined ? {} : { session }) };
    return followLog(state, "logs", { source: found, level: level ?? "info", ...kept });
  }
  return output === undefined ? [state, []] : followLog(state, "logs", JSON.parse(output) as LogFilter); // written by `chooseSource`
}
