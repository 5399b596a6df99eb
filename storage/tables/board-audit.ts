import type { RunId, TaskId, UnixSeconds } from "../../lib/base/units.js";
import type { Status } from "../../lib/proto/board.js";
import type { Query } from "../store.js";

/** Statements by which the invariants of a board (board part, 23) are looked at. Each answers with what breaks one of them. */

const HOLDS = "l.ignored = 0 AND p.status <> 'archived' AND NOT (p.status = 'done' AND COALESCE(p.verdict, 'accepted') <> 'rejected')";

const idsOf = async (q: Query, sql: string): Promise<TaskId[]> => (await q.all<{ id: TaskId }>(sql)).map((row) => row.id);

/** Tasks that events tell of and that are neither there nor deleted by name. */
export const lostTasks = (q: Query): Promise<TaskId[]> =>
  idsOf(
    q,
    `SELECT DISTINCT e.task_id AS id FROM events e WHERE e.kind = 'created' AND NOT EXISTS (SELECT 1 FROM tasks t WHERE t.id = e.task_id)
     AND NOT EXISTS (SELECT 1 FROM events d WHERE d.kind = 'deleted' AND d.payload LIKE '%"' || e.task_id || '"%')`,
  );

/** Tasks whose status, open run and `current_run_id` do not fit together. */
export const wrongRuns = (q: Query): Promise<TaskId[]> =>
  idsOf(
    q,
    `SELECT t.id FROM tasks t LEFT JOIN runs r ON r.task_id = t.id AND r.ended_at IS NULL
     WHERE (t.status = 'running') <> (r.id IS NOT NULL) OR (r.id IS NOT NULL AND COALESCE(t.current_run_id, 0) <> r.id) ORDER BY t.id`,
  );

/** Tasks that name a run as their open one although none is open and they do not run: a pointer that nothing needs. */
export const stalePointers = (q: Query): Promise<TaskId[]> =>
  idsOf(
    q,
    `SELECT t.id FROM tasks t WHERE t.current_run_id IS NOT NULL AND t.status <> 'running'
     AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.task_id = t.id AND r.ended_at IS NULL) ORDER BY t.id`,
  );

/** Runs that ended without an outcome, or have one without an end. */
export async function halfEnded(q: Query): Promise<RunId[]> {
  const rows = await q.all<{ id: RunId }>("SELECT id FROM runs WHERE (ended_at IS NULL) <> (outcome IS NULL) ORDER BY id");
  return rows.map((row) => row.id);
}

/** Tasks that are ready or running before a parent is settled. */
export const overtaken = (q: Query): Promise<TaskId[]> =>
  idsOf(
    q,
    `SELECT DISTINCT t.id FROM tasks t JOIN links l ON l.child_id = t.id JOIN tasks p ON p.id = l.parent_id
     WHERE t.status IN ('ready', 'running') AND ${HOLDS} ORDER BY t.id`,
  );

/** Links whose parent or child is not there. */
export const looseLinks = async (q: Query): Promise<number> =>
  (
    await q.get<{ count: number }>(
      `SELECT count(*) AS count FROM links l WHERE NOT EXISTS (SELECT 1 FROM tasks t WHERE t.id = l.parent_id)
       OR NOT EXISTS (SELECT 1 FROM tasks t WHERE t.id = l.child_id)`,
    )
  )?.count ?? 0;

/** Every link, to look for circles. */
export const everyLink = (q: Query): Promise<{ parent_id: TaskId; child_id: TaskId }[]> => q.all("SELECT parent_id, child_id FROM links");

/** Unfinished children of a decomposition without an assignee. */
export const unassignedChildren = (q: Query): Promise<TaskId[]> =>
  idsOf(
    q,
    `SELECT id FROM tasks WHERE decomposed_from IS NOT NULL AND assignee IS NULL AND external = 0
     AND status NOT IN ('done', 'archived') ORDER BY id`,
  );

/** Roots of decompositions that do not wait for a leaf: an unfinished child on which no other child depends, and that is no parent of its root. */
export const missedLeaves = (q: Query): Promise<TaskId[]> =>
  idsOf(
    q,
    `SELECT DISTINCT r.id FROM tasks c JOIN tasks r ON r.id = c.decomposed_from
     WHERE r.status = 'ready' AND c.status NOT IN ('done', 'archived')
       AND NOT EXISTS (SELECT 1 FROM links l WHERE l.parent_id = c.id)`,
  );

