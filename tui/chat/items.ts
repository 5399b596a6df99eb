import { sanitize, sanitizeLine } from "../sanitize.js";
import type { ChatItem } from "./state.js";
import { toolState } from "./update.js";

type Message = Readonly<Record<string, unknown>>;

/** Stored messages as items of the chat pane. A call and its result become one row. */
export function toItems(messages: readonly Message[]): readonly ChatItem[] {
  const results = new Map(messages.filter((one) => one["role"] === "tool").map((one) => [String(one["toolCallId"]), one]));
  return messages.flatMap((message) => itemsOf(message, results));
}

function itemsOf(message: Message, results: ReadonlyMap<string, Message>): readonly ChatItem[] {
  const id = Number(message["id"] ?? 0);
  const text = sanitize(String(message["content"] ?? ""));
  if (message["kind"] === "note") return []; // told to the model by compaction
  if (message["kind"] === "summary" && message["copiedFrom"] === undefined)
    return [{ kind: "notice", text: "Earlier messages were compacted into a summary.", level: "info" }];
  if (message["role"] === "user") return [{ kind: "user", text, id }];
  if (message["role"] !== "assistant") return [];
  const answer: readonly ChatItem[] =
    text === "" ? [] : [{ kind: "answer", text, id, interrupted: message["finishReason"] === "interrupted" }];
  return [...answer, ...callsOf(message).map((call) => toolItem(call, results.get(String(call["id"]))))];
}

const callsOf = (message: Message): readonly Message[] => (Array.isArray(message["toolCalls"]) ? (message["toolCalls"] as Message[]) : []); // the owner of this version sends calls

function toolItem(call: Message, result: Message | undefined): ChatItem {
  return {
    kind: "tool",
    callId: String(call["id"] ?? ""),
    name: sanitizeLine(String(call["name"] ?? "")),
    preview: [...sanitizeLine(previewOf(String(call["arguments"] ?? "")))].slice(0, 120).join(""),
    state: toolState(String(result?.["status"] ?? "stopped")),
    ms: Number(result?.["durationMs"] ?? 0),
    since: 0,
  };
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
