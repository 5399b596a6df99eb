import type { RunId, TaskId, UnixSeconds } from "../../../lib/base/units.js";
import type { RunOutcome, Status, Verdict } from "../../../lib/contracts/board/board.js";
import type { Args, Query } from "../../store.js";
import type { TaskRow } from "./rows.js";

/** What the diagnostics of a board are made from: a few statements over the whole board, over one task, or over some of its tasks. */
export interface Scope {
  readonly task?: TaskId | undefined;
  readonly tasks?: readonly TaskId[] | undefined;
}

function of({ task, tasks }: Scope, column: string): { sql: string; args: Args } {
  if (task !== undefined) return { sql: ` AND ${column} = ?`, args: [task] };
  return tasks === undefined
    ? { sql: "", args: [] }
    : { sql: ` AND ${column} IN (${tasks.map(() => "?").join(", ")})`, args: [...tasks] };
}

const COLUMNS = [
  "id",
  "title",
  "status",
  "assignee",
  "external",
  "priority",
  "max_retries",
  "consecutive_failures",
  "last_failure_error",
  "last_failure_class",
  "not_before",
  "block_kind",
  "auto_decompose",
  "decompose_attempts",
  "workspace_kind",
  "workspace_path",
  "branch_name",
  "created_at",
  "updated_at",
] as const;

/** A task without what no diagnostic looks at. */
export type CaseTask = Pick<TaskRow, (typeof COLUMNS)[number]>;

const NAMES = COLUMNS.map((name) => `t.${name}`).join(", ");

/** Tasks that may have a diagnostic: unfinished ones, and those that `ids` names. */
export async function caseTasks(q: Query, scope: Scope, ids: readonly TaskId[]): Promise<CaseTask[]> {
  const some = of(scope, "t.id");
  const named = ids.length === 0 ? "" : ` OR t.id IN (${ids.map(() => "?").join(", ")})`;
  return q.all<CaseTask>(
    `SELECT ${NAMES} FROM tasks t WHERE (t.status IN ('triage', 'todo', 'ready', 'running', 'blocked', 'scheduled')${named})${some.sql} ORDER BY t.id`,
    [...ids, ...some.args],
  );
}

/** Archived tasks that had a worktree: it may still lie there. */
export async function archivedWorktrees(
  q: Query,
  scope: Scope,
): Promise<{ id: TaskId; workspace_path: string; archived_at: UnixSeconds }[]> {
  const some = of(scope, "t.id");
  return q.all(
    `SELECT t.id, t.workspace_path, t.archived_at FROM tasks t
     WHERE t.status = 'archived' AND t.workspace_kind = 'worktree' AND t.workspace_path IS NOT NULL${some.sql}`,
    some.args,
  );
}

export interface CaseEvent {
  readonly seq: number;
  readonly kind: string;
  readonly task_id: TaskId;
  readonly payload: string;
  readonly at: UnixSeconds;
}

/**
 * Events that stand for something wrong: refused completions since the last good one, ids that do not exist in the newest completion, and since
 * `since` what blocked and freed a task. Oldest first.
 */
export async function caseEvents(q: Query, scope: Scope, since: UnixSeconds): Promise<CaseEvent[]> {
  const some = of(scope, "e.task_id");
  return q.all<CaseEvent>(
    `SELECT e.seq, e.kind, e.task_id, e.payload, e.created_at / 1000 AS at FROM events e
     WHERE (
       (e.kind IN ('blocked', 'gave_up', 'protocol_violation', 'unblocked') AND e.created_at >= ?)
       OR (e.kind IN ('completion_blocked_hallucination', 'phantom_refs_suspected') AND NOT EXISTS (
         SELECT 1 FROM events c WHERE c.task_id = e.task_id AND c.kind = 'completed' AND c.seq > e.seq))
     )${some.sql} ORDER BY e.seq`,
    [since * 1000, ...some.args],
  );
}

/** When each task that is ready or blocked came into that status. */
export async function inStatusSince(q: Query, scope: Scope): Promise<{ id: TaskId; at: UnixSeconds }[]> {
  const some = of(scope, "t.id");
  return q.all(
    `SELECT t.id, max(e.created_at) / 1000 AS at FROM tasks t JOIN events e ON e.task_id = t.id
     WHERE t.status IN ('ready', 'blocked') AND e.payload LIKE '%"to":"' || t.status || '"%'${some.sql} GROUP BY t.id`,
    some.args,
  );
}

