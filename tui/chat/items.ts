import type { PagePlace } from "../../lib/proto/session-page.js";
import { sanitize, sanitizeLine } from "../sanitize.js";
import { withChips } from "./mentioned.js";
import { resultOf, todoOf } from "./results.js";
import type { ChatItem, Todo, ToolItem, ToolState } from "./state.js";

export type Message = Readonly<Record<string, unknown>>;

/** Stored messages as items of the chat pane. A call and its result become one row. */
export function toItems(messages: readonly Message[]): readonly ChatItem[] {
  const results = new Map(messages.filter((one) => one["role"] === "tool").map((one) => [String(one["toolCallId"]), one]));
  return messages.flatMap((message) => itemsOf(message, results));
}

/** The list of steps as these messages leave it; undefined: they do not speak of one. */
export function todoIn(messages: readonly Message[]): readonly Todo[] | undefined {
  const last = messages.findLast((one) => one["role"] === "tool" && one["toolName"] === "todo");
  return last === undefined ? undefined : todoOf(String(last["content"] ?? ""));
}

function itemsOf(message: Message, results: ReadonlyMap<string, Message>): readonly ChatItem[] {
  const id = Number(message["id"] ?? 0);
  const key = `m${id}`;
  if (message["kind"] === "note") return []; // told to the model by compaction
  if (message["kind"] === "summary" && message["copiedFrom"] === undefined)
    return [{ kind: "notice", key, text: "Earlier messages were compacted into a summary.", level: "info", rule: "compacted" }];
  if (message["role"] === "user")
    return [
      { kind: "user", key, text: withChips(sanitize(String(message["content"] ?? ""))), id, at: timeOf(message), place: placeOf(message) },
    ];
  if (message["role"] !== "assistant") return [];
  return [...said(message, id), ...callsOf(message).map((call) => toolItem(call, results.get(String(call["id"]))))];
}

function said(message: Message, id: number): readonly ChatItem[] {
  const text = sanitize(String(message["content"] ?? ""));
  const reasoning = sanitize(typeof message["reasoning"] === "string" ? message["reasoning"] : "").trim();
  const interrupted = message["finishReason"] === "interrupted";
  return [
    ...(reasoning === "" ? [] : [{ kind: "thinking", key: `t${id}`, text: reasoning, ms: undefined } as const]),
    ...(text === "" ? [] : [{ kind: "answer", key: `m${id}`, text, id, interrupted, place: placeOf(message) } as const]),
  ];
}

/** Where a message stands; undefined: the owner did not say. */
export function placeOf(message: Message): PagePlace | undefined {
  const { session_id, ordinal } = message;
  return typeof session_id === "string" && typeof ordinal === "number" ? { session_id, ordinal } : undefined;
}

const timeOf = (message: Message): number | undefined => (typeof message["created_at"] === "number" ? message["created_at"] : undefined);

const callsOf = (message: Message): readonly Message[] => (Array.isArray(message["toolCalls"]) ? (message["toolCalls"] as Message[]) : []); // the owner of this version sends calls

function toolItem(call: Message, result: Message | undefined): ToolItem {
  const callId = String(call["id"] ?? "");
  return {
    ...{ kind: "tool", key: `c${callId}`, callId, name: sanitizeLine(String(call["name"] ?? "")) },
    preview: [...sanitizeLine(previewOf(String(call["arguments"] ?? "")))].slice(0, 120).join(""),
    state: toolState(String(result?.["status"] ?? "stopped")),
    ...{ ms: Number(result?.["durationMs"] ?? 0), since: 0, inner: [] },
    result: result === undefined ? undefined : resultOf(String(result["content"] ?? ""), placeOf(result)),
  };
}

export function toolState(status: string): ToolState {
  if (status === "ok" || status === "error") return status;
  return status === "denied" || status === "blocked" ? "denied" : "stopped";
}

/** Arguments that say what a call is about; the line that announced it is not stored. */
const TELLING = ["command", "path", "pattern", "query", "question", "goal", "code", "title", "text"];

function previewOf(text: string): string {
  try {
    const args: unknown = JSON.parse(text);
    const named = typeof args === "object" && args !== null ? Object.entries(args) : [];
    const [first] = TELLING.flatMap((name) => named.filter(([key, value]) => key === name && typeof value === "string"));
    return first === undefined ? text : String(first[1]);
  } catch {
    return text; // a call that was no JSON is shown as it came
  }
}
