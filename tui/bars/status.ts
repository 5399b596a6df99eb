import { age } from "../ages.js";
import type { RowOf } from "../canvas.js";
import type { State } from "../state.js";
import { THEME } from "../theme.js";
import { fit, textCells } from "../width.js";

const SPINNER = "◐◓◑◒";

/** Fields from the left; what does not fit is dropped from the end. */
export function statusRow(state: State, width: number): RowOf {
  const fields = [
    phase(state),
    ...turnTime(state),
    ...context(state),
    ...(waiting(state) > 0 ? [`queue ${waiting(state)}`] : []),
    ...(state.questions.open.length > 0
      ? [`! ${state.questions.open.length} ${state.questions.open.length === 1 ? "question" : "questions"}`]
      : []),
    ...(state.session.yolo ? ["YOLO: approvals off"] : []),
    ...tokens(state),
    ...(state.session.model === "" ? [] : [state.session.model]),
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

const waiting = (state: State): number => state.queue.local.length + state.queue.waiting.length;

function phase(state: State): string {
  if (state.connection === "lost") return "disconnected";
  if (state.session.turnSince === undefined) return "idle";
  const [question] = state.questions.open;
  const waits = question === undefined ? undefined : question.kind === "approval" ? "approval" : "question";
  return `${SPINNER[Math.floor(state.now / 125) % SPINNER.length] ?? "◐"} ${waits ?? state.session.phase}`;
}

const turnTime = (state: State): string[] => (state.session.turnSince === undefined ? [] : [age(state.now - state.session.turnSince)]);
const tokens = (state: State): string[] =>
  state.session.tokens.input + state.session.tokens.output === 0
    ? []
    : [`↑${short(state.session.tokens.input)} ↓${short(state.session.tokens.output)}`];

function context(state: State): string[] {
  const { prompt, window } = state.session.tokens;
  return window === 0 || prompt === 0 ? [] : [`${short(prompt)}/${short(window)} ${Math.round((prompt / window) * 100)}%`];
}

const short = (count: number): string => (count < 1000 ? String(count) : `${(count / 1000).toFixed(count < 10_000 ? 1 : 0)}k`);