export interface CaseRun {
  readonly task_id: TaskId;
  readonly id: RunId;
  readonly profile: string;
  readonly outcome: RunOutcome;
  readonly error_class: string | null;
  readonly error: string | null;
  readonly ended_at: UnixSeconds;
}

/** Closed runs of unfinished tasks, newest first. */
export async function caseRuns(q: Query, scope: Scope): Promise<CaseRun[]> {
  const some = of(scope, "t.id");
  return q.all<CaseRun>(
    `SELECT r.task_id, r.id, r.profile, r.outcome, r.error_class, r.error, r.ended_at FROM runs r JOIN tasks t ON t.id = r.task_id
     WHERE r.ended_at IS NOT NULL AND t.status NOT IN ('done', 'archived')${some.sql} ORDER BY r.id DESC`,
    some.args,
  );
}

/** Runs that a provider refused since `since`, oldest first. */
export async function refusedRuns(q: Query, since: UnixSeconds): Promise<CaseRun[]> {
  return q.all<CaseRun>(
    `SELECT task_id, id, profile, outcome, error_class, error, ended_at FROM runs
     WHERE ended_at >= ? AND error_class IN ('auth', 'billing') ORDER BY id`,
    [since],
  );
}

/** When a worker was started last; null when none ever was. */
export async function lastStart(q: Query): Promise<UnixSeconds | null> {
  const row = await q.get<{ at: UnixSeconds | null }>(
    "SELECT max(started_at) AS at FROM runs WHERE worker_pid IS NOT NULL",
  );
  return row?.at ?? null;
}

export interface FailedParent {
  readonly child: TaskId;
  readonly id: TaskId;
  readonly status: Status;
  readonly verdict: Verdict | null;
  readonly updated_at: UnixSeconds;
}

/** Parents that hold a task in todo back and do not go on by themselves. */
export async function failedParents(q: Query, scope: Scope): Promise<FailedParent[]> {
  const some = of(scope, "t.id");
  return q.all<FailedParent>(
    `SELECT l.child_id AS child, p.id, p.status, p.verdict, p.updated_at
     FROM links l JOIN tasks p ON p.id = l.parent_id JOIN tasks t ON t.id = l.child_id
     WHERE l.ignored = 0 AND t.status = 'todo' AND (p.status = 'blocked' OR (p.status = 'done' AND p.verdict = 'rejected'))${some.sql}
     ORDER BY p.id`,
    some.args,
  );
}

/** When each blocked task was commented on last. */
export async function blockedComments(q: Query, scope: Scope): Promise<{ id: TaskId; at: UnixSeconds }[]> {
  const some = of(scope, "t.id");
  return q.all(
    `SELECT t.id, max(c.created_at) AS at FROM tasks t JOIN comments c ON c.task_id = t.id WHERE t.status = 'blocked'${some.sql} GROUP BY t.id`,
    some.args,
  );
}

export interface FailingDelivery {
  /** Null: a subscription to the whole board. */
  readonly task_id: TaskId | null;
  readonly platform: string;
  readonly chat_id: string;
  readonly count: number;
  readonly first_at: UnixSeconds;
  readonly last_at: UnixSeconds;
  readonly error: string | null;
}

/** Subscriptions whose messages were given up since one last came through. */
export async function failingDeliveries(q: Query, scope: Scope): Promise<FailingDelivery[]> {
  const some = of(scope, "s.task_id");
  return q.all<FailingDelivery>(
    `SELECT s.task_id, s.platform, s.chat_id, count(*) AS count, min(d.updated_at) AS first_at, max(d.updated_at) AS last_at, max(d.error) AS error
     FROM deliveries d JOIN subscriptions s ON s.id = d.subscription_id
     WHERE d.state IN ('failed', 'expired')
       AND d.event_id > coalesce((SELECT max(o.event_id) FROM deliveries o WHERE o.subscription_id = s.id AND o.state = 'sent'), 0)${some.sql}
     GROUP BY s.id ORDER BY s.id`,
    some.args,
  );
}
