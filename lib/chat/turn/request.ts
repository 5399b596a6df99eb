import type { MessageRecord } from "../../contracts/chat/chat.js";
import type { ChatMessage } from "../../contracts/models/model.js";
import { modelPictures } from "../../contracts/models/pictures.js";

/**
 * The stored conversation as a request has it (core part, 2.3). The same history always gives the same messages, so that the provider's prefix
 * cache holds: a later request begins with the messages of the earlier one. What every protocol wants of them (a result behind each call,
 * arguments in one form, no two messages of the user in a row) is made where they are sent.
 */
export function toWire(
  system: string,
  stored: readonly MessageRecord[],
  wireOnly: readonly ChatMessage[] = [],
): ChatMessage[] {
  return [{ role: "system", content: system }, ...said(stored), ...wireOnly];
}

/** What of a list of messages went out last. */
interface Said {
  readonly messages: ChatMessage[];
  /** Messages of the list that were looked at, and the last of those. */
  read: number;
  last: MessageRecord | undefined;
  /** The furthest place in the conversation that one of them has. */
  furthest: number;
}

/** A conversation that is remembered is one list, which grows. */
const before = new WeakMap<readonly MessageRecord[], Said>();

/** Messages in the order of the conversation. Mostly a few have come to the end of those that went out last. */
function said(stored: readonly MessageRecord[]): readonly ChatMessage[] {
  const known = before.get(stored);
  if (known !== undefined && stored[known.read - 1] === known.last && addTo(known, stored)) return known.messages;
  const active = stored.filter((message) => message.active).toSorted((a, b) => a.ordinal - b.ordinal || a.id - b.id);
  const made = {
    messages: active.flatMap(wireOf),
    read: stored.length,
    last: stored.at(-1),
    furthest: active.at(-1)?.ordinal ?? 0,
  };
  before.set(stored, made);
  return made.messages;
}

/** False: what has come does not stand behind the rest. */
function addTo(known: Said, stored: readonly MessageRecord[]): boolean {
  for (const record of stored.slice(known.read)) {
    if (!record.active || record.ordinal <= known.furthest) return false;
    known.messages.push(...wireOf(record));
    known.last = record;
    known.furthest = record.ordinal;
    known.read += 1;
  }
  return true;
}

/** Messages of a long conversation go out again with every request of it. */
const made = new WeakMap<MessageRecord, readonly ChatMessage[]>();

function wireOf(record: MessageRecord): readonly ChatMessage[] {
  const known = made.get(record) ?? toMessage(record);
  made.set(record, known);
  return known;
}

/** Stands behind a message whose turn was stopped before it had any output. */
const STOPPED =
  "[The work on the message above was stopped before there was any output. Resume it only when asked to.]";

function toMessage({ role, content, ...message }: MessageRecord): ChatMessage[] {
  const pictures = modelPictures(message.pictures);
  if (role === "user") return [{ role, content: content.trim(), ...(pictures.length === 0 ? {} : { pictures }) }];
  if (role === "tool")
    return [
      {
        role,
        toolCallId: message.toolCallId ?? "",
        name: message.toolName ?? "tool",
        content: content.trim(),
        ...(pictures.length === 0 ? {} : { pictures }),
      },
    ];
  const calls = message.toolCalls ?? [];
  if (role !== "assistant") return [];
  if (content.trim() === "" && calls.length === 0)
    return message.finishReason === "interrupted" ? [{ role: "user", content: STOPPED }] : [];
  return [
    {
      role,
      content: content.trim(),
      ...(calls.length > 0 ? { toolCalls: calls } : {}),
      ...(message.reasoning ? { reasoning: message.reasoning } : {}),
      ...(message.replay ? { replay: message.replay } : {}),
    },
  ];
}
