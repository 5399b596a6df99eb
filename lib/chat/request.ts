import type { MessageRecord } from "../proto/chat.js";
import type { ChatMessage } from "../proto/model.js";

/**
 * The stored conversation as a request has it (core part, 2.3). The same history always gives the same messages, so that the provider's prefix
 * cache holds: a later request begins with the messages of the earlier one. What every protocol wants of them (a result behind each call,
 * arguments in one form, no two messages of the user in a row) is made where they are sent.
 */
export function toWire(system: string, stored: readonly MessageRecord[], wireOnly: readonly ChatMessage[] = []): ChatMessage[] {
  const active = stored.filter((message) => message.active).toSorted((a, b) => a.ordinal - b.ordinal || a.id - b.id);
  return [{ role: "system", content: system }, ...active.flatMap(wireOf), ...wireOnly];
}

/** Messages of a long conversation go out again with every request of it. */
const made = new WeakMap<MessageRecord, readonly ChatMessage[]>();

function wireOf(record: MessageRecord): readonly ChatMessage[] {
  const known = made.get(record) ?? toMessage(record);
  made.set(record, known);
  return known;
}

function toMessage({ role, content, ...message }: MessageRecord): ChatMessage[] {
  const { pictures } = message;
  if (role === "user") return [{ role, content: content.trim(), ...(pictures === undefined ? {} : { pictures }) }];
  if (role === "tool") return [{ role, toolCallId: message.toolCallId ?? "", name: message.toolName ?? "tool", content: content.trim() }];
  const calls = message.toolCalls ?? [];
  if (role !== "assistant" || (content.trim() === "" && calls.length === 0)) return [];
  return [
    {
      ...{ role, content: content.trim() },
      ...(calls.length > 0 ? { toolCalls: calls } : {}),
      ...(message.reasoning ? { reasoning: message.reasoning } : {}),
      ...(message.replay ? { replay: message.replay } : {}),
    },
  ];
}
