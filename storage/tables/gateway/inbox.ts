import type { EpochMs } from "../../../lib/base/units.js";
import type { Account, InboxRow, InboxState } from "../../../lib/contracts/board/platform-tag.js";
import type { Query, Step, Tx } from "../../store.js";

/** States of the partial indexes: a condition has to say them as they do, or the index is not used. */
const OPEN = "('received', 'waiting', 'running')";
const IN_SESSION = "('waiting', 'running')";

/** What names an event for good. */
export interface EventKey extends Account {
  readonly eventId: string;
}

/** State of the event with this key; undefined when none was stored. */
export async function inboxStateOf(
  q: Query,
  { platform, account, eventId }: EventKey,
): Promise<InboxState | undefined> {
  const sql = "SELECT state FROM inbox WHERE platform = ? AND account = ? AND event_id = ?";
  return (await q.get<Pick<InboxRow, "state">>(sql, [platform, account, eventId]))?.state;
}

/** How far an event is, and why it ended so; undefined: it was never accepted. */
export async function inboxEnding(
  q: Query,
  { platform, account, eventId }: EventKey,
): Promise<Pick<InboxRow, "state" | "reason"> | undefined> {
  return q.get("SELECT state, reason FROM inbox WHERE platform = ? AND account = ? AND event_id = ?", [
    platform,
    account,
    eventId,
  ]);
}

/** Open rows of a platform, counted up to `limit`. */
export async function countOpenInbox(q: Query, platform: string, limit: number): Promise<number> {
  const sql = `SELECT count(*) AS open FROM (SELECT seq FROM inbox WHERE platform = ? AND state IN ${OPEN} ORDER BY seq LIMIT ?) AS some`;
  return (await q.get<{ open: number }>(sql, [platform, limit]))?.open ?? 0;
}

export type NewInboxRow = Omit<InboxRow, "seq" | "session_key" | "joins" | "due_at" | "turn_id" | "updated_at">;

const FIELDS = [
  "platform",
  "account",
  "event_id",
  "kind",
  "chat_id",
  "thread_id",
  "chat_type",
  "user_id",
  "user_id_alt",
  "user_name",
  "sent_at",
  "received_at",
  "state",
  "reason",
  "reply_grant",
  "payload",
] as const;

/** Payload of an event; undefined: none is kept. */
export async function inboxPayload(q: Query, { platform, account, eventId }: EventKey): Promise<string | undefined> {
  const sql = "SELECT payload FROM inbox WHERE platform = ? AND account = ? AND event_id = ?";
  return (await q.get<Pick<InboxRow, "payload">>(sql, [platform, account, eventId]))?.payload ?? undefined;
}

export type SeenRow = Pick<InboxRow, "chat_id" | "thread_id" | "chat_type" | "event_id">;

/** Events of an account that became part of a conversation and changed since then, the latest first. */
export async function seenInbox(
  q: Query,
  { platform, account }: Account,
  since: EpochMs,
  limit: number,
): Promise<SeenRow[]> {
  const sql = `SELECT chat_id, thread_id, chat_type, event_id FROM inbox WHERE updated_at >= ? AND platform = ? AND account = ?
     AND session_key IS NOT NULL AND chat_id IS NOT NULL ORDER BY updated_at DESC, seq DESC LIMIT ?`;
  return q.all<SeenRow>(sql, [since, platform, account, limit]);
}

/** The row of an event as it is in the inbox right after its acceptance. */
export const acceptedRow = (seq: number, row: NewInboxRow): InboxRow => ({
  ...row,
  seq,
  session_key: null,
  joins: 0,
  due_at: 0,
  turn_id: null,
  updated_at: row.received_at,
});

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
  return q.all<InboxRow>(`SELECT * FROM inbox WHERE state IN ${OPEN} AND state = 'received' ORDER BY seq LIMIT ?`, [
    limit,
  ]);
}

/** How a row waits. `most`: so many of a session may. */
interface Waiting {
  readonly sessionKey: string;
  readonly joins: boolean;
  readonly dueAt: EpochMs;
  readonly most: number;
}

