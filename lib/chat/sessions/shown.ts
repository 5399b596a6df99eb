import { toIso } from "../../base/units.js";
import type { MessageRecord, SessionRecord } from "../../contracts/chat/chat.js";

/** Longest text of one message; `scroll` shows longer ones in parts of the same size only as far as this. */
const CONTENT_CHARS = 3_000;
/** Tool results are read for their beginning. */
const TOOL_CHARS = 1_000;

/** A message as the model reads it. */
export function shownMessage(message: MessageRecord, anchor?: number): Readonly<Record<string, unknown>> {
  const { toolName, toolCalls, toolCallId } = message;
  return {
    id: message.id,
    role: message.role,
    content: cut(message.content, message.role === "tool" ? TOOL_CHARS : CONTENT_CHARS),
    timestamp: toIso(message.created_at),
    ...(toolName === undefined ? {} : { tool_name: toolName }),
    ...(toolCalls === undefined
      ? {}
      : {
          tool_calls: toolCalls.map(({ id, name, arguments: args }) => ({
            id,
            name,
            arguments: cut(args, TOOL_CHARS),
          })),
        }),
    ...(toolCallId === undefined ? {} : { tool_call_id: toolCallId }),
    ...(message.id === anchor ? { anchor: true } : {}),
  };
}

function cut(text: string, chars: number): string {
  if (text.length <= chars) return text;
  return `${text.slice(0, chars).replace(/[\ud800-\udbff]$/, "")}… [${text.length - chars} characters more]`;
}

/** Facts of a session beside its messages. */
export function metaOf(session: SessionRecord): Readonly<Record<string, unknown>> {
  return { when: toIso(session.started_at), source: session.source, model: session.model, title: session.title };
}
