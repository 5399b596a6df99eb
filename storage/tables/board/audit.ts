import type { RunId, TaskId, UnixSeconds } from "../../../lib/base/units.js";
import type { Status } from "../../../lib/contracts/board/board.js";
import type { Args, Query } from "../../store.js";

/**
 * Statements by which the invariants of a board (board part, 23) are looked at. Each answers with what breaks one of them. `+t.id` sorts by id and
 * keeps SQLite from walking all tasks in that order to find the few.
 */

const HOLDS =
  "l.ignored = 0 AND p.status <> 'archived' AND NOT (p.status = 'done' AND COALESCE(p.verdict, 'accepted') <> 'rejected')";

const UNFINISHED = "('triage', 'todo', 'ready', 'running', 'blocked', 'scheduled')";

const idsOf = async (q: Query, sql: string, args: Args = []): Promise<TaskId[]> =>
  (await q.all<{ id: TaskId }>(sql, args)).map((row) => row.id);

/** Tasks that events above `after` tell of and that are neither there nor deleted by name. */
export const lostTasks = (q: Query, after: number): Promise<TaskId[]> =>
  idsOf(
    q,
    `SELECT DISTINCT e.task_id AS id FROM events e
     WHERE e.seq > ? AND e.kind = 'created' AND NOT EXISTS (SELECT 1 FROM tasks t WHERE t.id = e.task_id)
     AND NOT EXISTS (SELECT 1 FROM events d WHERE d.seq > e.seq AND d.kind = 'deleted' AND d.payload LIKE '%"' || e.task_id || '"%')`,
    [after],
  );

/** Tasks whose status, open run and `current_run_id` do not fit together. Looked at from both ends, so that closed runs cost nothing. */
export const wrongRuns = (q: Query): Promise<TaskId[]> =>
  idsOf(
    q,
    `SELECT +t.id AS id FROM tasks t WHERE t.status = 'running' AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.task_id = t.id AND r.ended_at IS NULL)
     UNION SELECT +t.id FROM runs r JOIN tasks t ON t.id = r.task_id
       WHERE r.ended_at IS NULL AND (t.status <> 'running' OR COALESCE(t.current_run_id, 0) <> r.id) ORDER BY 1`,
  );

/** Tasks that name a run as their open one although none is open and they do not run: a pointer that nothing needs. */
export const stalePointers = (q: Query): Promise<TaskId[]> =>
  idsOf(
    q,
    `SELECT t.id FROM tasks t WHERE t.current_run_id IS NOT NULL AND t.status <> 'running'
     AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.task_id = t.id AND r.ended_at IS NULL) ORDER BY +t.id`,
  );

/** Runs that ended without an outcome, or have one without an end. */
export async function halfEnded(q: Query): Promise<RunId[]> {
  const rows = await q.all<{ id: RunId }>(
    "SELECT id FROM runs WHERE (ended_at IS NULL) <> (outcome IS NULL) ORDER BY id",
  );
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

/** Links to look for circles among: those of unfinished tasks, which alone can wait for each other, or all. */
export const linksToFollow = (q: Query, all: boolean): Promise<{ parent_id: TaskId; child_id: TaskId }[]> =>
  q.all(
    all
      ? "SELECT parent_id, child_id FROM links"
      : `SELECT l.parent_id, l.child_id FROM tasks t JOIN links l ON l.child_id = t.id WHERE t.status IN ${UNFINISHED}`,
  );

/** Unfinished children of a decomposition without an assignee. */
export const unassignedChildren = (q: Query): Promise<TaskId[]> =>
  idsOf(
    q,
    `SELECT id FROM tasks WHERE decomposed_from IS NOT NULL AND assignee IS NULL AND external = 0
     AND status NOT IN ('done', 'archived') ORDER BY +id`,
  );

/** Roots of decompositions that do not wait for a leaf: an unfinished child on which no other child depends, and that is not a parent of its root. */
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

const AUDITED = `SELECT id, status, assignee, external, skills, max_retries, consecutive_failures, decomposed_from, workspace_kind, workspace_path,
    started_at
  FROM tasks`;

/** These tasks, as far as they are there. */
export const auditTasks = (q: Query, ids: readonly TaskId[]): Promise<AuditTask[]> =>
  q.all(`${AUDITED} WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id`, [JSON.stringify(ids)]);

/** Ready tasks with counted failures. */
export const failedReady = (q: Query): Promise<AuditTask[]> =>
  q.all(`${AUDITED} WHERE status = 'ready' AND consecutive_failures > 0 ORDER BY id`);

/** Unfinished tasks that profiles work on. */
export const assignedTasks = (q: Query): Promise<AuditTask[]> =>
  q.all(`${AUDITED} WHERE status IN ${UNFINISHED} AND external = 0 AND assignee IS NOT NULL ORDER BY id`);

/** Unfinished tasks that were begun and have a workspace. */
export const begunTasks = (q: Query): Promise<(AuditTask & { workspace_path: string })[]> =>
  q.all(
    `${AUDITED} WHERE status IN ${UNFINISHED} AND started_at IS NOT NULL AND workspace_path IS NOT NULL ORDER BY id`,
  );

/** Hashes of the tokens of the newest runs. */
export async function tokenHashes(q: Query, limit: number): Promise<Set<string>> {
  const rows = await q.all<{ hash: string | null }>("SELECT token_sha256 AS hash FROM runs ORDER BY id DESC LIMIT ?", [
    limit,
  ]);
  return new Set(rows.flatMap((row) => row.hash ?? []));
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

/** Newest instant that an event above `after` carries; null without events. */
export async function newestInstant(q: Query, after: number): Promise<UnixSeconds | null> {
  const row = await q.get<{ at: number | null }>("SELECT max(created_at) / 1000 AS at FROM events WHERE seq > ?", [
    after,
  ]);
  return row?.at ?? null;
}

/** Messages without a receiver: their subscription is gone although they were not delivered. */
export const orphanDeliveries = async (q: Query): Promise<number> =>
  (
    await q.get<{ count: number }>(
      `SELECT count(*) AS count FROM deliveries d WHERE d.state IN ('pending', 'sending')
       AND NOT EXISTS (SELECT 1 FROM subscriptions s WHERE s.id = d.subscription_id)`,
    )
  )?.count ?? 0;

/** The newest attachments with their files, oldest first. */
export const newestAttachments = (
  q: Query,
  limit: number,
): Promise<{ id: number; task_id: TaskId; filename: string; stored_path: string }[]> =>
  q.all(
    `SELECT * FROM (SELECT id, task_id, filename, stored_path FROM attachments ORDER BY id DESC LIMIT ?) AS newest ORDER BY id`,
    [limit],
  );

/** Open runs without a lease and without a recorded worker: nothing would ever end them. */
export async function lostRuns(q: Query): Promise<RunId[]> {
  const rows = await q.all<{ id: RunId }>(
    "SELECT id FROM runs WHERE ended_at IS NULL AND worker_pid IS NULL AND claim_expires IS NULL ORDER BY id",
  );
  return rows.map((row) => row.id);
}
