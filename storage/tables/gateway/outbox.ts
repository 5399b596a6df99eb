import type { EpochMs } from "../../../lib/base/units.js";
import type { Account } from "../../../lib/contracts/board/platform-tag.js";
import type { OutboxRow, OutboxState } from "../../../lib/contracts/gateway/outbox.js";
import type { Autocommit } from "../../alone.js";
import type { Query, Step, Tx } from "../../store.js";

/** States of the partial index: a condition has to say them as it does, or the index is not used. */
const OPEN = "('pending', 'sending')";

const FIELDS = [
  "id",
  "kind",
  "turn_id",
  "seq_in_turn",
  "platform",
  "account",
  "chat_id",
  "thread_id",
  "reply_to",
  "lane",
  "via",
  "source_key",
  "idem_key",
  "next_attempt_at",
  "expires_at",
  "created_at",
  "payload",
] as const;

export type NewOutboxRow = Pick<OutboxRow, (typeof FIELDS)[number]>;

/** Store a message to be sent. False: one with its source key is there already. */
export async function insertSend(tx: Tx, row: NewOutboxRow): Promise<boolean> {
  if (row.source_key !== null && (await isStored(tx, row.source_key))) return false;
  const sql = `INSERT INTO outbox (${FIELDS.join(", ")}, state, updated_at) VALUES (${FIELDS.map(() => "?").join(", ")}, 'pending', ?)`;
  await tx.run(sql, [...FIELDS.map((field) => row[field]), row.created_at]);
  return true;
}

/** Rows whose source keys begin with this text, in order. */
export async function sendsWith(q: Query, keys: string): Promise<OutboxRow[]> {
  const end = `${keys.slice(0, -1)}${String.fromCharCode(keys.charCodeAt(keys.length - 1) + 1)}`;
  return q.all<OutboxRow>("SELECT * FROM outbox WHERE source_key >= ? AND source_key < ? ORDER BY seq", [keys, end]);
}

/** Whether a message with this source key was stored before, whatever became of it. */
export async function isStored(q: Query, sourceKey: string): Promise<boolean> {
  return (await q.get("SELECT id FROM outbox WHERE source_key = ?", [sourceKey])) !== undefined;
}

/** The same as a step of a script; it gives a row unless one with its source key is there. */
export function insertSendStep(row: NewOutboxRow): Step {
  const sql = `INSERT INTO outbox (${FIELDS.join(", ")}, state, updated_at) VALUES (${FIELDS.map(() => "?").join(", ")}, 'pending', ?)
     ON CONFLICT (source_key) DO NOTHING RETURNING id`;
  return { sql, args: [...FIELDS.map((field) => row[field]), row.created_at] };
}

/** What decides about the first open row of a lane: those behind it wait. */
export type LaneHead = Pick<OutboxRow, "id" | "lane" | "chat_id" | "state" | "next_attempt_at" | "updated_at">;

/**
 * The pending heads of lanes of accounts, of each account at most `each`, the earliest due first. What was written later than now was written before
 * the clock was set back, and is due.
 */
export async function laneHeads(
  q: Query,
  accounts: readonly Account[],
  { now, each }: { now: EpochMs; each: number },
): Promise<OutboxRow[]> {
  if (accounts.length === 0) return [];
  const due = "CASE WHEN o.updated_at > ? THEN 0 ELSE o.next_attempt_at END";
  return q.all<OutboxRow>(
    `SELECT * FROM (
       SELECT o.*, ${due} AS due, row_number() OVER (PARTITION BY o.platform, o.account ORDER BY ${due}, o.seq) AS place FROM outbox o
       JOIN (SELECT min(seq) AS seq FROM outbox WHERE state IN ${OPEN} GROUP BY lane) AS h ON h.seq = o.seq
       WHERE o.state = 'pending' AND (${accounts.map(() => "(o.platform = ? AND o.account = ?)").join(" OR ")})
     ) AS heads WHERE place <= ? ORDER BY due, seq`,
    [now, now, ...accounts.flatMap(({ platform, account }) => [platform, account]), each],
  );
}

/** Let what waits for a chat be tried at once. @returns how many */
export async function wakeChat(
  tx: Autocommit,
  { platform, account }: Account,
  chatId: string,
  now: EpochMs,
): Promise<number> {
  const sql = `UPDATE outbox SET next_attempt_at = ?, updated_at = ?
     WHERE state IN ${OPEN} AND state = 'pending' AND platform = ? AND account = ? AND chat_id = ? AND next_attempt_at > ?`;
  return tx.run(sql, [now, now, platform, account, chatId, now]);
}

