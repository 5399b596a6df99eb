import type { DomainEvent, Row, StoredEvent } from "./store.js";

/** Writes one event; the table gives it its `seq`, which is the row id that the engine tells. Arguments: `eventArgs`. */
export const EVENT_INSERT_ONLY =
  "INSERT INTO events (kind, task_id, run_id, session_id, turn_id, actor, payload, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)";

/** The same, and it answers the `seq`. */
export const EVENT_INSERT = `${EVENT_INSERT_ONLY} RETURNING seq`;

/** The `seq` that the table gives next, less one. */
export const NEWEST_SEQ = `SELECT max(
  coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'events'), 0), coalesce((SELECT max(seq) FROM events), 0)) AS seq`;

/** The same with a `seq` that the caller has counted on from `NEWEST_SEQ`, in the same transaction. Arguments: the `seq`, then `eventArgs`. */
export const EVENT_INSERT_COUNTED =
  "INSERT INTO events (seq, kind, task_id, run_id, session_id, turn_id, actor, payload, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)";

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

/** The stored form of an event that was just written: what a later read of the table gives. `payload` is its text there. */
export function asStored(
  { store, seq, payload }: { store: string; seq: number; payload: string },
  event: DomainEvent,
): StoredEvent {
  return {
    seq,
    store,
    kind: event.kind,
    at: event.at,
    ...(event.task == null ? {} : { task: event.task }),
    ...(event.run == null ? {} : { run: event.run }),
    ...(event.session == null ? {} : { session: event.session }),
    ...(event.turn == null ? {} : { turn: event.turn }),
    ...(event.actor == null ? {} : { actor: event.actor }),
    payload: JSON.parse(payload),
  };
}
