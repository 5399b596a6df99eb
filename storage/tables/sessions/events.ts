import { toStoredEvent } from "../../events.js";
import type { Query, StoredEvent } from "../../store.js";

/** Durable events of one session after a cursor, in order. */
export async function ofSession(q: Query, session: string, after: number, limit: number): Promise<StoredEvent[]> {
  const rows = await q.all(
    `SELECT seq, kind, task_id, run_id, session_id, turn_id, actor, payload, created_at FROM events
     WHERE session_id = ? AND seq > ? ORDER BY seq LIMIT ?`,
    [session, after, limit],
  );
  return rows.map((row) => toStoredEvent("sessions", row));
}

/** The newest durable events of one session, newest first. */
export async function newestOf(q: Query, session: string, limit: number): Promise<StoredEvent[]> {
  const rows = await q.all(
    `SELECT seq, kind, task_id, run_id, session_id, turn_id, actor, payload, created_at FROM events
     WHERE session_id = ? ORDER BY seq DESC LIMIT ?`,
    [session, limit],
  );
  return rows.map((row) => toStoredEvent("sessions", row));
}
