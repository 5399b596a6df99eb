import type { EpochMs, SessionId } from "../../../lib/base/units.js";
import type { SessionRecord } from "../../../lib/contracts/chat/chat.js";
import type { Query, Row, Tx } from "../../store.js";

const COLUMNS = `id, source, profile, lineage_root, parent_session_id, relation, model, provider, system_prompt, title, title_source, cwd,
  started_at, last_active_at, ended_at, end_reason, message_count, tool_call_count, api_call_count, input_tokens, output_tokens,
  cache_read_tokens, cache_write_tokens, reasoning_tokens, last_prompt_tokens,
  estimated_cost_usd, archived, ephemeral`;
/** Sources that no list and no search shows. */
const HIDDEN = "('subagent', 'tool')";

/** A row as the record that everybody sees. */
function toSession(row: Row): SessionRecord {
  // The columns are those of the record by name and type; two of them are booleans outside.
  return { ...row, archived: row["archived"] === 1, ephemeral: row["ephemeral"] === 1 } as unknown as SessionRecord;
}

export async function insert(tx: Tx, session: SessionRecord, toolsets: readonly string[] | undefined): Promise<void> {
  await tx.run(
    `INSERT INTO sessions (id, source, profile, lineage_root, family_root, parent_session_id, relation, model, provider, system_prompt,
      toolsets, title, title_source, cwd, started_at, last_active_at, ephemeral)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      session.id,
      session.source,
      session.profile,
      session.lineage_root,
      session.lineage_root,
      session.parent_session_id,
      session.relation,
      session.model,
      session.provider,
      session.system_prompt,
      toolsets === undefined ? null : JSON.stringify(toolsets),
      session.title,
      session.title_source,
      session.cwd,
      session.started_at,
      session.last_active_at,
      session.ephemeral ? 1 : 0,
    ],
  );
}

/** Give a branch what a new record does not name: settings of its parent, and its family, which search leaves out together. */
export async function inherit(tx: Tx, id: SessionId, parent: SessionId): Promise<void> {
  await tx.run(
    `UPDATE sessions SET (family_root, toolsets, model_config, user_id, project, last_prompt_tokens) =
       (SELECT family_root, toolsets, model_config, user_id, project, last_prompt_tokens FROM sessions WHERE id = ?) WHERE id = ?`,
    [parent, id],
  );
}

export async function get(q: Query, id: string): Promise<SessionRecord | undefined> {
  const row = await q.get(`SELECT ${COLUMNS} FROM sessions WHERE id = ?`, [id]);
  return row && toSession(row);
}

/** Sessions whose id begins with `prefix`, newest first, at most `limit`. */
export async function byPrefix(q: Query, prefix: string, limit: number): Promise<SessionRecord[]> {
  const rows = await q.all(
    `SELECT ${COLUMNS} FROM sessions WHERE id >= ? AND id < ? ORDER BY started_at DESC, id DESC LIMIT ?`,
    [prefix, `${prefix}\u{10ffff}`, limit],
  );
  return rows.map(toSession);
}

/** Sessions with this title or a numbered form of it (`name #2`), newest first. */
export async function byTitle(q: Query, title: string): Promise<SessionRecord[]> {
  const rows = await q.all(
    `SELECT ${COLUMNS} FROM sessions WHERE title = ? OR (title >= ? AND title < ?) ORDER BY started_at DESC, id DESC LIMIT 100`,
    [title, `${title} #`, `${title} $`],
  );
  return rows.map(toSession);
}

/** Every segment of a lineage, oldest first. */
export async function lineage(q: Query, root: string): Promise<SessionRecord[]> {
  const rows = await q.all(`SELECT ${COLUMNS} FROM sessions WHERE lineage_root = ? ORDER BY started_at, id`, [root]);
  return rows.map(toSession);
}

/** The segment in which a lineage goes on: the newest one that no compaction has closed. */
export async function current(q: Query, root: string): Promise<SessionRecord | undefined> {
  const row = await q.get(
    `SELECT ${COLUMNS} FROM sessions WHERE lineage_root = ?
     ORDER BY COALESCE(end_reason, '') IN ('compaction', 'compaction_undone'), started_at DESC, id DESC LIMIT 1`,
    [root],
  );
  return row && toSession(row);
}

export interface ListFilter {
  readonly source: string | undefined;
  readonly cwd: string | undefined;
  readonly archived: boolean | "both";
  readonly profile: string | undefined;
  readonly lineage: string | undefined;
  /** Undefined: every one. */
  readonly among: readonly string[] | undefined;
  readonly excludeSources: readonly string[];
  readonly minMessages: number;
  readonly maxMessages: number;
}

export interface ListPage {
  readonly order: "recent" | "created";
  readonly limit: number;
  readonly offset: number;
}

const LISTED = `FROM sessions s
     WHERE source NOT IN ${HIDDEN} AND COALESCE(relation, '') <> 'delegate' AND archived IN (?, ?) AND (? IS NULL OR source = ?) AND (? IS NULL OR cwd = ?)
       AND (? IS NULL OR profile = ?) AND (? IS NULL OR lineage_root = ?) AND message_count BETWEEN ? AND ?
       AND COALESCE(end_reason, '') <> 'compaction_undone'
       AND NOT EXISTS (SELECT 1 FROM sessions n WHERE n.lineage_root = s.lineage_root AND COALESCE(n.end_reason, '') <> 'compaction_undone'
         AND (n.started_at > s.started_at OR (n.started_at = s.started_at AND n.id > s.id)))`;

function listed({
  archived,
  source,
  cwd,
  profile,
  lineage,
  among,
  minMessages,
  maxMessages,
  excludeSources,
}: ListFilter) {
  const states = archived === "both" ? [0, 1] : archived ? [1, 1] : [0, 0];
  const either = [source, cwd, profile, lineage].flatMap((value) => [value ?? null, value ?? null]);
  const without = excludeSources.length === 0 ? "" : `AND source NOT IN (${excludeSources.map(() => "?").join(", ")})`;
  const only = among === undefined ? "" : `AND lineage_root IN (${among.map(() => "?").join(", ")})`;
  return {
    sql: `${LISTED} ${without} ${only}`,
    args: [...states, ...either, minMessages, maxMessages, ...excludeSources, ...(among ?? [])],
  };
}

/** One row per lineage, its newest segment; delegated children and hidden sources are left out. */
export async function list(q: Query, filter: ListFilter, page: ListPage): Promise<SessionRecord[]> {
  const { sql, args } = listed(filter);
  const by = page.order === "created" ? "started_at" : "last_active_at";
  const rows = await q.all(`SELECT ${COLUMNS} ${sql} ORDER BY ${by} DESC, id DESC LIMIT ? OFFSET ?`, [
    ...args,
    page.limit,
    page.offset,
  ]);
  return rows.map(toSession);
}

export async function count(q: Query, filter: ListFilter): Promise<number> {
  const { sql, args } = listed(filter);
  return Number((await q.get(`SELECT COUNT(*) AS n ${sql}`, args))?.["n"] ?? 0);
}

/** Session id and first user message of each lineage given. */
export async function firstUserMessage(q: Query, root: string): Promise<string | undefined> {
  const row = await q.get(
    `SELECT m.content FROM sessions s JOIN messages m ON m.session_id = s.id
     WHERE s.lineage_root = ? AND m.role = 'user' AND m.active = 1 ORDER BY m.id LIMIT 1`,
    [root],
  );
  return row === undefined ? undefined : String(row["content"]);
}

/** Id of another open session with this title, if any. */
export async function titleHolder(q: Query, title: string, except: string): Promise<string | undefined> {
  const row = await q.get(
    "SELECT id FROM sessions WHERE title = ? AND id <> ? AND lineage_root <> ? AND ended_at IS NULL ORDER BY id LIMIT 1",
    [title, except, except],
  );
  return row === undefined ? undefined : String(row["id"]);
}

export async function setTitle(tx: Tx, id: SessionId, title: string, source: "auto" | "user"): Promise<number> {
  return tx.run("UPDATE sessions SET title = ?, title_source = ? WHERE id = ?", [title, source, id]);
}

/** A generated title, only for a session without one. */
export async function offerTitle(tx: Tx, id: SessionId, title: string): Promise<number> {
  return tx.run("UPDATE sessions SET title = ?, title_source = 'auto' WHERE id = ? AND title IS NULL", [title, id]);
}

/** A better title in place of one that we made, unless another has come meanwhile. */
export async function improveTitle(tx: Tx, id: SessionId, { from, to }: { from: string; to: string }): Promise<number> {
  return tx.run("UPDATE sessions SET title = ? WHERE id = ? AND title = ? AND title_source = 'auto'", [to, id, from]);
}

export async function setArchived(tx: Tx, root: string, archived: boolean): Promise<number> {
  return tx.run("UPDATE sessions SET archived = ? WHERE lineage_root = ?", [archived ? 1 : 0, root]);
}

export interface StoredPrompt {
  readonly prompt: string;
  readonly model: string;
  readonly provider: string;
}

export async function setPrompt(tx: Tx, id: SessionId, { prompt, model, provider }: StoredPrompt): Promise<number> {
  return tx.run("UPDATE sessions SET system_prompt = ?, model = ?, provider = ? WHERE id = ?", [
    prompt,
    model,
    provider,
    id,
  ]);
}

/** Open a session again that had ended, in the directory of the user who continues it. */
export async function reopen(tx: Tx, id: SessionId, { cwd, at }: { cwd: string; at: EpochMs }): Promise<number> {
  return tx.run("UPDATE sessions SET ended_at = NULL, end_reason = NULL, cwd = ?, last_active_at = ? WHERE id = ?", [
    cwd,
    at,
    id,
  ]);
}

export async function end(tx: Tx, id: SessionId, reason: string, at: EpochMs): Promise<number> {
  return tx.run("UPDATE sessions SET ended_at = ?, end_reason = ? WHERE id = ? AND ended_at IS NULL", [at, reason, id]);
}

/** Close a segment whose lineage goes on in another. @returns 0 when that was done before */
export async function closeSegment(
  tx: Tx,
  id: SessionId,
  reason: "compaction" | "compaction_undone",
  at: EpochMs,
): Promise<number> {
  return tx.run(
    `UPDATE sessions SET ended_at = ?, end_reason = ? WHERE id = ? AND COALESCE(end_reason, '') NOT IN ('compaction', 'compaction_undone')`,
    [at, reason, id],
  );
}

/** What a new segment differs in from the one before it. */
export interface NextSegment {
  readonly id: SessionId;
  readonly from: SessionId;
  readonly title: string | null;
  readonly at: EpochMs;
}

/** The row of the next segment. Its counters start over, and it does not have a system prompt yet. */
export async function insertSegment(tx: Tx, { id, from, title, at }: NextSegment): Promise<void> {
  await tx.run(
    `INSERT INTO sessions (id, source, user_id, profile, lineage_root, family_root, parent_session_id, relation, model, provider, model_config,
       toolsets, title, title_source, cwd, project, started_at, last_active_at, archived, ephemeral, pinned)
     SELECT ?, source, user_id, profile, lineage_root, family_root, id, 'compaction', model, provider, model_config,
       toolsets, ?, title_source, cwd, project, MAX(?, started_at + 1), ?, archived, ephemeral, pinned FROM sessions WHERE id = ?`,
    [id, title, at, at, from],
  );
}

/** Whether anything was ever said in it, undone or not. */
export async function hasMessages(q: Query, id: SessionId): Promise<boolean> {
  return (await q.get("SELECT 1 AS one FROM messages WHERE session_id = ? LIMIT 1", [id])) !== undefined;
}

/** Remove the rows of one session, and let its branches live on without a parent. Its messages must be gone already. */
export async function remove(tx: Tx, id: SessionId): Promise<void> {
  await tx.run("UPDATE sessions SET parent_session_id = NULL WHERE parent_session_id = ?", [id]);
  await tx.run("DELETE FROM open_calls WHERE session_id = ?", [id]);
  await tx.run("DELETE FROM turns WHERE session_id = ?", [id]);
  await tx.run("DELETE FROM turn_usage WHERE session_id = ?", [id]);
  await tx.run("DELETE FROM events WHERE session_id = ?", [id]);
  await tx.run("DELETE FROM sessions WHERE id = ?", [id]);
}

/** Sessions that were delegated by one of this lineage. */
export async function delegated(q: Query, root: string): Promise<SessionRecord[]> {
  const rows = await q.all(
    `SELECT ${COLUMNS} FROM sessions WHERE relation = 'delegate'
       AND parent_session_id IN (SELECT id FROM sessions WHERE lineage_root = ?) ORDER BY id`,
    [root],
  );
  return rows.map(toSession);
}

/** Conversations that another one has begun, active since `since`, newest first. What a compaction has closed goes on elsewhere. */
export async function asidesSince(q: Query, since: EpochMs, limit: number): Promise<SessionRecord[]> {
  const rows = await q.all(
    `SELECT ${COLUMNS} FROM sessions WHERE last_active_at >= ? AND source IN ('subagent', 'background')
       AND COALESCE(end_reason, '') NOT IN ('compaction', 'compaction_undone') ORDER BY last_active_at DESC LIMIT ?`,
    [since, limit],
  );
  return rows.map(toSession);
}