/** Give a received row to its session: the first step gives a row where that was done; the second where it is received as before, because too many wait. */
export function admitInboxSteps(seq: number, { sessionKey, joins, dueAt, most }: Waiting, now: EpochMs): Step[] {
  const waiting = `(SELECT count(*) FROM inbox WHERE session_key = ? AND state IN ${IN_SESSION} AND state = 'waiting')`;
  const sql = `UPDATE inbox SET state = 'waiting', session_key = ?, joins = ?, due_at = ?, updated_at = ?
     WHERE seq = ? AND state = 'received' AND ${waiting} < ? RETURNING seq`;
  return [
    { sql, args: [sessionKey, joins ? 1 : 0, dueAt, now, seq, sessionKey, most] },
    { sql: "SELECT seq FROM inbox WHERE seq = ? AND state = 'received'", args: [seq] },
  ];
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
export function finishInboxStep(
  seq: number,
  to: { readonly state: InboxState; readonly reason: string | null },
  now: EpochMs,
) {
  const sql =
    "UPDATE inbox SET state = ?, reason = ?, updated_at = ? WHERE seq = ? AND state IN ('received', 'waiting')";
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

/** How many messages of a session wait. */
export async function countWaiting(q: Query, sessionKey: string): Promise<number> {
  const sql = `SELECT count(*) AS waiting FROM inbox WHERE session_key = ? AND state IN ${IN_SESSION} AND state = 'waiting'`;
  return (await q.get<{ waiting: number }>(sql, [sessionKey]))?.waiting ?? 0;
}

/** Rows of a session, in order, and the turn that they become part of. */
interface Beginning {
  readonly sessionKey: string;
  readonly rows: readonly number[];
  readonly turn: string;
}

/** Make waiting rows part of a turn. The script fails with E_CONFLICT where the session has a turn, or the rows are not what waits first in it. */
export function beginTurnSteps({ sessionKey, rows, turn }: Beginning, now: EpochMs): Step[] {
  const running = `SELECT seq FROM inbox WHERE session_key = ? AND state IN ${IN_SESSION} AND state = 'running' ORDER BY seq LIMIT 1`;
  const first = `SELECT seq FROM inbox WHERE session_key = ? AND state IN ${IN_SESSION} AND state = 'waiting' AND seq <= ?`;
  const start =
    "UPDATE inbox SET state = 'running', turn_id = ?, updated_at = ? WHERE seq = ? AND session_key = ? AND state = 'waiting'";
  return [
    { sql: running, args: [sessionKey], expect: 0 },
    { sql: first, args: [sessionKey, rows.at(-1) ?? 0], expect: rows.length },
    ...rows.map((seq) => ({ sql: start, args: [turn, now, seq, sessionKey], expect: 1 })),
  ];
}

/** Every row that is part of an open turn, in order. */
export async function runningInbox(q: Query): Promise<InboxRow[]> {
  return q.all<InboxRow>(`SELECT * FROM inbox WHERE state IN ${IN_SESSION} AND state = 'running' ORDER BY seq`);
}

/** End the rows of a turn. */
export function endInboxTurnStep(
  turn: string,
  to: { readonly state: InboxState; readonly reason: string | null },
  now: EpochMs,
) {
  const sql = "UPDATE inbox SET state = ?, reason = ?, updated_at = ? WHERE turn_id = ? AND state = 'running'";
  return { sql, args: [to.state, to.reason, now, turn] };
}

/** The rows of a turn that never began wait again. @returns how many */
export async function releaseInboxTurn(tx: Tx, turn: string, now: EpochMs): Promise<number> {
  const sql =
    "UPDATE inbox SET state = 'waiting', turn_id = NULL, updated_at = ? WHERE turn_id = ? AND state = 'running'";
  return tx.run(sql, [now, turn]);
}

/** Forget what finished rows held, then the rows. @returns how many rows are gone */
export async function pruneInbox(
  tx: Tx,
  before: { readonly payload: EpochMs; readonly key: EpochMs },
): Promise<number> {
  const slim = `UPDATE inbox SET payload = NULL, reply_grant = NULL WHERE updated_at < ? AND state NOT IN ${OPEN} AND payload IS NOT NULL`;
  await tx.run(slim, [before.payload]);
  return tx.run(`DELETE FROM inbox WHERE updated_at < ? AND state NOT IN ${OPEN}`, [before.key]);
}

/** How many rows need attention, by state, and since when the oldest of them waits. */
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
