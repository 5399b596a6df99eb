import type { Store } from "../../../storage/store.js";
import * as messages from "../../../storage/tables/sessions/messages.js";
import * as sessions from "../../../storage/tables/sessions/records.js";
import { type SessionId, toIso } from "../../base/units.js";
import type { ExportFormat, MessageRecord, SessionRecord } from "../../contracts/chat/chat.js";
import { toMessageJson, toSessionJson } from "../../contracts/wire/shapes/session-json.js";
import { noSession } from "../transcript/session-record.js";

/** Messages read at once, so that others do not wait for a long export. */
const PORTION = 200;

/**
 * The lineage of a session as text: every visible message of every segment once. Chunks, in order; a newline ends the last one.
 *
 * @param more follows the stored messages of a segment
 * @throws E_NOT_FOUND
 */
export async function* exportLineage(
  store: Store,
  id: SessionId,
  format: ExportFormat,
  more: MoreMessages = async () => [],
): AsyncGenerator<string> {
  const session = await store.read((q) => sessions.get(q, id));
  if (!session) throw noSession(id);
  const segments = await store.read((q) => sessions.lineage(q, session.lineage_root));
  const pages = (segment: SessionRecord) => portions(store, segment, more);
  if (format === "md") yield* asMarkdown(pages, segments);
  else if (format === "jsonl") yield* asLines(pages, segments);
  else yield* asJson(pages, segments);
}

type MoreMessages = (session: SessionId) => Promise<readonly MessageRecord[]>;

type Pages = (session: SessionRecord) => AsyncGenerator<readonly MessageRecord[]>;

async function* portions(
  store: Store,
  { id }: SessionRecord,
  more: MoreMessages,
): AsyncGenerator<readonly MessageRecord[]> {
  let after = 0;
  for (;;) {
    const page = await store.read((q) => messages.originals(q, id, { after, limit: PORTION }));
    if (page.length === 0) break;
    yield page;
    after = page.at(-1)?.ordinal ?? after;
  }
  yield await more(id);
}

async function* asMarkdown(pages: Pages, segments: readonly SessionRecord[]): AsyncGenerator<string> {
  const [first] = segments;
  const newest = segments.at(-1);
  if (!first || !newest) return;
  const facts = [
    `- id: ${newest.id}`,
    `- source: ${newest.source}`,
    `- model: ${newest.model} (${newest.provider})`,
    `- directory: ${newest.cwd}`,
  ];
  yield `# ${newest.title ?? newest.id}\n\n${[...facts, `- started: ${toIso(first.started_at)}`].join("\n")}\n`;
  for (const session of segments) {
    if (session !== first) yield `\n---\n\nsegment ${session.id} (${session.relation ?? "continued"})\n`;
    for await (const page of pages(session)) yield page.map(messageMarkdown).join("");
  }
}

const HEADINGS = { user: "User", assistant: "Assistant", system: "System", tool: "Tool" } as const;

const KINDS = { summary: "Summary of compaction", note: "Note of compaction" } as const;

function messageMarkdown(message: MessageRecord): string {
  const name = message.role === "tool" ? ` \`${message.toolName ?? "tool"}\` (${message.status ?? "ok"})` : "";
  const text = message.role === "tool" ? fenced(message.content, "") : message.content;
  const calls = (message.toolCalls ?? []).map((call) => `Calls \`${call.name}\`:\n\n${fenced(call.arguments, "json")}`);
  const parts = [text, ...calls].filter((part) => part.trim() !== "");
  const heading = message.kind === undefined ? HEADINGS[message.role] : KINDS[message.kind];
  return `\n## ${heading}${name}\n\n_${toIso(message.created_at)}_\n\n${parts.join("\n\n")}\n`;
}

/** A fence longer than any inside the text, so that the text cannot close it. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

async function* asLines(pages: Pages, segments: readonly SessionRecord[]): AsyncGenerator<string> {
  for (const session of segments) {
    yield `${JSON.stringify({ type: "session", ...toSessionJson(session) })}\n`;
    for await (const page of pages(session)) {
      yield page.map((message) => `${JSON.stringify({ type: "message", ...toMessageJson(message) })}\n`).join("");
    }
  }
}

async function* asJson(pages: Pages, segments: readonly SessionRecord[]): AsyncGenerator<string> {
  const newest = segments.at(-1);
  if (!newest) return;
  yield `{"session": ${JSON.stringify(toSessionJson(newest))},\n"segments": ${JSON.stringify(segments.map((one) => one.id))},\n"messages": [`;
  let separator = "\n";
  for (const session of segments) {
    for await (const page of pages(session)) {
      for (const message of page) {
        yield `${separator}${JSON.stringify(toMessageJson(message))}`;
        separator = ",\n";
      }
    }
  }
  yield "\n]}\n";
}
