import type { TaskId } from "../../../lib/base/units.js";
import type { Query } from "../../store.js";

export interface EventRow {
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

/**
 * Events of one kind that a command line has caused since an instant (milliseconds), oldest first.
 *
 * @param line Its key: letters and digits
 */
export const eventsOfLine = (
  q: Query,
  of: { readonly kind: string; readonly line: string; readonly since: number },
): Promise<EventRow[]> =>
  q.all<EventRow>(
    `SELECT seq, kind, task_id, run_id, actor, payload, created_at FROM events
     WHERE kind = ? AND created_at >= ? AND payload LIKE ? ORDER BY seq`,
    [of.kind, of.since, `%"line":"${of.line}"%`],
  );
