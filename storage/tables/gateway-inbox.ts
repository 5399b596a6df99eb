import type { EpochMs } from "../../lib/base/units.js";
import type { Account, InboxRow, InboxState } from "../../lib/proto/gateway.js";
import type { Query, Step, Tx } from "../store.js";

/** States of the partial indexes: a condition has to say them as they do, or the index is not used. */
const OPEN = "('received', 'waiting', 'running')";
const IN_SESSION = "('waiting', 'running')";

/** What names an event for good. */
export interface EventKey extends Account {
  readonly eventId: string;
}

/** State of the event with this key; undefined when none was stored. */
export async function inboxStateOf(q: Query, { platform, account, eventId }: EventKey): Promise<InboxState | undefined> {
  const sql = "SELECT state FROM inbox WHERE platform = ? AND account = ? AND event_id = ?";
  return (await q.get<Pick<InboxRow, "state">>(sql, [platform, account, eventId]))?.state;
}

/** How far an event is, and why it ended so; undefined: it was never accepted. */
export async function inboxEnding(
  q: Query,
  { platform, account, eventId }: EventKey,
): Promise<Pick<InboxRow, "state" | "reason"> | undefined> {
  return q.get("SELECT state, reason FROM inbox WHERE platform = ? AND account = ? AND event_id = ?", [platform, account, eventId]);
}

/** Open rows of a platform, counted up to `limit`. */
export async function countOpenInbox(q: Query, platform: string, limit: number): Promise<number> {
  const sql = `SELECT count(*) AS open FROM (SELECT seq FROM inbox WHERE platform = ? AND state IN ${OPEN} ORDER BY seq LIMIT ?) AS some`;
  return (await q.get<{ open: number }>(sql, [platform, limit]))?.open ?? 0;
}

export type NewInboxRow = Omit<InboxRow, "seq" | "session_key" | "joins" | "due_at" | "turn_id" | "updated_at">;

const FIELDS = [
  ...(["platform", "account", "event_id", "kind", "chat_id", "thread_id", "chat_type", "user_id", "user_id_alt", "user_name"] as const),
  ...(["sent_at", "received_at", "state", "reason", "reply_grant", "payload"] as const),
];

/** Payload of an event; undefined: none is kept. */
export async function inboxPayload(q: Query, { platform, account, eventId }: EventKey): Promise<string | undefined> {
  const sql = "SELECT payload FROM inbox WHERE platform = ? AND account = ? AND event_id = ?";
  return (await q.get<Pick<InboxRow, "payload">>(sql, [platform, account, eventId]))?.payload ?? undefined;
}

export type SeenRow = Pick<InboxRow, "chat_id" | "thread_id" | "chat_type" | "event_id">;

/** Events of an account that became part of a conversation and changed since then, the latest first. */
export async function seenInbox(q: Query, { platform, account }: Account, since: EpochMs, limit: number): Promise<SeenRow[]> {
  const sql = `SELECT chat_id, thread_id, chat_type, event_id FROM inbox WHERE updated_at >= ? AND platform = ? AND account = ?
     AND session_key IS NOT NULL AND chat_id IS NOT NULL ORDER BY updated_at DESC, seq DESC LIMIT ?`;
  return q.all<SeenRow>(sql, [since, platform, account, limit]);
}

/** Store an event. @returns its seq */
export async function insertInbox(tx: Tx, row: NewInboxRow): Promise<number> {
  const sql = `INSERT INTO inbox (${FIELDS.join(", ")}, updated_at) VALUES (${FIELDS.map(() => "?").join(", ")}, ?) RETURNING seq`;
  const made = await tx.get<{ seq: number }>(sql, [...FIELDS.map((field) => row[field]), row.received_at]);
  return made?.seq ?? 0;
}

/** The same as a step of a script; it gives a row, unless the event is there already. */
export function takeInboxStep(row: NewInboxRow): Step {
  const sql = `INSERT INTO inbox (${FIELDS.join(", ")}, updated_at) VALUES (${FIELDS.map(() => "?").join(", ")}, ?)
     ON CONFLICT (platform, account, event_id) DO NOTHING RETURNING seq`;
  return { sql, args: [...FIELDS.map((field) => row[field]), row.received_at] };
}

/** Open rows in order, those after `after`. */
export async function openInbox(q: Query, after: number, limit: number): Promise<InboxRow[]> {
  return q.all<InboxRow>(`SELECT * FROM inbox WHERE state IN ${OPEN} AND seq > ? ORDER BY seq LIMIT ?`, [after, limit]);
}

/** Rows that no router has looked at, in order. */
export async function receivedInbox(q: Query, limit: number): Promise<InboxRow[]> {
  return q.all<InboxRow>(`SELECT * FROM inbox WHERE state IN ${OPEN} AND state = 'received' ORDER BY seq LIMIT ?`, [limit]);
}

export async function inboxRow(q: Query, seq: number): Promise<InboxRow | undefined> {
  return q.get<InboxRow>("SELECT * FROM inbox WHERE seq = ?", [seq]);
}

