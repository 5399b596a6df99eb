import type { CallResult, Effect } from "../model/messages.js";
import { type State, showMessage, type Updated } from "../model/state.js";
import type { ConfirmChoice, Confirmed, ConfirmOverlay } from "../overlays/confirm/state.js";
import { selectedRun } from "./list.js";
import type { RunRow } from "./state.js";

const KEEP: ConfirmChoice = { name: "keep", label: "keep it running", key: "k" };
const STOP: ConfirmChoice = { name: "stop", label: "stop it", key: "s" };
const MOST_NAMED = 8;

/** Ask before anything is stopped, and say what will happen to it. */
export function askStop(state: State): Updated {
  const marked = [...state.runs.marked].flatMap((id) => state.runs.all.get(id) ?? []);
  const one = selectedRun(state);
  const rows = (marked.length > 0 && state.runs.opened === undefined ? marked : one === undefined ? [] : [one]).filter(
    ({ endedAt }) => endedAt === null,
  );
  const [first] = rows;
  if (first === undefined) return [showMessage(state, one === undefined ? "no run selected" : "it has ended"), []];
  if (state.connection === "lost") return [showMessage(state, "not connected", true), []];
  const tasks = rows.some(({ kind }) => kind === "task");
  const overlay: ConfirmOverlay = {
    kind: "confirm",
    asker: "runs.stop",
    at: 0,
    subject: { ids: rows.map(({ id }) => id).join("\n") },
    title: rows.length === 1 ? `Stop ${nameOf(first)}?` : `Stop ${rows.length} runs?`,
    lines: rows.length === 1 ? effectOf(first) : severalLines(rows),
    choices: tasks ? TASK_CHOICES : [KEEP, STOP],
  };
  return [{ ...state, overlay }, []];
}

const TASK_CHOICES: readonly ConfirmChoice[] = [
  KEEP,
  { name: "stop", label: "stop, task becomes ready", key: "s" },
  { name: "block", label: "stop, task is blocked", key: "b" },
];

const nameOf = ({ kind, task, title }: RunRow): string =>
  kind === "task"
    ? (task ?? "the task")
    : kind === "turn"
      ? `the turn of ${title}`
      : kind === "process"
        ? `process ${title}`
        : `the ${kind}`;

function effectOf(row: RunRow): readonly string[] {
  switch (row.kind) {
    case "task":
      return [
        row.title,
        `The worker of run ${row.run ?? ""} (${row.profile}) is stopped. The run is recorded as reclaimed and does not count as a failure.`,
        "Ready: the dispatcher starts a new worker as soon as there is room. Blocked: it waits until it is unblocked.",
      ];
    case "process":
      return [row.title, "The process and everything it started are stopped. Its output stays readable for a while."];
    case "child":
      return [row.title, "The child is interrupted; its parent gets the partial result, marked as interrupted."];
    default:
      return [row.title, "The turn is interrupted; finished work is kept."];
  }
}

function severalLines(rows: readonly RunRow[]): readonly string[] {
  const more = rows.length - MOST_NAMED;
  return [
    ...rows.slice(0, MOST_NAMED).map((row) => `${nameOf(row)}  ${row.kind === "task" ? row.title : ""}`.trimEnd()),
    ...(more > 0 ? [`… and ${more} more`] : []),
    "Workers are stopped and their runs closed as reclaimed; turns and children are interrupted; processes are stopped.",
  ];
}

/** What was chosen is asked of the owner, run by run. */
export function stopped(state: State, { choice, subject }: Confirmed): Updated {
  if (choice !== "stop" && choice !== "block") return [state, []];
  const rows = (subject["ids"] ?? "").split("\n").flatMap((id) => state.runs.all.get(id) ?? []);
  const next: State = { ...state, runs: { ...state.runs, marked: new Set() } };
  return [next, rows.flatMap((row) => stopOf(row, choice))];
}

function stopOf(row: RunRow, choice: "stop" | "block"): readonly Effect[] {
  const to = `runs.stopped:${row.id}`;
  if (row.kind === "task") {
    const params = {
      board: row.board,
      id: row.task,
      reason: choice === "block" ? ["stopped by the user"] : "stopped by the user",
    };
    return [{ do: "call", method: choice === "block" ? "kanban.block" : "kanban.reclaim", params, to }];
  }
  const { session } = row;
  if (row.kind === "process")
    return [{ do: "call", method: "process.kill", params: { session_id: session, id: row.process }, to }];
  if (row.kind === "child") return [{ do: "call", method: "child.interrupt", params: { id: session }, to }];
  return [{ do: "call", method: "turn.interrupt", params: { session_id: session }, to }];
}

/** What the owner says to it. */
export function stopAnswered(state: State, answer: CallResult): Updated {
  const row = state.runs.all.get(answer.to.slice("runs.stopped:".length));
  const name = row === undefined ? "it" : nameOf(row);
  return [
    answer.ok
      ? showMessage(state, `${name} was stopped`)
      : showMessage(state, `${name} was not stopped: ${answer.message}`, true),
    [],
  ];
}