/** Payload of a message that the platform knows by this id; undefined: none is kept. */
export async function sentPayload(
  q: Query,
  { platform, account }: Account,
  messageId: string,
): Promise<string | undefined> {
  const sql =
    "SELECT payload FROM outbox WHERE platform = ? AND account = ? AND platform_message_id = ? ORDER BY seq DESC LIMIT 1";
  return (await q.get<Pick<OutboxRow, "payload">>(sql, [platform, account, messageId]))?.payload ?? undefined;
}

/** Mark it as being sent. Gives the row; none: it is no longer pending, or another attempt was made of it. */
export function beginSendStep(
  { id, attempts }: Pick<OutboxRow, "id" | "attempts">,
  now: EpochMs,
  repeatUntil: EpochMs | null,
): Step {
  const sql = `UPDATE outbox SET state = 'sending', attempts = attempts + 1, first_sent_at = coalesce(first_sent_at, ?),
       repeat_until = CASE WHEN first_sent_at IS NULL THEN ? ELSE repeat_until END, updated_at = ?
     WHERE id = ? AND state = 'pending' AND attempts = ? RETURNING *`;
  return { sql, args: [now, repeatUntil, now, id, attempts] };
}

/** What happens to a row. */
export type SendEnding = Pick<
  OutboxRow,
  | "state"
  | "attempts"
  | "next_attempt_at"
  | "uncertain"
  | "resent"
  | "first_sent_at"
  | "repeat_until"
  | "platform_message_id"
  | "error"
>;

/** Store what became of a row. False: it is no longer in state `from`. */
export async function endSend(
  tx: Tx,
  row: { readonly id: string; readonly from: OutboxState },
  ending: SendEnding,
  now: EpochMs,
): Promise<boolean> {
  const { sql, args } = endSendStep(row, ending, now);
  return (await tx.run(sql, args)) === 1;
}

/** The same as a step of a script. */
export function endSendStep(
  row: { readonly id: string; readonly from: OutboxState },
  ending: SendEnding,
  now: EpochMs,
) {
  const {
    state,
    attempts,
    next_attempt_at,
    uncertain,
    resent,
    first_sent_at,
    repeat_until,
    platform_message_id,
    error,
  } = ending;
  const sql = `UPDATE outbox SET state = ?, attempts = ?, next_attempt_at = ?, uncertain = ?, resent = ?, first_sent_at = ?, repeat_until = ?,
       platform_message_id = ?, error = ?, updated_at = ? WHERE id = ? AND state = ?`;
  const after = [
    state,
    attempts,
    next_attempt_at,
    uncertain,
    resent,
    first_sent_at,
    repeat_until,
    platform_message_id,
    error,
  ];
  return { sql, args: [...after, now, row.id, row.from] };
}

/** Rows in one state, the newest last. */
export async function sendsIn(q: Query, state: OutboxState, limit: number): Promise<OutboxRow[]> {
  return q.all<OutboxRow>("SELECT * FROM outbox WHERE state = ? ORDER BY seq LIMIT ?", [state, limit]);
}

export async function getSend(q: Query, id: string): Promise<OutboxRow | undefined> {
  return q.get<OutboxRow>("SELECT * FROM outbox WHERE id = ?", [id]);
}

/** Rows that were stored under these keys, in the order of their lanes. */
export async function sendsOfKeys(q: Query, keys: readonly string[]): Promise<OutboxRow[]> {
  return q.all<OutboxRow>(
    `SELECT * FROM outbox WHERE source_key IN (${keys.map(() => "?").join(", ")}) ORDER BY seq`,
    keys,
  );
}

/** The notice of a board that people saw under this id; undefined: it was none, or is a month old. */
export async function noticeShown(
  q: Query,
  { platform, account, chatId }: Account & { readonly chatId: string },
  message: string,
): Promise<Pick<OutboxRow, "source_key"> | undefined> {
  const sql = `SELECT source_key FROM outbox
    WHERE platform_message_id = ? AND kind = 'board' AND platform_message_id IS NOT NULL AND platform = ? AND account = ? AND chat_id = ?`;
  return q.get(sql, [message, platform, account, chatId]);
}

/** Pending rows that are too old, the oldest first. */
export async function overdueSends(q: Query, now: EpochMs, limit: number): Promise<OutboxRow[]> {
  const sql = "SELECT * FROM outbox WHERE state = 'pending' AND expires_at <= ? ORDER BY expires_at, seq LIMIT ?";
  return q.all<OutboxRow>(sql, [now, limit]);
}

/** When the next pending row gets too old; undefined when none is pending. */
export async function nextExpiry(q: Query): Promise<EpochMs | undefined> {
  return (
    (await q.get<{ at: EpochMs | null }>("SELECT min(expires_at) AS at FROM outbox WHERE state = 'pending'"))?.at ??
    undefined
  );
}

