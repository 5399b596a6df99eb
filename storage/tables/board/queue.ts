import type { TaskId, UnixSeconds } from "../../../lib/base/units.js";
import type { Query } from "../../store.js";
import type { TaskRow } from "./rows.js";

/** A ready task with the group leader of its newest run. */
export interface CandidateRow
  extends Pick<
    TaskRow,
    | "id"
    | "title"
    | "assignee"
    | "external"
    | "priority"
    | "created_at"
    | "not_before"
    | "last_failure_class"
    | "consecutive_failures"
    | "workspace_kind"
    | "workspace_path"
  > {
  readonly last_ended: UnixSeconds | null;
  readonly worker_pid: number | null;
  readonly worker_start: string | null;
  readonly boot_id: string | null;
  readonly host_id: string | null;
}

const CANDIDATES = `SELECT t.id, t.title, t.assignee, t.external, t.priority, t.created_at, t.not_before, t.last_failure_class,
    t.consecutive_failures, t.workspace_kind, t.workspace_path, r.ended_at AS last_ended, r.worker_pid, r.worker_start, r.boot_id, r.host_id
  FROM tasks t LEFT JOIN runs r ON r.id = (SELECT max(id) FROM runs WHERE task_id = t.id)
  WHERE t.status = 'ready' AND t.current_run_id IS NULL`;

/** Ready tasks without an open run, in dispatch order. */
export async function candidates(q: Query, limit: number): Promise<CandidateRow[]> {
  return q.all<CandidateRow>(`${CANDIDATES} ORDER BY t.priority DESC, t.created_at, t.id LIMIT ?`, [limit]);
}

/** One of them; undefined when the task is not ready. */
export async function candidateById(q: Query, id: TaskId): Promise<CandidateRow | undefined> {
  return q.get<CandidateRow>(`${CANDIDATES} AND t.id = ?`, [id]);
}

/** How many ready tasks there are. None of them has an open run. */
export async function readyCount(q: Query): Promise<number> {
  const row = await q.get<{ count: number }>("SELECT count(*) AS count FROM tasks WHERE status = 'ready'");
  return row?.count ?? 0;
}

/** Those that may start if their assignee is one of `assignees` (null: none yet), in dispatch order, at most `limit` of each; no others are read. */
export async function startable(
  q: Query,
  assignees: readonly (string | null)[],
  limit: number,
): Promise<CandidateRow[]> {
  if (assignees.length === 0) return [];
  const part = (whose: string) =>
    `SELECT * FROM (${CANDIDATES} AND t.external = 0 AND ${whose} ORDER BY t.priority DESC, t.created_at, t.id LIMIT ?) AS part`;
  const parts = assignees.map((name) => part(name === null ? "t.assignee IS NULL" : "t.assignee = ?"));
  const args = assignees.flatMap((name) => (name === null ? [limit] : [name, limit]));
  return q.all<CandidateRow>(`${parts.join(" UNION ALL ")} ORDER BY priority DESC, created_at, id`, args);
}

/** Scheduled tasks whose time has come, in order of time. */
export async function dueTasks(q: Query, now: UnixSeconds): Promise<TaskId[]> {
  const rows = await q.all<{ id: TaskId }>(
    "SELECT id FROM tasks WHERE status = 'scheduled' AND scheduled_at IS NOT NULL AND scheduled_at <= ? ORDER BY scheduled_at, id",
    [now],
  );
  return rows.map((row) => row.id);
}

/** The earliest instant after `now` at which something is to be done by itself; null without one. */
export async function nextDeadline(q: Query, now: UnixSeconds): Promise<UnixSeconds | null> {
  const row = await q.get<{ at: UnixSeconds | null }>(
    `SELECT min(at) AS at FROM (
       SELECT min(scheduled_at) AS at FROM tasks WHERE status = 'scheduled' AND scheduled_at IS NOT NULL
       UNION ALL SELECT min(not_before) AS at FROM tasks WHERE status = 'ready' AND not_before > ?
       UNION ALL SELECT min(claim_expires) AS at FROM runs WHERE ended_at IS NULL
       UNION ALL SELECT min(started_at + max_runtime_seconds) AS at FROM runs WHERE ended_at IS NULL AND max_runtime_seconds IS NOT NULL
     ) AS deadlines`,
    [now],
  );
  return row?.at ?? null;
}
