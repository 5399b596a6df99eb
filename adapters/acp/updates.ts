import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { isRecord } from "../../lib/base/json/record.js";
import { comesLate } from "../../lib/contracts/wire/late-deltas.js";
import type { WireEvent } from "../../lib/contracts/wire/wire.js";
import { lastOf, locationsOf, parseArgs, resultContent, textContent, titleOf, toKind, toStatus } from "./tool-calls.js";

/** What the editor was sent of a conversation so far. */
export interface Shown {
  readonly cwd: string;
  /** Of the message that streams. */
  text: string;
  thought: string;
  /** When the newest message of the assistant was stored: deltas from before it are in it. */
  storedAt: number;
  /** Results that are stored and whose calls have not ended yet, and output of calls that run, by call. */
  readonly results: Map<string, string>;
  readonly output: Map<string, string>;
  /** The newest calls that have ended: output that comes late is in their results. */
  readonly ended: Set<string>;
}

const ENDED_KEPT = 200;

export const nothingShown = (cwd: string): Shown => ({
  cwd,
  text: "",
  thought: "",
  storedAt: 0,
  results: new Map(),
  output: new Map(),
  ended: new Set(),
});

/** A turn has ended. Deltas of its last message and output of its calls that come late are still known as such. */
export const turnShown = ({ cwd, storedAt, ended }: Shown): Shown => ({ ...nothingShown(cwd), storedAt, ended });

/** A piece of what the model says. */
export const toAgentChunk = (text: string): SessionUpdate => ({
  sessionUpdate: "agent_message_chunk",
  content: { type: "text", text },
});

const thought = (text: string): SessionUpdate => ({
  sessionUpdate: "agent_thought_chunk",
  content: { type: "text", text },
});

/** What a user said to the model. */
export const toUserChunk = (text: string): SessionUpdate => ({
  sessionUpdate: "user_message_chunk",
  content: { type: "text", text },
});

const string = (value: unknown): string => (typeof value === "string" ? value : "");

/** What an editor is sent for an event of its conversation. Messages of the user are left to the part that knows which are its own. */
export function toUpdates(shown: Shown, event: WireEvent): readonly SessionUpdate[] {
  const { data } = event;
  if (comesLate(event, shown.storedAt)) return [];
  switch (event.event) {
    case "text.delta":
      return streamed(shown, string(data["text"]), Number(data["offset"] ?? shown.text.length));
    case "reasoning.delta":
      shown.thought += string(data["text"]);
      return [thought(string(data["text"]))];
    case "text.reset":
      return resetText(shown);
    case "message.added":
      return stored(shown, data, event.at);
    case "tool.started":
      return [startedCall(shown, data)];
    case "tool.progress":
      return progressed(shown, data);
    case "tool.ended":
      return [endedCall(shown, data)];
    case "todo.changed":
      return [toPlan(data["items"])];
    case "notice":
      return data["level"] === "info" ? [] : [thought(`${string(data["text"])}\n`)];
    case "fallback":
      return [thought(`The model has changed: ${string(data["cause"])}\n`)];
    default:
      return [];
  }
}

/** Deltas may be dropped, merged or come twice: `offset` says where they belong. What is missing comes with the stored message. */
function streamed(shown: Shown, text: string, offset: number): readonly SessionUpdate[] {
  if (offset > shown.text.length) return [];
  const fresh = text.slice(shown.text.length - offset);
  if (fresh === "") return [];
  shown.text += fresh;
  return [toAgentChunk(fresh)];
}

/** What was shown cannot be taken back. */
function resetText(shown: Shown): readonly SessionUpdate[] {
  const began = shown.text !== "";
  shown.text = "";
  shown.thought = "";
  return began ? [toAgentChunk("\n\n[the answer begins again]\n\n")] : [];
}

function stored(shown: Shown, data: WireEvent["data"], at: string): readonly SessionUpdate[] {
  const content = string(data["content"]);
  if (data["role"] === "tool") {
    shown.results.set(string(data["tool_call_id"]), content);
    return [];
  }
  if (data["role"] !== "assistant" || data["kind"] !== undefined) return [];
  const updates: SessionUpdate[] = [];
  const reasoning = string(data["reasoning"]);
  if (shown.thought === "" && reasoning !== "") updates.push(thought(reasoning));
  const rest = content.startsWith(shown.text) ? content.slice(shown.text.length) : "";
  if (rest !== "") updates.push(toAgentChunk(rest));
  shown.text = "";
  shown.thought = "";
  shown.storedAt = Date.parse(at);
  return updates;
}

function startedCall(shown: Shown, data: WireEvent["data"]): SessionUpdate {
  const args = parseArgs(data["args"]);
  const tool = string(data["name"]);
  return {
    sessionUpdate: "tool_call",
    toolCallId: string(data["call_id"]),
    title: titleOf(tool, data["preview"]),
    kind: toKind(tool),
    status: "in_progress",
    locations: locationsOf(args, shown.cwd),
    rawInput: args,
  };
}

function progressed(shown: Shown, data: WireEvent["data"]): readonly SessionUpdate[] {
  const call = string(data["call_id"]);
  if (shown.ended.has(call)) return [];
  const whole = lastOf((shown.output.get(call) ?? "") + string(data["text"]));
  shown.output.set(call, whole);
  return [{ sessionUpdate: "tool_call_update", toolCallId: call, content: [textContent(whole)] }];
}

function endedCall(shown: Shown, data: WireEvent["data"]): SessionUpdate {
  const call = string(data["call_id"]);
  const tool = string(data["name"]);
  const result = shown.results.get(call) ?? string(data["preview"]);
  shown.results.delete(call);
  shown.output.delete(call);
  shown.ended.add(call);
  for (const oldest of shown.ended) if (shown.ended.size > ENDED_KEPT) shown.ended.delete(oldest);
  return {
    sessionUpdate: "tool_call_update",
    toolCallId: call,
    status: toStatus(data["status"]),
    content: resultContent(tool, result, shown.cwd),
  };
}

/** The list of steps. The protocol does not know abandoned steps: they are left out of the plan. */
function toPlan(items: unknown): SessionUpdate {
  const list = Array.isArray(items) ? items.filter(isRecord) : [];
  return {
    sessionUpdate: "plan",
    entries: list.flatMap((item) => {
      const { content, status } = item;
      if (status !== "pending" && status !== "in_progress" && status !== "completed") return [];
      return [{ content: string(content), priority: "medium" as const, status }];
    }),
  };
}
