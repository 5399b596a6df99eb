import type { RowOf } from "../canvas.js";
import { BINDINGS, type Binding } from "../keys.js";
import { PANES, type State } from "../state.js";
import { THEME } from "../theme.js";
import { fit, textCells } from "../width.js";
import { age } from "./ages.js";

const SPINNER = "◐◓◑◒";

/** Tabs of the narrow layout: a count, `●` for something live. */
export function tabRow(state: State, width: number): RowOf {
  const short = width < 60;
  const names = short
    ? { chat: "chat", board: "brd", runs: "run", logs: "log" }
    : { chat: "chat", board: "board", runs: "runs", logs: "logs" };
  const tasks = state.board.state === "ready" ? state.board.rows.length : 0;
  const live = state.runs.state === "ready" ? state.runs.rows.filter((run) => run.endedAt === null).length : 0;
  const marks = {
    chat: state.turnSince === undefined ? "" : "●",
    board: tasks === 0 ? "" : ` ${tasks}`,
    runs: live === 0 ? "" : ` ${live}●`,
    logs: "",
  };
  const tabs = PANES.flatMap((pane, at): [number, string][] => [
    [state.pane === pane ? THEME.selection : THEME.dim, short ? `${at + 1}${names[pane]}` : ` ${at + 1} ${names[pane]}${marks[pane]} `],
    [THEME.text, " "],
  ]);
  return [...tabs, [THEME.dim, ` ${state.title}`]];
}

/** The most useful keys of what is focused; a message for the user stands at the right. */
export function hintRow(state: State, width: number): RowOf {
  const hints =
    state.focus === "composer"
      ? ["F1 help", "F2-F5 panes", "Tab next pane", "F8 zoom", "^C interrupt", "^D quit"]
      : ["i type", "↑↓ move", "PgUp PgDn", "End follow", "z zoom", "r refresh", "F1 help"];
  const left = ` ${hints.join("  ")}`;
  if (!state.message) return [[THEME.dim, fit(left, width)]];
  const said = fit(state.message.text, Math.max(8, width - 4));
  const room = width - textCells(said) - 2;
  return [
    [THEME.dim, fit(left, Math.max(0, room)).padEnd(Math.max(0, room))],
    [state.message.error ? THEME.error : THEME.warn, ` ${said}`],
  ];
}

/** Fields from the left; what does not fit is dropped from the end. */
export function statusRow(state: State, width: number): RowOf {
  const fields = [
    phase(state),
    ...turnTime(state),
    ...context(state),
    ...(waiting(state) > 0 ? [`queue ${waiting(state)}`] : []),
    ...(state.questions.length > 0 ? [`! ${state.questions.length} ${state.questions.length === 1 ? "question" : "questions"}`] : []),
    ...(state.yolo ? ["YOLO: approvals off"] : []),
    ...tokens(state),
    ...(state.model === "" ? [] : [state.model]),
    ...(state.owner ? [] : ["attached"]),
  ];
  let line = ` ${fields[0] ?? ""}`;
  for (const field of fields.slice(1)) {
    const next = `${line} │ ${field}`;
    if (textCells(next) > width) break;
    line = next;
  }
  return [[state.connection === "lost" ? THEME.error : THEME.status, fit(line, width)]];
}

const waiting = (state: State): number => state.queue.length + state.waiting.length;

function phase(state: State): string {
  if (state.connection === "lost") return "disconnected";
  if (state.turnSince === undefined) return "idle";
  const [question] = state.questions;
  const waits = question === undefined ? undefined : question.kind === "approval" ? "approval" : "question";
  return `${SPINNER[Math.floor(state.now / 125) % SPINNER.length] ?? "◐"} ${waits ?? state.phase}`;
}

const turnTime = (state: State): string[] => (state.turnSince === undefined ? [] : [age(state.now - state.turnSince)]);
const tokens = (state: State): string[] =>
  state.tokens.input + state.tokens.output === 0 ? [] : [`↑${short(state.tokens.input)} ↓${short(state.tokens.output)}`];

function context(state: State): string[] {
  const { prompt, window } = state.tokens;
  return window === 0 || prompt === 0 ? [] : [`${short(prompt)}/${short(window)} ${Math.round((prompt / window) * 100)}%`];
}

const short = (count: number): string => (count < 1000 ? String(count) : `${(count / 1000).toFixed(count < 10_000 ? 1 : 0)}k`);

/** Every key, by context, from the key table. */
export function helpRows(): readonly RowOf[] {
  const contexts = ["everywhere", "composer", "list", "board"] as const;
  return contexts.flatMap((context) => [
    [[THEME.heading, context === "list" ? "in a pane" : context]] satisfies RowOf,
    ...BINDINGS.filter((one) => one.context === context).map(bindingRow),
    [],
  ]);
}

const bindingRow = (binding: Binding): RowOf => [
  [THEME.accent, `  ${binding.keys.join(", ").padEnd(36)}`],
  [THEME.text, binding.label],
];