/** An operator wants it sent again: what was known of earlier attempts does not hold it back. False: it is not in state `from`. */
export async function retrySend(
  tx: Tx,
  row: { readonly id: string; readonly from: OutboxState },
  at: { readonly now: EpochMs; readonly expires: EpochMs },
): Promise<boolean> {
  const changed = await tx.run(
    `UPDATE outbox SET state = 'pending', attempts = 0, next_attempt_at = ?, expires_at = ?, uncertain = 0, first_sent_at = NULL,
       repeat_until = NULL, resent = 0, retried_by_operator = retried_by_operator + 1, error = NULL, updated_at = ? WHERE id = ? AND state = ?`,
    [at.now, at.expires, at.now, row.id, row.from],
  );
  return changed === 1;
}

/** Give a row up. False: it is not in state `from`. */
export async function dropSend(
  tx: Tx,
  row: { readonly id: string; readonly from: OutboxState },
  now: EpochMs,
): Promise<boolean> {
  return (
    (await tx.run("UPDATE outbox SET state = 'dropped', updated_at = ? WHERE id = ? AND state = ?", [
      now,
      row.id,
      row.from,
    ])) === 1
  );
}

/** Messages to a lane that may not have arrived and that its model was not told of; they count as told from here on. */
export async function takeDoubts(tx: Autocommit, lane: string): Promise<number> {
  return tx.run("UPDATE outbox SET noted = 1 WHERE lane = ? AND state = 'unknown' AND noted = 0", [lane]);
}

/** Forget texts of finished rows, then the rows. @returns how many rows are gone */
export async function pruneSends(
  tx: Tx,
  before: { readonly payload: EpochMs; readonly row: EpochMs },
): Promise<number> {
  await tx.run(
    `UPDATE outbox SET payload = NULL WHERE updated_at < ? AND state NOT IN ${OPEN} AND payload IS NOT NULL`,
    [before.payload],
  );
  return tx.run(`DELETE FROM outbox WHERE updated_at < ? AND state NOT IN ${OPEN}`, [before.row]);
}

/** Which rows an operator looks at; without a state those of which something is left to do or to know. */
export interface SendFilter {
  readonly state?: OutboxState | undefined;
  readonly platform?: string | undefined;
}

/** Messages that are not sent, the newest first. */
export async function sendsNotSent(q: Query, { state, platform }: SendFilter, limit: number): Promise<OutboxRow[]> {
  const wanted = state === undefined ? "state NOT IN ('sent', 'dropped')" : "state = ?";
  const there = platform === undefined ? "" : " AND platform = ?";
  const args = [state, platform].filter((one) => one !== undefined);
  return q.all<OutboxRow>(`SELECT * FROM outbox WHERE ${wanted}${there} ORDER BY created_at DESC, seq DESC LIMIT ?`, [
    ...args,
    limit,
  ]);
}

/** How many there are in each state, and since when the oldest of them waits. */
export async function countSends(
  q: Query,
): Promise<{ state: OutboxState; retried: number; count: number; oldest: EpochMs }[]> {
  return q.all(
    `SELECT state, CASE WHEN attempts > 0 THEN 1 ELSE 0 END AS retried, count(*) AS count, min(created_at) AS oldest
     FROM outbox WHERE state NOT IN ('sent', 'dropped') GROUP BY state, retried`,
  );
}

/** Give up what waits of a turn. @returns how many */
export async function dropTurnSends(tx: Tx, turn: string, now: EpochMs): Promise<number> {
  const sql = `UPDATE outbox SET state = 'dropped', error = 'stopped', updated_at = ? WHERE turn_id = ? AND state IN ${OPEN} AND state = 'pending'`;
  return tx.run(sql, [now, turn]);
}

/** When something was last sent over a platform; undefined: never, or it is forgotten. */
export async function lastSent(q: Query, platform: string): Promise<EpochMs | undefined> {
  const sql =
    "SELECT updated_at AS at FROM outbox WHERE state = 'sent' AND platform = ? ORDER BY updated_at DESC LIMIT 1";
  return (await q.get<{ at: EpochMs }>(sql, [platform]))?.at;
}

/** Rows of a turn of which a call runs. */
export async function sendingOf(q: Query, turn: string): Promise<readonly string[]> {
  const rows = await q.all<Pick<OutboxRow, "id">>(
    `SELECT id FROM outbox WHERE turn_id = ? AND state IN ${OPEN} AND state = 'sending'`,
    [turn],
  );
  return rows.map(({ id }) => id);
}
