import type { TaskId } from "../../lib/base/units.js";
import type { Query } from "../store.js";

interface EventRow {
  readonly seq: number;
  readonly kind: string;
  readonly task_id: string | null;
  readonly run_id: number | null;
  readonly actor: string | null;
  readonly payload: string;
  /** Milliseconds. */
  readonly created_at: number;
}

/** There is an event of this kind. */
export async function hasEventOf(q: Query, kind: string): Promise<boolean> {
  return (await q.get("SELECT 1 AS one FROM events WHERE kind = ? LIMIT 1", [kind])) !== undefined;
}

/** Newest events of a task, oldest of them first. */
export async function eventsOf(q: Query, task: TaskId, limit: number): Promise<EventRow[]> {
  const rows = await q.all<EventRow>(
    "SELECT seq, kind, task_id, run_id, actor, payload, created_at FROM events WHERE task_id = ? ORDER BY seq DESC LIMIT ?",
    [task, limit],
  );
  return rows.reverse();
}
