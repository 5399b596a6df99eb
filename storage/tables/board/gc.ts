import type { TaskId, UnixSeconds } from "../../../lib/base/units.js";
import type { Query, Tx } from "../../store.js";
import type { TaskRow } from "./rows.js";

/** Archived tasks with a workspace that the board has made, archived at `before` or earlier; oldest first. */
export async function putAwayBefore(q: Query, before: UnixSeconds): Promise<TaskRow[]> {
  return q.all<TaskRow>(
    `SELECT * FROM tasks WHERE status = 'archived' AND archived_at <= ? AND workspace_kind IN ('scratch', 'worktree')
       AND workspace_path IS NOT NULL ORDER BY archived_at, id`,
    [before],
  );
}

/** Ids of tasks that were deleted, of which files may be left. */
export async function deletedTasks(q: Query): Promise<TaskId[]> {
  const rows = await q.all<{ payload: string }>(
    "SELECT payload FROM events WHERE task_id IS NULL AND kind = 'deleted' ORDER BY seq",
  );
  return rows.flatMap((row) => {
    const { task_id: id }: { task_id?: unknown } = JSON.parse(row.payload);
    return typeof id === "string" ? [id as TaskId] : []; // written from a task's id
  });
}

/** Which of the tasks are running now. */
export async function runningTasks(q: Query): Promise<Set<string>> {
  const rows = await q.all<{ id: string }>("SELECT id FROM tasks WHERE status = 'running'");
  return new Set(rows.map((row) => row.id));
}

/** Ids of the open runs. */
export async function openRunIds(q: Query): Promise<Set<number>> {
  const rows = await q.all<{ id: number }>("SELECT id FROM runs WHERE ended_at IS NULL");
  return new Set(rows.map((row) => row.id));
}

/**
 * Events `e` of tasks that are done or archived, from before an instant, without the newest of each task, and without those that are still to be
 * delivered.
 */
const OLD = `e.created_at < ? AND EXISTS (SELECT 1 FROM tasks t WHERE t.id = e.task_id AND t.status IN ('done', 'archived'))
  AND e.seq < (SELECT max(n.seq) FROM events n WHERE n.task_id = e.task_id)
  AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.event_id = e.seq AND d.state IN ('pending', 'sending'))`;

/** How many old events there are, and the length of what they say. @param before Milliseconds. */
export async function oldEvents(q: Query, before: number): Promise<{ count: number; bytes: number }> {
  const row = await q.get<{ count: number; bytes: number | null }>(
    `SELECT count(*) AS count, sum(length(e.payload) + length(e.kind)) AS bytes FROM events e WHERE ${OLD}`,
    [before],
  );
  return { count: row?.count ?? 0, bytes: row?.bytes ?? 0 };
}

/** Remove at most `limit` old events, the oldest first; how many. @param before Milliseconds. */
export const dropOldEvents = (tx: Tx, before: number, limit: number): Promise<number> =>
  tx.run(`DELETE FROM events WHERE seq IN (SELECT e.seq FROM events e WHERE ${OLD} ORDER BY e.seq LIMIT ?)`, [
    before,
    limit,
  ]);

const SETTLED = "state IN ('sent', 'uncertain', 'failed', 'expired') AND updated_at < ?";

/** Deliveries that were settled before an instant. */
export async function settledDeliveries(q: Query, before: UnixSeconds): Promise<number> {
  return (
    (await q.get<{ count: number }>(`SELECT count(*) AS count FROM deliveries WHERE ${SETTLED}`, [before]))?.count ?? 0
  );
}

/** Remove them, and the subscriptions that had ended and were kept for them only; how many deliveries. */
export async function dropSettledDeliveries(tx: Tx, before: UnixSeconds): Promise<number> {
  const dropped = await tx.run(`DELETE FROM deliveries WHERE ${SETTLED}`, [before]);
  await tx.run(
    `DELETE FROM subscriptions WHERE ended_by IS NOT NULL
       AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.subscription_id = subscriptions.id)`,
  );
  return dropped;
}
