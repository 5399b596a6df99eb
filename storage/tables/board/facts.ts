import type { TaskId, UnixSeconds } from "../../../lib/base/units.js";
import type { Query } from "../../store.js";

/** Archived parents of a task that it does not pass over. */
export async function archivedParents(q: Query, child: TaskId): Promise<TaskId[]> {
  const rows = await q.all<{ id: TaskId }>(
    `SELECT p.id FROM links l JOIN tasks p ON p.id = l.parent_id
     WHERE l.child_id = ? AND l.ignored = 0 AND p.status = 'archived' ORDER BY p.id`,
    [child],
  );
  return rows.map((row) => row.id);
}

/** When a task was commented on last; null when it never was. */
export async function lastComment(q: Query, task: TaskId): Promise<UnixSeconds | null> {
  const row = await q.get<{ at: UnixSeconds | null }>("SELECT max(created_at) AS at FROM comments WHERE task_id = ?", [
    task,
  ]);
  return row?.at ?? null;
}

/** Payload of the newest event of a kind, as JSON; undefined without one. */
export async function newestPayload(q: Query, task: TaskId, kind: string): Promise<string | undefined> {
  const row = await q.get<{ payload: string }>(
    "SELECT payload FROM events WHERE task_id = ? AND kind = ? ORDER BY seq DESC LIMIT 1",
    [task, kind],
  );
  return row?.payload;
}
