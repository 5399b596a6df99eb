import type { DomainEvent, Row, StoredEvent } from "./store.js";

/** Writes one event; the table gives it its `seq`. Arguments: `eventArgs`. */
export const EVENT_INSERT =
  "INSERT INTO events (kind, task_id, run_id, session_id, turn_id, actor, payload, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING seq";

/** Events after a seq, at most so many. */
export const EVENTS_AFTER =
  "SELECT seq, kind, task_id, run_id, session_id, turn_id, actor, payload, created_at FROM events WHERE seq > ? ORDER BY seq LIMIT ?";

/** Newest seq ever given, also when its event was removed since. */
export const LAST_SEQ = "SELECT seq FROM sqlite_sequence WHERE name = 'events'";

/** A row of `EVENTS_AFTER` as the event it was. */
export function toStoredEvent(store: string, row: Row): StoredEvent {
  return {
    seq: Number(row["seq"]),
    store,
    kind: String(row["kind"]),
    at: Number(row["created_at"]),
    ...text(row, "task_id", "task"),
    ...(typeof row["run_id"] === "number" ? { run: row["run_id"] } : {}),
    ...text(row, "session_id", "session"),
    ...text(row, "turn_id", "turn"),
    ...text(row, "actor", "actor"),
    payload: JSON.parse(String(row["payload"])),
  };
}

function text<Name extends string>(row: Row, column: string, name: Name): { [key in Name]?: string } {
  const value = row[column];
  const found: { [key in Name]?: string } = {};
  if (typeof value === "string") found[name] = value;
  return found;
}

/** The stored form of an event that was just written: what a later read of the table gives. */
export function asStored(store: string, seq: number, event: DomainEvent): StoredEvent {
  const { payload, ...rest } = event;
  const known = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined && value !== null));
  return { ...event, ...known, payload: JSON.parse(JSON.stringify(payload)), seq, store };
}
