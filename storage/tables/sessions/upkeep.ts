import type { EpochMs, SessionId } from "../../../lib/base/units.js";
import type { SessionStats } from "../../../lib/contracts/chat/sessions.js";
import type { Query } from "../../store.js";

export interface RestedFilter {
  /** Nothing has happened in the lineage since. */
  readonly before: EpochMs;
  readonly source: string | undefined;
}

/** The newest segment of each lineage all of whose segments have ended and rested. Delegated children go with their parent. */
export async function rested(q: Query, { before, source }: RestedFilter): Promise<SessionId[]> {
  const rows = await q.all(
    `SELECT s.id FROM sessions s
     WHERE COALESCE(s.relation, '') <> 'delegate' AND (? IS NULL OR s.source = ?) AND s.pinned = 0
       AND NOT EXISTS (SELECT 1 FROM sessions o WHERE o.lineage_root = s.lineage_root
         AND (o.ended_at IS NULL OR o.last_active_at >= ? OR o.started_at > s.started_at OR (o.started_at = s.started_at AND o.id > s.id)))
     ORDER BY s.last_active_at, s.id`,
    [source ?? null, source ?? null, before],
  );
  return rows.map((row) => String(row["id"]) as SessionId); // the column holds ids of sessions
}

/** Numbers about everything that is stored. */
export async function stats(q: Query): Promise<SessionStats> {
  const sessions = await q.get(
    `SELECT count(*) AS sessions, count(DISTINCT lineage_root) AS lineages, SUM(archived) AS archived, SUM(tool_call_count) AS tool_calls,
       SUM(input_tokens) AS input_tokens, SUM(output_tokens) AS output_tokens, MIN(started_at) AS oldest, MAX(last_active_at) AS newest
     FROM sessions`,
  );
  const messages = await q.get("SELECT count(*) AS messages, SUM(active = 0) AS hidden FROM messages");
  const pages = await q.get("SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()");
  const sources = await q.all("SELECT source, count(*) AS n FROM sessions GROUP BY source ORDER BY source");
  const number = (row: typeof sessions, name: string) => Number(row?.[name] ?? 0);
  const time = (name: string) => (typeof sessions?.[name] === "number" ? sessions[name] : null);
  return {
    lineages: number(sessions, "lineages"),
    sessions: number(sessions, "sessions"),
    archived: number(sessions, "archived"),
    messages: number(messages, "messages"),
    hidden: number(messages, "hidden"),
    tool_calls: number(sessions, "tool_calls"),
    input_tokens: number(sessions, "input_tokens"),
    output_tokens: number(sessions, "output_tokens"),
    bytes: number(pages, "bytes"),
    by_source: Object.fromEntries(sources.map((row) => [String(row["source"]), Number(row["n"])])),
    oldest: time("oldest"),
    newest: time("newest"),
  };
}

/** Statements that count what must not be there, with what that would mean. */
const WRONG: readonly (readonly [sql: string, means: string])[] = [
  [
    "SELECT count(*) AS n FROM messages WHERE session_id NOT IN (SELECT id FROM sessions)",
    "messages without a session",
  ],
  [
    "SELECT count(*) AS n FROM sessions WHERE lineage_root NOT IN (SELECT id FROM sessions)",
    "sessions without the first segment of their lineage",
  ],
  ["SELECT count(*) AS n FROM turns WHERE session_id NOT IN (SELECT id FROM sessions)", "turns without a session"],
  [
    `SELECT abs((SELECT count(*) FROM message_index_docsize) - (SELECT count(*) FROM messages WHERE active = 1 AND copied_from IS NULL
       AND kind = 'normal')) AS n`,
    "the search index does not match the messages",
  ],
];

/** What is wrong with the stored rows and with the file itself, one sentence each. */
export async function findings(q: Query): Promise<string[]> {
  const found: string[] = [];
  for (const row of await q.all("SELECT integrity_check AS said FROM pragma_integrity_check LIMIT 20"))
    if (row["said"] !== "ok") found.push(`the file is damaged: ${String(row["said"])}`);
  for (const [sql, means] of WRONG) {
    const n = Number((await q.get(sql))?.["n"] ?? 0);
    if (n > 0) found.push(`${n} ${means}`);
  }
  return found;
}