/** Keys that two tasks have which are not archived. */
export async function doubleKeys(q: Query): Promise<string[]> {
  const rows = await q.all<{ key: string }>(
    `SELECT idempotency_key AS key FROM tasks WHERE idempotency_key IS NOT NULL AND status <> 'archived'
     GROUP BY idempotency_key HAVING count(*) > 1`,
  );
  return rows.map((row) => row.key);
}

export interface AuditEvent {
  readonly seq: number;
  readonly kind: string;
  readonly task_id: TaskId | null;
  readonly payload: string;
}

/** Events above a cursor, in order, at most `limit`. */
export const eventsFrom = (q: Query, after: number, limit: number): Promise<AuditEvent[]> =>
  q.all("SELECT seq, kind, task_id, payload FROM events WHERE seq > ? ORDER BY seq LIMIT ?", [after, limit]);

export interface AuditTask {
  readonly id: TaskId;
  readonly status: Status;
  readonly assignee: string | null;
  readonly external: number;
  readonly skills: string;
  readonly max_retries: number | null;
  readonly consecutive_failures: number;
  readonly decomposed_from: TaskId | null;
  readonly workspace_kind: string;
  readonly workspace_path: string | null;
  readonly started_at: UnixSeconds | null;
}

/** Every task, as far as the audit looks at it. */
export const auditTasks = (q: Query): Promise<AuditTask[]> =>
  q.all(
    `SELECT id, status, assignee, external, skills, max_retries, consecutive_failures, decomposed_from, workspace_kind, workspace_path,
       started_at
     FROM tasks ORDER BY id`,
  );

/** Hashes of the tokens of all runs. */
export async function tokenHashes(q: Query): Promise<Set<string>> {
  const rows = await q.all<{ hash: string }>("SELECT token_sha256 AS hash FROM runs WHERE token_sha256 IS NOT NULL");
  return new Set(rows.map((row) => row.hash));
}

export interface AuditText {
  readonly what: string;
  readonly text: string;
}

/** What workers wrote, newest first: comments, summaries, metadata, errors. */
export const workerTexts = (q: Query, limit: number): Promise<AuditText[]> =>
  q.all(
    `SELECT * FROM (SELECT 'comment ' || c.id AS what, x.text AS text FROM comments c JOIN comment_texts x ON x.comment_id = c.id
       WHERE c.author_kind = 'worker' ORDER BY c.id DESC LIMIT ?) AS a
     UNION ALL SELECT * FROM (SELECT 'run ' || run_id AS what, COALESCE(summary, '') || ' ' || COALESCE(metadata, '') AS text FROM run_texts
       ORDER BY run_id DESC LIMIT ?) AS b
     UNION ALL SELECT * FROM (SELECT 'run ' || id AS what, error AS text FROM runs WHERE error IS NOT NULL ORDER BY id DESC LIMIT ?) AS c`,
    [limit, limit, limit],
  );

/** Newest instant that an event carries; null without events. */
export async function newestInstant(q: Query): Promise<UnixSeconds | null> {
  const row = await q.get<{ at: number | null }>("SELECT max(created_at) / 1000 AS at FROM events");
  return row?.at ?? null;
}

/** Messages that are owed to nobody: their subscription is gone although they were not told. */
export const orphanDeliveries = async (q: Query): Promise<number> =>
  (
    await q.get<{ count: number }>(
      `SELECT count(*) AS count FROM deliveries d WHERE d.state IN ('pending', 'sending')
       AND NOT EXISTS (SELECT 1 FROM subscriptions s WHERE s.id = d.subscription_id)`,
    )
  )?.count ?? 0;

/** Attachments with their files. */
export const everyAttachment = (q: Query): Promise<{ id: number; task_id: TaskId; filename: string; stored_path: string }[]> =>
  q.all("SELECT id, task_id, filename, stored_path FROM attachments ORDER BY id");

/** Open runs without a lease and without a recorded worker: nothing would ever end them. */
export async function lostRuns(q: Query): Promise<RunId[]> {
  const rows = await q.all<{ id: RunId }>(
    "SELECT id FROM runs WHERE ended_at IS NULL AND worker_pid IS NULL AND claim_expires IS NULL ORDER BY id",
  );
  return rows.map((row) => row.id);
}
