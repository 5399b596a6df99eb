import { compactionLines, segmentAfter } from "../lib/proto/compaction-lines.js";
import type { Effect } from "./messages.js";
import { sanitize, sanitizeLine } from "./sanitize.js";
import type { ChatItem, State, ToolState } from "./state.js";
import { questionEvent } from "./update-question.js";
import { queueEvent } from "./update-queue.js";

type Data = Readonly<Record<string, unknown>>;
type Updated = readonly [State, readonly Effect[]];

const MAX_ITEMS = 2_000; // workspace part, 5.3

/** An event of the shown session. Unknown ones are passed over: a newer owner may send more. */
export function updateChat(state: State, event: string, data: Data): Updated {
  switch (event) {
    case "turn.started":
      return [{ ...state, turnSince: state.now, phase: "thinking", streaming: "", streamed: 0, interruptedAt: undefined }, []];
    case "turn.phase":
      return [phased(state, text(data, "phase")), []];
    case "text.delta":
      return [streamed(state, data), []];
    case "text.reset":
      return [{ ...state, streaming: "", streamed: 0 }, []];
    case "message.added":
      return [added(state, data), []];
    case "tool.started":
      return [push({ ...state, phase: text(data, "name") }, started(state, data)), []];
    case "tool.ended":
      return [{ ...state, items: state.items.map((item) => ended(item, data)), phase: "thinking" }, []];
    case "retry":
      return [{ ...state, phase: `retry ${number(data, "attempt")}/${number(data, "of")}: ${sanitizeLine(text(data, "cause"))}` }, []];
    case "notice":
      return [push(state, { kind: "notice", text: sanitize(text(data, "text")), level: level(data) }), []];
    case "compaction.started":
    case "compaction.ended":
    case "compaction.undone":
      return [compaction(state, event, data), []];
    case "usage":
      return [{ ...state, tokens: { ...state.tokens, prompt: number(data, "last_prompt_tokens") } }, []];
    case "turn.ended":
      return turnEnded(state, data);
    case "session.info":
      return [informed(state, data), []];
    default:
      return questionEvent(state, event, data) ?? [queueEvent(state, event, data), []];
  }
}

/** What is told of the session itself; it says what has changed. */
function informed(state: State, { yolo, title }: Data): State {
  return {
    ...state,
    ...(typeof yolo === "boolean" ? { yolo } : {}),
    ...(typeof title === "string" ? { title: sanitizeLine(title) } : {}),
  };
}

/** What a command has answered stands under it, wherever the conversation has gone meanwhile. */
export function answered(state: State, answer: { readonly id: number; readonly text: string; readonly failed: boolean }): State {
  const given = { answer: sanitize(answer.text), failed: answer.failed };
  return { ...state, items: state.items.map((item) => (item.kind === "command" && item.id === answer.id ? { ...item, ...given } : item)) };
}

/** A command that was typed: shown in the conversation, but no part of it. */
export function asked(state: State, command: string): readonly [State, number] {
  const id = state.commands + 1;
  return [push({ ...state, commands: id }, { kind: "command", text: sanitize(command), id, answer: undefined, failed: false }), id];
}

/** What streams; text that the screen has already is left out. */
function streamed(state: State, data: Data): State {
  const told = text(data, "text");
  const offset = typeof data["offset"] === "number" ? data["offset"] : state.streamed;
  const fresh = told.slice(Math.max(0, state.streamed - offset));
  return { ...state, streaming: state.streaming + sanitize(fresh), streamed: state.streamed + fresh.length, phase: "writing" };
}

/** A request begins with nothing of its answer. */
function phased(state: State, phase: string): State {
  const next = { ...state, phase: phaseName(phase, state.phase) };
  return phase === "waiting_model" || phase === "tool" ? { ...next, streamed: 0 } : next;
}

const phaseName = (phase: string, before: string): string => (phase === "waiting_model" ? "thinking" : phase === "" ? before : phase);

function push(state: State, item: ChatItem): State {
  return { ...state, items: [...state.items, item].slice(-MAX_ITEMS) };
}

function added(state: State, data: Data): State {
  const content = sanitize(text(data, "content"));
  const id = number(data, "id");
  if (state.items.some((item) => (item.kind === "user" || item.kind === "answer") && item.id === id)) return state;
  if (data["role"] === "user") return push(state, { kind: "user", text: content, id });
  if (data["role"] !== "assistant" || content === "") return data["role"] === "assistant" ? { ...state, streaming: "" } : state;
  return push({ ...state, streaming: "" }, { kind: "answer", text: content, id, interrupted: data["finishReason"] === "interrupted" });
}

function started(state: State, data: Data): ChatItem {
  return {
    kind: "tool",
    callId: text(data, "call_id"),
    name: sanitizeLine(text(data, "name")),
    preview: sanitizeLine(text(data, "preview")),
    state: "running",
    ms: 0,
    since: state.now,
  };
}

function ended(item: ChatItem, data: Data): ChatItem {
  if (item.kind !== "tool" || item.callId !== text(data, "call_id")) return item;
  return { ...item, state: toolState(text(data, "status")), ms: number(data, "duration_ms") };
}

export function toolState(status: string): ToolState {
  if (status === "ok" || status === "error") return status;
  return status === "denied" || status === "blocked" ? "denied" : "stopped";
}

function turnEnded(state: State, data: Data): Updated {
  const tokens = {
    input: state.tokens.input + number(data, "input_tokens"),
    output: state.tokens.output + number(data, "output_tokens"),
    window: number(data, "context_window"),
    prompt: number(data, "last_prompt_tokens"),
  };
  const error = data["error"];
  const failed = typeof error === "object" && error !== null && "message" in error ? sanitize(String(error.message)) : undefined;
  const model = text(data, "model");
  const base: State = {
    ...state,
    turnSince: undefined,
    phase: "idle",
    streaming: "",
    streamed: 0,
    tokens,
    model: model === "" ? state.model : model,
  };
  const told = failed === undefined ? base : push(base, { kind: "notice", text: failed, level: "error" });
  const cut = data["exit_reason"] === "owner_stopped";
  return [
    cut ? push(told, { kind: "notice", text: "Cut off: the program ended. What was finished is kept.", level: "warning" }) : told,
    [],
  ];
}

/** Its lines, and the segment that the conversation goes on in. */
function compaction(state: State, event: string, data: Data): State {
  const failed = event === "compaction.ended" && data["ok"] !== true;
  const told = compactionLines(event, data).map(
    (line) => ({ kind: "notice", text: sanitize(line), level: failed ? "warning" : "info" }) as const,
  );
  const session = segmentAfter(event, data) ?? state.session;
  return told.reduce<State>(push, { ...state, session, phase: event === "compaction.started" ? "compacting" : state.phase });
}

function level(data: Data): "info" | "warning" | "error" {
  return data["level"] === "error" || data["level"] === "warning" ? data["level"] : "info";
}

const text = (data: Data, name: string): string => (typeof data[name] === "string" ? data[name] : "");
const number = (data: Data, name: string): number => (typeof data[name] === "number" ? data[name] : 0);
