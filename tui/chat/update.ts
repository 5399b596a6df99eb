import { compactionLines } from "../../lib/proto/compaction-lines.js";
import { type Data, number, text } from "../data.js";
import { sanitize, sanitizeLine } from "../sanitize.js";
import type { State } from "../state.js";
import type { ChatItem, ChatState, ToolState } from "./state.js";

const MAX_ITEMS = 2_000; // workspace part, 5.3

/** What an event of the shown session changes in its pane. Unknown ones are passed over: a newer owner may send more. */
export function chatEvent({ chat, now }: State, event: string, data: Data): ChatState {
  switch (event) {
    case "turn.started":
    case "text.reset":
      return { ...chat, streaming: "", streamed: 0 };
    case "turn.phase":
      return begins(text(data, "phase")) ? { ...chat, streamed: 0 } : chat;
    case "text.delta":
      return streamed(chat, data);
    case "message.added":
      return added(chat, data);
    case "tool.started":
      return push(chat, started(data, now));
    case "tool.ended":
      return { ...chat, items: chat.items.map((item) => ended(item, data)) };
    case "notice":
      return push(chat, { kind: "notice", text: sanitize(text(data, "text")), level: level(data) });
    case "compaction.started":
    case "compaction.ended":
    case "compaction.undone":
      return compaction(chat, event, data);
    case "turn.ended":
      return turnEnded(chat, data);
    case "steer.accepted":
      return noted(chat, `You, to the running turn: ${sanitize(text(data, "text"))} (read with the next tool result)`);
    case "steer.delivered":
      return noted(chat, "The turn has read it.");
    default:
      return chat;
  }
}

/** A request begins with nothing of its answer. */
const begins = (phase: string): boolean => phase === "waiting_model" || phase === "tool";

/** What a command has answered stands under it, wherever the conversation has gone meanwhile. */
export function answered(chat: ChatState, answer: { readonly id: number; readonly text: string; readonly failed: boolean }): ChatState {
  const given = { answer: sanitize(answer.text), failed: answer.failed };
  return { ...chat, items: chat.items.map((item) => (item.kind === "command" && item.id === answer.id ? { ...item, ...given } : item)) };
}

/** A command that was typed: shown in the conversation, but no part of it. */
export function asked(chat: ChatState, command: string): readonly [ChatState, number] {
  const id = chat.commands + 1;
  return [push({ ...chat, commands: id }, { kind: "command", text: sanitize(command), id, answer: undefined, failed: false }), id];
}

/** What streams; text that the screen has already is left out. */
function streamed(chat: ChatState, data: Data): ChatState {
  const told = text(data, "text");
  const offset = typeof data["offset"] === "number" ? data["offset"] : chat.streamed;
  const fresh = told.slice(Math.max(0, chat.streamed - offset));
  return { ...chat, streaming: chat.streaming + sanitize(fresh), streamed: chat.streamed + fresh.length };
}

/** The text so far of an answer in whose middle this screen begins to look. */
export function sofar(chat: ChatState, { streamed: told, turn_id: turn }: Data): ChatState {
  if (typeof turn !== "string" || typeof told !== "string" || told.length <= chat.streamed) return chat;
  return { ...chat, streaming: sanitize(told), streamed: told.length };
}

export const push = (chat: ChatState, item: ChatItem): ChatState => ({ ...chat, items: [...chat.items, item].slice(-MAX_ITEMS) });

/** A line between the messages. */
export const noted = (chat: ChatState, told: string): ChatState => push(chat, { kind: "notice", text: told, level: "info" });

function added(chat: ChatState, data: Data): ChatState {
  const content = sanitize(text(data, "content"));
  const id = number(data, "id");
  if (chat.items.some((item) => (item.kind === "user" || item.kind === "answer") && item.id === id)) return chat;
  if (data["role"] === "user") return push(chat, { kind: "user", text: content, id });
  if (data["role"] !== "assistant") return chat;
  const done = { ...chat, streaming: "" };
  if (content === "") return done;
  return push(done, { kind: "answer", text: content, id, interrupted: data["finishReason"] === "interrupted" });
}

const started = (data: Data, now: number): ChatItem => ({
  kind: "tool",
  callId: text(data, "call_id"),
  name: sanitizeLine(text(data, "name")),
  preview: sanitizeLine(text(data, "preview")),
  state: "running",
  ms: 0,
  since: now,
});

function ended(item: ChatItem, data: Data): ChatItem {
  if (item.kind !== "tool" || item.callId !== text(data, "call_id")) return item;
  return { ...item, state: toolState(text(data, "status")), ms: number(data, "duration_ms") };
}

export function toolState(status: string): ToolState {
  if (status === "ok" || status === "error") return status;
  return status === "denied" || status === "blocked" ? "denied" : "stopped";
}

function turnEnded(chat: ChatState, data: Data): ChatState {
  const error = data["error"];
  const failed = typeof error === "object" && error !== null && "message" in error ? sanitize(String(error.message)) : undefined;
  const base: ChatState = { ...chat, streaming: "", streamed: 0 };
  const told = failed === undefined ? base : push(base, { kind: "notice", text: failed, level: "error" });
  if (data["exit_reason"] !== "owner_stopped") return told;
  return push(told, { kind: "notice", text: "Cut off: the program ended. What was finished is kept.", level: "warning" });
}

function compaction(chat: ChatState, event: string, data: Data): ChatState {
  const failed = event === "compaction.ended" && data["ok"] !== true;
  const told = compactionLines(event, data).map(
    (line) => ({ kind: "notice", text: sanitize(line), level: failed ? "warning" : "info" }) as const,
  );
  return told.reduce<ChatState>(push, chat);
}

function level(data: Data): "info" | "warning" | "error" {
  return data["level"] === "error" || data["level"] === "warning" ? data["level"] : "info";
}
