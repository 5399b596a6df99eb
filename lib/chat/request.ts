import { canonicalJson } from "../base/canonical-json.js";
import type { MessageRecord } from "../proto/chat.js";
import type { ChatMessage, ToolCall } from "../proto/model.js";

const LOST_RESULT = "[Result unavailable: see the context summary above]";

/**
 * The stored conversation as the wire wants it (core part, 2.3). Works on copies. The same history always gives the same messages, so that
 * the provider's prefix cache holds: a later request begins with the messages of the earlier one.
 */
export function toWire(system: string, stored: readonly MessageRecord[], wireOnly: readonly ChatMessage[] = []): ChatMessage[] {
  const active = stored.filter((message) => message.active).toSorted((a, b) => a.ordinal - b.ordinal || a.id - b.id);
  const results = new Map(active.filter((m) => m.role === "tool" && m.toolCallId !== undefined).map((m) => [m.toolCallId ?? "", m]));
  const wire: ChatMessage[] = [{ role: "system", content: system }];
  for (const message of active) {
    if (message.role === "user") pushUser(wire, message.content);
    if (message.role === "assistant") pushAssistant(wire, message, results);
  }
  return [...wire, ...wireOnly];
}

function pushUser(wire: ChatMessage[], content: string): void {
  const last = wire.at(-1);
  if (last?.role === "user") wire[wire.length - 1] = { role: "user", content: `${last.content}\n\n${content.trim()}` };
  else wire.push({ role: "user", content: content.trim() });
}

function pushAssistant(wire: ChatMessage[], message: MessageRecord, results: ReadonlyMap<string, MessageRecord>): void {
  const calls = message.toolCalls ?? [];
  if (message.content.trim() === "" && calls.length === 0) return;
  wire.push({
    role: "assistant",
    content: message.content.trim(),
    ...(calls.length > 0 ? { toolCalls: calls.map(canonical) } : {}),
    ...(message.reasoning ? { reasoning: message.reasoning } : {}),
    ...(message.replay ? { replay: message.replay } : {}),
  });
  for (const call of calls) {
    const result = results.get(call.id);
    wire.push({ role: "tool", toolCallId: call.id, name: call.name, content: result?.content.trim() ?? LOST_RESULT });
  }
}

/** Stored calls never change, and go out again with every request of their conversation. */
const looked = new WeakMap<ToolCall, ToolCall>();

/** Arguments with sorted keys and no blanks. What is no JSON goes out as an empty object: the result says that it was damaged. */
function canonical(call: ToolCall): ToolCall {
  const known = looked.get(call) ?? { ...call, arguments: canonicalArguments(call.arguments) };
  looked.set(call, known);
  return known;
}

function canonicalArguments(text: string): string {
  try {
    return canonicalJson(JSON.parse(text));
  } catch {
    return "{}"; // ok to lose: the model is told in the result of this call that its arguments were no JSON
  }
}