/** Give a received row to its session. False: it is no longer received. */
export async function admitInbox(
  tx: Tx,
  seq: number,
  how: { readonly sessionKey: string; readonly joins: boolean; readonly dueAt: EpochMs },
  now: EpochMs,
): Promise<boolean> {
  const sql = `UPDATE inbox SET state = 'waiting', session_key = ?, joins = ?, due_at = ?, updated_at = ? WHERE seq = ? AND state = 'received'`;
  return (await tx.run(sql, [how.sessionKey, how.joins ? 1 : 0, how.dueAt, now, seq])) === 1;
}

/** End a row that no turn works on. False: it is finished or running. */
export async function finishInbox(
  tx: Tx,
  seq: number,
  to: { readonly state: InboxState; readonly reason: string | null },
  now: EpochMs,
): Promise<boolean> {
  const { sql, args } = finishInboxStep(seq, to, now);
  return (await tx.run(sql, args)) === 1;
}

/** The same as a step of a script, which fails with E_CONFLICT where it is finished or running. */
export function finishInboxStep(seq: number, to: { readonly state: InboxState; readonly reason: string | null }, now: EpochMs) {
  const sql = "UPDATE inbox SET state = ?, reason = ?, updated_at = ? WHERE seq = ? AND state IN ('received', 'waiting')";
  return { sql, args: [to.state, to.reason, now, seq], expect: 1 };
}

/** Sessions that have something to answer and no turn, the longest waiting first. */
export async function readySessions(q: Query, limit: number): Promise<string[]> {
  const rows = await q.all<{ session_key: string }>(
    `SELECT session_key FROM inbox WHERE state IN ${IN_SESSION} GROUP BY session_key
     HAVING sum(CASE WHEN state = 'running' THEN 1 ELSE 0 END) = 0 ORDER BY min(seq) LIMIT ?`,
    [limit],
  );
  return rows.map((row) => row.session_key);
}

/** Rows of a session that wait, in order. */
export async function waitingInbox(q: Query, sessionKey: string, limit: number): Promise<InboxRow[]> {
  const sql = `SELECT * FROM inbox WHERE session_key = ? AND state IN ${IN_SESSION} AND state = 'waiting' ORDER BY seq LIMIT ?`;
  return q.all<InboxRow>(sql, [sessionKey, limit]);
}

/** The turn that a session has open; undefined when it has none. */
export async function runningTurn(q: Query, sessionKey: string): Promise<string | undefined> {
  const sql = `SELECT turn_id FROM inbox WHERE session_key = ? AND state IN ${IN_SESSION} AND state = 'running' ORDER BY seq LIMIT 1`;
  return (await q.get<{ turn_id: string }>(sql, [sessionKey]))?.turn_id;
}

/** Make a waiting row part of a turn. False: it waits no longer. */
export async function startInbox(tx: Tx, seq: number, turn: string, now: EpochMs): Promise<boolean> {
  const sql = "UPDATE inbox SET state = 'running', turn_id = ?, updated_at = ? WHERE seq = ? AND state = 'waiting'";
  return (await tx.run(sql, [turn, now, seq])) === 1;
}

/** Every row that is part of an open turn, in order. */
export async function runningInbox(q: Query): Promise<InboxRow[]> {
  return q.all<InboxRow>(`SELECT * FROM inbox WHERE state IN ${IN_SESSION} AND state = 'running' ORDER BY seq`);
}

/** End the rows of a turn. @returns how many; 0 when they were ended before */
export async function endInboxTurn(
  tx: Tx,
  turn: string,
  to: { readonly state: InboxState; readonly reason: string | null },
  now: EpochMs,
): Promise<number> {
  const sql = "UPDATE inbox SET state = ?, reason = ?, updated_at = ? WHERE turn_id = ? AND state = 'running'";
  return tx.run(sql, [to.state, to.reason, now, turn]);
}

/** The rows of a turn that never began wait again. @returns how many */
export async function releaseInboxTurn(tx: Tx, turn: string, now: EpochMs): Promise<number> {
  const sql = "UPDATE inbox SET state = 'waiting', turn_id = NULL, updated_at = ? WHERE turn_id = ? AND state = 'running'";
  return tx.run(sql, [now, turn]);
}

/** Forget what finished rows held, then the rows. @returns how many rows are gone */
export async function pruneInbox(tx: Tx, before: { readonly payload: EpochMs; readonly key: EpochMs }): Promise<number> {
  const slim = `UPDATE inbox SET payload = NULL, reply_grant = NULL WHERE updated_at < ? AND state NOT IN ${OPEN} AND payload IS NOT NULL`;
  await tx.run(slim, [before.payload]);
  return tx.run(`DELETE FROM inbox WHERE updated_at < ? AND state NOT IN ${OPEN}`, [before.key]);
}

/** How many rows there are that need somebody, by state, and since when the oldest of them waits. */
export async function countInbox(q: Query): Promise<{ state: InboxState; count: number; oldest: EpochMs }[]> {
  return q.all(
    `SELECT state, count(*) AS count, min(received_at) AS oldest FROM inbox
     WHERE state IN ('received', 'waiting', 'running', 'failed') GROUP BY state`,
  );
}

/** When something of a platform was last taken in; undefined: never, or it is forgotten. */
export async function lastReceived(q: Query, platform: string): Promise<EpochMs | undefined> {
  const sql = "SELECT received_at AS at FROM inbox WHERE platform = ? ORDER BY seq DESC LIMIT 1";
  return (await q.get<{ at: EpochMs }>(sql, [platform]))?.at;
}
