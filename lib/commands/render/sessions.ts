import { toIso } from "../../base/units.js";
import type { MessageRecord, SessionRecord } from "../../contracts/chat/chat.js";

/** Longest content of one message that `show` prints in its human form. */
const SHOWN_CHARS = 4_000;

/** `2026-01-31 09:15`, in UTC. */
export const minute = (at: number): string => toIso(at).slice(0, 16).replace("T", " ");

/** One line: id, last activity, number of messages, what it is about, and its directory when that is not `here`. */
export function sessionLine(session: SessionRecord & { preview?: string }, here: string): string {
  const about = session.title ?? session.preview ?? "";
  const where = session.cwd === here ? "" : `  (${session.cwd})`;
  return `${session.id}  ${minute(session.last_active_at)}  ${String(session.message_count).padStart(4)}  ${about === "" ? "(empty)" : about}${where}`;
}

/** The same in a chat, where lines are short. */
export function chatLine(session: SessionRecord & { preview?: string }, isHere: boolean): string {
  const about = session.title ?? session.preview ?? "";
  const facts = `${session.id}, ${session.message_count} messages, ${minute(session.last_active_at)} UTC${isHere ? ", this one" : ""}`;
  return `${about === "" ? "(empty)" : about} (${facts})`;
}

/** Facts of a session, one per line. */
export function sessionHead(session: SessionRecord): string {
  const lines = [
    `${session.id}  ${session.title ?? "(untitled)"}`,
    `source ${session.source}, model ${session.model} (${session.provider}), directory ${session.cwd}`,
    `started ${minute(session.started_at)}, last active ${minute(session.last_active_at)} (UTC)`,
    `${session.message_count} messages, ${session.tool_call_count} tool calls, ${session.input_tokens} tokens in, ${session.output_tokens} out`,
  ];
  return [...lines, ...(session.archived ? ["archived"] : [])].join("\n");
}

/** A message as people read it. */
export function messageText(message: MessageRecord): string {
  const said = message.kind === undefined ? message.role : `${message.kind} of compaction`;
  const name = message.role === "tool" ? `${message.toolName ?? "tool"} (${message.status ?? "ok"})` : said;
  const calls = (message.toolCalls ?? []).map((call) => `  calls ${call.name} ${call.arguments}`);
  const content = cut(message.content);
  return [`[${minute(message.created_at)}] ${name}`, ...(content === "" ? [] : [content]), ...calls].join("\n");
}

function cut(text: string): string {
  if (text.length <= SHOWN_CHARS) return text;
  return `${text.slice(0, SHOWN_CHARS).replace(/[\ud800-\udbff]$/, "")}\n… ${text.length - SHOWN_CHARS} more characters; agent sessions export shows all`;
}
