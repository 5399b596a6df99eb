import type { LogLevel } from "../../lib/contracts/ui/log-lines.js";
import type { Binding, State, Updated } from "../model/state.js";
import { selectedRun } from "../runs/list.js";
import { nameAt, viewOf, withView } from "./lens.js";
import { endOf } from "./lines.js";
import { toggleFollow } from "./move.js";
import { recordFields } from "./record.js";
import { filtered, nextHit, openLogLine } from "./search.js";
import { chooseSource, followLog, toggleSession, withLevel } from "./source.js";
import type { LogRow, LogView } from "./state.js";

type Act = (state: State) => Updated;
export type KeyRow = readonly [id: string, keys: readonly string[], label: string, act: Act, hint?: string];

const inLog =
  (act: (state: State, view: LogView) => Updated): Act =>
  (state) => {
    const view = viewOf(state, nameAt(state));
    return view === undefined ? [state, []] : act(state, view);
  };

/** The line under the cursor. */
const lineAt = (view: LogView): LogRow | undefined =>
  view.rows[(view.follow ? endOf(view) - 1 : view.cursor) - view.from];

const openRecord = inLog((state, view) => {
  const row = view.record?.row ?? lineAt(view);
  if (row === undefined || row.note) return [state, []];
  return [
    withView(state, nameAt(state), { ...view, record: view.record === undefined ? { row, top: 0 } : undefined }),
    [],
  ];
});

const copyLine = inLog((state, view) => {
  const row = view.record?.row ?? lineAt(view);
  return row === undefined || row.note ? [state, []] : [state, [{ do: "copy", text: row.line, what: "1 line" }]];
});

const copyFields = inLog((state, view) => {
  const row = view.record?.row ?? lineAt(view);
  if (row === undefined || row.note) return [state, []];
  const text = recordFields(row)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");
  return [state, [{ do: "copy", text, what: "the record" }]];
});

/** What Escape ends, the nearest first. */
export const logEndable = (state: State): boolean => {
  const view = viewOf(state, nameAt(state));
  return view !== undefined && (view.record !== undefined || view.search !== "" || (view.filter.text ?? "") !== "");
};

export const logEnd = inLog((state, view) => {
  const name = nameAt(state);
  if (view.record !== undefined) return [withView(state, name, { ...view, record: undefined }), []];
  if (view.search !== "") return [withView(state, name, { ...view, search: "" }), []];
  return filtered(state, name, "");
});

const toggle =
  (what: "wrap" | "times"): Act =>
  (state) => [{ ...state, logs: { ...state.logs, [what]: !state.logs[what] } }, []];

/** Keys of every log, in its own pane and as the output of a run. */
export const LOG_VIEW_KEYS: readonly KeyRow[] = [
  ["search", ["/"], "search", (state) => openLogLine(state, nameAt(state), "search"), "/ search"],
  ["next", ["n"], "next match", (state) => nextHit(state, nameAt(state), 1)],
  ["prev", ["N"], "previous match", (state) => nextHit(state, nameAt(state), -1)],
  ["filter", ["f"], "filter by text", (state) => openLogLine(state, nameAt(state), "filter"), "f filter"],
  ["follow", ["F"], "follow on or off", (state) => toggleFollow(state, nameAt(state)), "F follow"],
  ["wrap", ["w"], "wrap long lines", toggle("wrap")],
  ["copy", ["y"], "copy the line", copyLine],
  ["copyFields", ["Y"], "copy the record's fields", copyFields],
  ["record", ["enter"], "the whole record", openRecord, "Enter record"],
];

const LEVELS: readonly (readonly [key: string, level: LogLevel, label: string])[] = [
  ["1", "error", "errors"],
  ["2", "warning", "warnings and above"],
  ["3", "info", "info and above"],
  ["4", "debug", "debug and above"],
  ["5", "debug", "everything"],
];

const ROWS: readonly KeyRow[] = [
  ...LOG_VIEW_KEYS,
  ["source", ["s"], "choose the log", (state) => chooseSource(state, selectedRun(state)), "s source"],
  ["session", ["S"], "only this session", toggleSession],
  ["refresh", ["r"], "refresh", (state) => followLog(state, "logs", state.logs.view.filter)],
  ["times", ["T"], "time stamps", toggle("times")],
  ...LEVELS.map(([key, level, label]): KeyRow => [`level${key}`, [key], label, withLevel(level)]),
];

const toBinding =
  (context: "logs" | "runs", prefix: string, when?: (state: State) => boolean) =>
  ([id, keys, label, act, hint]: KeyRow): Binding => ({
    id: `${prefix}.${id}`,
    context,
    keys,
    label,
    act,
    ...(hint === undefined ? {} : { hint }),
    ...(when === undefined ? {} : { when }),
  });

/** Keys of the pane of logs (workspace part, 3.2). */
export const LOGS_KEYS: readonly Binding[] = [
  ...ROWS.map(toBinding("logs", "logs")),
  {
    id: "logs.end",
    context: "logs",
    keys: ["escape"],
    label: "back, clear",
    hint: "Esc back",
    when: logEndable,
    act: logEnd,
  },
];
