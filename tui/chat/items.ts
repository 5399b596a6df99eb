import type { PagePlace } from "../../lib/contracts/wire/shapes/session-page.js";
import { sanitize, sanitizeLine } from "../draw/sanitize.js";
import { withChips } from "./mentioned.js";
import { resultOf, todoOf } from "./results.js";
import type { ChatItem, Todo, ToolItem, ToolState } from "./state.js";

export type Message = Readonly<Record<string, unknown>>;

/**
 * Stored messages as items of the chat pane. A call and its result become one row. Ids of calls may come again in another message: some servers
 * number them per answer. @param running a turn is open: what its last calls have not answered yet, runs
 */
export function toItems(messages: readonly Message[], running = false): readonly ChatItem[] {
  const last = messages.findLastIndex((one) => one["role"] === "user" || one["role"] === "assistant");
  return messages.flatMap((message, at) =>
    itemsOf(message, { results: resultsBehind(messages, at), open: running && at === last }),
  );
}

/** Results of the calls of one message, by call: they stand between it and the next one that is none. */
function resultsBehind(messages: readonly Message[], at: number): ReadonlyMap<string, Message> {
  const results = new Map<string, Message>();
  if (callsOf(messages[at] ?? {}).length === 0) return results;
  for (const one of messages.slice(at + 1)) {
    if (one["role"] === "assistant") break;
    if (one["role"] === "tool" && !results.has(String(one["tool_call_id"])))
      results.set(String(one["tool_call_id"]), one);
  }
  return results;
}

/** The list of steps as these messages leave it; undefined: they do not speak of one. */
export function todoIn(messages: readonly Message[]): readonly Todo[] | undefined {
  const last = messages.findLast((one) => one["role"] === "tool" && one["tool_name"] === "todo");
  return last === undefined ? undefined : todoOf(String(last["content"] ?? ""));
}

interface Round {
  readonly results: ReadonlyMap<string, Message>;
  /** Calls without a result run. */
  readonly open: boolean;
}

function itemsOf(message: Message, round: Round): readonly ChatItem[] {
  const id = Number(message["id"] ?? 0);
  const key = `m${id}`;
  if (message["kind"] === "note") return []; // told to the model by compaction
  if (message["kind"] === "summary" && message["copied_from"] === undefined)
    return [
      {
        kind: "notice",
        key,
        text: "Earlier messages were compacted into a summary.",
        level: "info",
        rule: "compacted",
      },
    ];
  if (message["role"] === "user") {
    const text = withChips(sanitize(String(message["content"] ?? "")));
    return [
      {
        kind: "user",
        key,
        text,
        id,
        at: timeOf(message),
        place: placeOf(message),
        ...(isNews(text) ? { news: true } : {}),
      },
    ];
  }
  if (message["role"] !== "assistant") return [];
  return [...said(message, id), ...callsOf(message).map((call) => toolItem(message, call, round))];
}

function said(message: Message, id: number): readonly ChatItem[] {
  const text = sanitize(String(message["content"] ?? ""));
  const reasoning = sanitize(typeof message["reasoning"] === "string" ? message["reasoning"] : "").trim();
  const interrupted = message["finish_reason"] === "interrupted";
  return [
    ...(reasoning === "" ? [] : [{ kind: "thinking", key: `t${id}`, text: reasoning, ms: undefined } as const]),
    ...(text === ""
      ? []
      : [{ kind: "answer", key: `m${id}`, text, id, interrupted, place: placeOf(message) } as const]),
  ];
}

/** What the owner writes for the model when work in the background ends: the person did not say it. */
const isNews = (text: string): boolean => /^\[Background (?:task|process) \S+ (?:ended|printed|finished)/.test(text);

/** Where a message stands; undefined: the owner did not say. */
export function placeOf(message: Message): PagePlace | undefined {
  const { session_id, ordinal } = message;
  return typeof session_id === "string" && typeof ordinal === "number" ? { session_id, ordinal } : undefined;
}

const timeOf = (message: Message): number | undefined => {
  const at = Date.parse(String(message["created_at"]));
  return Number.isNaN(at) ? undefined : at;
};

const callsOf = (message: Message): readonly Message[] =>
  Array.isArray(message["tool_calls"]) ? (message["tool_calls"] as Message[]) : []; // the owner of this version sends calls

function toolItem(message: Message, call: Message, { results, open }: Round): ToolItem {
  const callId = String(call["id"] ?? "");
  const result = results.get(callId);
  const runs = open && result === undefined;
  const announced = recordOf(message["call_previews"])?.[callId];
  const preview = typeof announced === "string" ? announced : previewOf(String(call["arguments"] ?? ""));
  return {
    kind: "tool",
    key: callKey(Number(message["id"] ?? 0), callId),
    callId,
    name: sanitizeLine(String(call["name"] ?? "")),
    preview: [...sanitizeLine(preview)].slice(0, 120).join(""),
    state: runs ? "running" : toolState(String(result?.["status"] ?? "stopped")),
    ms: Number(result?.["duration_ms"] ?? 0),
    since: 0,
    inner: [],
    ...(runs ? { startedAt: timeOf(message) } : {}),
    result:
      result === undefined ? undefined : resultOf(String(result["content"] ?? ""), placeOf(result), result["pictures"]),
  };
}

/** The message whose calls ran last. */
export const roundIn = (messages: readonly Message[]): number =>
  Number(messages.findLast((one) => one["role"] === "assistant" && callsOf(one).length > 0)?.["id"] ?? 0);

/** Key of a call: ids alone may repeat. @param message id of the message that makes it */
export const callKey = (message: number, callId: string): string => `c${message}.${callId}`;

/** Calls that were read as running count their time on this screen's clock. */
export const onClock = (
  items: readonly ChatItem[],
  { now, wall }: { readonly now: number; readonly wall: number },
): readonly ChatItem[] =>
  items.map((item) =>
    item.kind === "tool" && item.startedAt !== undefined
      ? { ...item, since: now - Math.max(0, wall - item.startedAt), startedAt: undefined }
      : item,
  );

const recordOf = (value: unknown): Readonly<Record<string, unknown>> | undefined =>
  typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined; // an object that is not null

export function toolState(status: string): ToolState {
  if (status === "ok" || status === "error") return status;
  return status === "denied" || status === "blocked" ? "denied" : "stopped";
}

/** Arguments that say what a call of an unknown tool is about: the line that announced it is not stored. */
const TELLING = ["command", "path", "pattern", "query", "question", "goal", "code", "title", "text"];

function previewOf(text: string): string {
  try {
    const args: unknown = JSON.parse(text);
    const named = typeof args === "object" && args !== null ? Object.entries(args) : [];
    const [first] = TELLING.flatMap((name) =>
      named.filter(([key, value]) => key === name && typeof value === "string"),
    );
    return first === undefined ? text : String(first[1]);
  } catch {
    return text; // a call that was not JSON is shown as it came
  }
}
