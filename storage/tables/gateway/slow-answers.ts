import type { EpochMs } from "../../../lib/base/units.js";
import type { Query, Tx } from "../../store.js";

/**
 * `pending`: the turn runs. `ready`: its answer waits for a press. `delivered`: it was shown. `error`: the turn failed. `lost`: the button was
 * perhaps never shown, and the answer goes as any other.
 */
export type SlowState = "pending" | "ready" | "delivered" | "error" | "lost";

/** An answer behind a button. `sends`: JSON of payloads; null before it is ready. */
export interface SlowAnswer {
  readonly request_id: string;
  readonly platform: string;
  readonly account: string;
  readonly chat_id: string;
  readonly user_id: string | null;
  readonly chat_type: string;
  readonly turn_id: string;
  readonly state: SlowState;
  readonly sends: string | null;
  readonly created_at: EpochMs;
  readonly updated_at: EpochMs;
}

const FIELDS = [
  "request_id",
  "platform",
  "account",
  "chat_id",
  "user_id",
  "chat_type",
  "turn_id",
  "state",
  "sends",
  "created_at",
  "updated_at",
] as const;

export async function insertSlow(tx: Tx, row: SlowAnswer): Promise<void> {
  const sql = `INSERT INTO slow_answers (${FIELDS.join(", ")}) VALUES (${FIELDS.map(() => "?").join(", ")})`;
  await tx.run(
    sql,
    FIELDS.map((field) => row[field]),
  );
}

export async function slowOfTurn(q: Query, turn: string): Promise<SlowAnswer | undefined> {
  return q.get<SlowAnswer>("SELECT * FROM slow_answers WHERE turn_id = ?", [turn]);
}

export async function slowAnswer(q: Query, requestId: string): Promise<SlowAnswer | undefined> {
  return q.get<SlowAnswer>("SELECT * FROM slow_answers WHERE request_id = ?", [requestId]);
}

/** Move an answer from one of some states. False: it is in none of them. */
export async function moveSlow(
  tx: Tx,
  requestId: string,
  how: { readonly from: readonly SlowState[]; readonly to: SlowState; readonly sends?: string },
  now: EpochMs,
): Promise<boolean> {
  const { from, to, sends = null } = how;
  const marks = from.map(() => "?").join(", ");
  const sql = `UPDATE slow_answers SET state = ?, sends = COALESCE(?, sends), updated_at = ? WHERE request_id = ? AND state IN (${marks})`;
  return (await tx.run(sql, [to, sends, now, requestId, ...from])) === 1;
}

/** Forget abandoned ones: those that wait after a day without an answer, or a week with one. */
export async function pruneSlow(tx: Tx, before: { readonly day: EpochMs; readonly week: EpochMs }): Promise<void> {
  await tx.run("DELETE FROM slow_answers WHERE updated_at < ? OR (updated_at < ? AND state <> 'ready')", [
    before.week,
    before.day,
  ]);
}
