import { NO_CHAT } from "../chat/state.js";
import { type SafeText, sanitizeLine } from "../draw/sanitize.js";
import { outputOf } from "../logs/source.js";
import { newView } from "../logs/state.js";
import type { Effect } from "../model/messages.js";
import { type State, showMessage, type Updated } from "../model/state.js";
import { selectedRun } from "./list.js";
import type { Aspect, Opened, RunRow } from "./state.js";

/** What a run can be looked at by. A process has the conversation of its starter, which is not its own. */
const aspectsOf = (row: RunRow): readonly Aspect[] => [
  ...(row.session !== undefined && row.kind !== "process" ? (["transcript"] as const) : []),
  ...(outputOf(row) !== undefined ? (["log"] as const) : []),
  "information",
];

const WHY: Readonly<Record<Aspect, string>> = {
  transcript: "it has no conversation",
  log: "no output: it has no process of its own",
  information: "",
};

/** Look at the run under the cursor; without an aspect at the first that it has. */
export const openRun =
  (wanted?: Aspect) =>
  (state: State): Updated => {
    const row = selectedRun(state);
    if (row === undefined) return [showMessage(state, "no run selected"), []];
    const has = aspectsOf(row);
    const aspect = wanted ?? has[0] ?? "information";
    if (has.includes(aspect)) return look(state, row, aspect);
    return [
      showMessage(
        state,
        row.kind === "task" && row.session === undefined ? "no output from its worker yet" : WHY[aspect],
      ),
      [],
    ];
  };

const EMPTY: Omit<Opened, "id" | "aspect"> = {
  chat: undefined,
  log: undefined,
  facts: undefined,
  error: "" as SafeText,
  top: 0,
};

function look(state: State, row: RunRow, aspect: Aspect): Updated {
  const same = state.runs.opened?.id === row.id ? state.runs.opened : undefined;
  const before: Opened = { ...(same ?? { id: row.id, ...EMPTY }), aspect, error: "" as SafeText };
  const [opened, effects] = begun(before, row);
  return [{ ...state, runs: { ...state.runs, cursor: row.id, opened } }, effects];
}

/** Who speaks to the agent of a run, where that is not the person at the screen. */
const SPEAKERS: ReadonlyMap<string, string> = new Map([
  ["task", "task"],
  ["child", "parent agent"],
]);

/** What has not been looked at yet is asked for. */
function begun(opened: Opened, row: RunRow): readonly [Opened, readonly Effect[]] {
  if (opened.aspect === "information") return [opened, [infoOf(row.id)]];
  if (opened.aspect === "log") {
    const filter = outputOf(row);
    if (opened.log !== undefined || filter === undefined) return [opened, []];
    return [{ ...opened, log: newView(filter) }, [{ do: "log.follow", name: "run", filter }]];
  }
  if (opened.chat !== undefined || row.session === undefined) return [opened, []];
  return [
    { ...opened, chat: { ...NO_CHAT, speaker: SPEAKERS.get(row.kind) } },
    [{ do: "run.follow", id: row.id, session: row.session }],
  ];
}

export const infoOf = (id: string): Effect => ({
  do: "call",
  method: "runs.info",
  params: { id },
  to: `runs.info:${id}`,
  reads: true,
});

/** Back to the list; nothing of it is followed any more. */
export const closeRun = (state: State): Updated => [
  { ...state, runs: { ...state.runs, opened: undefined } },
  [{ do: "run.leave" }, { do: "log.leave", name: "run" }],
];

/** The run is shown in its pane, looked at from the beginning: from its card, from the palette. */
export function showRun(state: State, id: string): Updated {
  const row = state.runs.all.get(id);
  if (row === undefined) return [showMessage(state, "the run is no longer listed"), []];
  const at: State = { ...state, focus: "runs", pane: "runs", runs: { ...state.runs, opened: undefined, cursor: id } };
  const [next, effects] = look(at, row, aspectsOf(row)[0] ?? "information");
  return [next, [{ do: "run.leave" }, { do: "log.leave", name: "run" }, ...effects]];
}

/** The facts of the opened run as they came. */
export function withFacts(state: State, id: string, result: unknown): State {
  const { opened } = state.runs;
  if (opened?.id !== id) return state;
  const rows =
    typeof result === "object" && result !== null && "facts" in result && Array.isArray(result.facts)
      ? result.facts
      : [];
  const facts = rows.flatMap((row: unknown) =>
    Array.isArray(row) && row.length === 2
      ? [[sanitizeLine(String(row[0])), sanitizeLine(String(row[1]))] as const]
      : [],
  );
  return { ...state, runs: { ...state.runs, opened: { ...opened, facts } } };
}
