import type { EpochMs, SessionId } from "../../lib/base/units.js";
import type { Query, Tx } from "../store.js";

/** Conversation that the messages of a session key go to; undefined before the first. */
export async function conversationAt(q: Query, sessionKey: string): Promise<SessionId | undefined> {
  const sql = "SELECT session_id FROM gateway_sessions WHERE session_key = ?";
  return (await q.get<{ session_id: SessionId }>(sql, [sessionKey]))?.session_id;
}

export async function setConversation(tx: Tx, sessionKey: string, session: SessionId, now: EpochMs): Promise<void> {
  await tx.run(
    `INSERT INTO gateway_sessions (session_key, session_id, created_at, updated_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (session_key) DO UPDATE SET session_id = excluded.session_id, updated_at = excluded.updated_at`,
    [sessionKey, session, now, now],
  );
}

/** A turn that was begun for messages, or that went on where such a turn was cut off: both have the `root` that the rows name. */
export interface GatewayTurn {
  readonly turn: string;
  readonly root: string;
  readonly session_id: SessionId;
  readonly begun_at: EpochMs;
}

/** Note where a turn is about to be worked, before its conversation hears of it. False: its name is noted already. */
export async function noteTurn(tx: Tx, { turn, root, session_id, begun_at }: GatewayTurn): Promise<boolean> {
  const sql = "INSERT INTO gateway_turns (turn, root, session_id, begun_at) VALUES (?, ?, ?, ?) ON CONFLICT (turn) DO NOTHING";
  return (await tx.run(sql, [turn, root, session_id, begun_at])) === 1;
}

/** The turn of the rows and those that went on with it, in order. */
export async function turnsOf(q: Query, root: string): Promise<GatewayTurn[]> {
  return q.all<GatewayTurn>("SELECT turn, root, session_id, begun_at FROM gateway_turns WHERE root = ? ORDER BY n", [root]);
}

/** Forget turns whose rows ended long ago. */
export async function pruneTurns(tx: Tx, before: EpochMs): Promise<void> {
  await tx.run("DELETE FROM gateway_turns WHERE begun_at < ?", [before]);
}
