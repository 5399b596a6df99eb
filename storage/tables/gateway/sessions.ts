import type { EpochMs, SessionId } from "../../../lib/base/units.js";
import type { Autocommit } from "../../alone.js";
import type { Query, Step, Tx } from "../../store.js";

/** Conversation that the messages of a session key go to; undefined before the first. */
export async function conversationAt(q: Query, sessionKey: string): Promise<SessionId | undefined> {
  const sql = "SELECT session_id FROM gateway_sessions WHERE session_key = ?";
  return (await q.get<{ session_id: SessionId }>(sql, [sessionKey]))?.session_id;
}

export function setConversationStep(sessionKey: string, session: SessionId, now: EpochMs): Step {
  const sql = `INSERT INTO gateway_sessions (session_key, session_id, created_at, updated_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (session_key) DO UPDATE SET session_id = excluded.session_id, updated_at = excluded.updated_at`;
  return { sql, args: [sessionKey, session, now, now] };
}

/** A turn that was begun for messages, or that went on where such a turn was cut off: both have the `root` that the rows name. */
export interface GatewayTurn {
  readonly turn: string;
  readonly root: string;
  readonly session_id: SessionId;
  readonly begun_at: EpochMs;
}

/** Note where a turn is about to be worked, before its conversation hears of it. False: its name is noted already. */
export async function noteTurn(tx: Autocommit, noted: GatewayTurn): Promise<boolean> {
  const { sql, args } = noteTurnStep(noted);
  return (await tx.get(sql, args)) !== undefined;
}

/** The same as a step of a script; it gives a row unless its name is noted already. */
export function noteTurnStep({ turn, root, session_id, begun_at }: GatewayTurn) {
  const sql =
    "INSERT INTO gateway_turns (turn, root, session_id, begun_at) VALUES (?, ?, ?, ?) ON CONFLICT (turn) DO NOTHING RETURNING turn";
  return { sql, args: [turn, root, session_id, begun_at] };
}

/** The turn of the rows and those that went on with it, in order. */
export async function turnsOf(q: Query, root: string): Promise<GatewayTurn[]> {
  return q.all<GatewayTurn>("SELECT turn, root, session_id, begun_at FROM gateway_turns WHERE root = ? ORDER BY n", [
    root,
  ]);
}

/** Forget turns whose rows ended long ago. */
export async function pruneTurns(tx: Tx, before: EpochMs): Promise<void> {
  await tx.run("DELETE FROM gateway_turns WHERE begun_at < ?", [before]);
}

/** What is kept of a chat besides its conversation (gateway part, 7.2). */
export interface ChatFacts {
  /** JSON of the source of its last message. */
  readonly origin: string;
  readonly display_name: string | null;
  readonly platform: string;
  readonly chat_type: string;
}

/** The entry of a session key; what is a flag is 0 or 1. */
export interface GatewayEntry {
  readonly session_key: string;
  readonly session_id: SessionId;
  readonly created_at: EpochMs;
  readonly updated_at: EpochMs;
  readonly origin: string | null;
  readonly display_name: string | null;
  readonly platform: string | null;
  readonly chat_type: string | null;
  readonly is_fresh_reset: number;
  readonly was_auto_reset: number;
  readonly auto_reset_reason: string | null;
  readonly reset_had_activity: number;
  readonly expiry_finalized: number;
  readonly suspended: number;
  readonly resume_failures: number;
}

export const entryAt = (q: Query, sessionKey: string): Promise<GatewayEntry | undefined> =>
  q.get<GatewayEntry>("SELECT * FROM gateway_sessions WHERE session_key = ?", [sessionKey]);

/** A message came: the entry is in use. */
export async function touchEntry(tx: Autocommit, sessionKey: string, facts: ChatFacts, now: EpochMs): Promise<void> {
  const { origin, display_name, platform, chat_type } = facts;
  await tx.run(
    `UPDATE gateway_sessions SET origin = ?, display_name = ?, platform = ?, chat_type = ?, is_fresh_reset = 0, updated_at = ?
     WHERE session_key = ?`,
    [origin, display_name, platform, chat_type, now, sessionKey],
  );
}

/** The conversation was changed for a new one by the reset policy: its next turn says so. */
export async function noteReset(tx: Tx, sessionKey: string, reason: string, had: boolean): Promise<void> {
  await tx.run(
    "UPDATE gateway_sessions SET is_fresh_reset = 1, was_auto_reset = 1, auto_reset_reason = ?, reset_had_activity = ? WHERE session_key = ?",
    [reason, had ? 1 : 0, sessionKey],
  );
}

/** The reset was reported. */
export async function resetTold(tx: Tx, sessionKey: string): Promise<void> {
  await tx.run("UPDATE gateway_sessions SET was_auto_reset = 0, reset_had_activity = 0 WHERE session_key = ?", [
    sessionKey,
  ]);
}

/** Forget the entry of a session key: its next message begins a new conversation. */
export async function forgetEntry(tx: Tx, sessionKey: string): Promise<void> {
  await tx.run("DELETE FROM gateway_sessions WHERE session_key = ?", [sessionKey]);
}

/** Forget entries that were not used since; their conversations stay. @returns how many */
export const pruneEntries = (tx: Tx, before: EpochMs): Promise<number> =>
  tx.run("DELETE FROM gateway_sessions WHERE updated_at < ?", [before]);

/** A conversation of a person of a platform; `session_id` is the root of its lineage. */
export interface GatewayConversation {
  readonly session_id: SessionId;
  readonly platform: string;
  readonly user_id: string;
  readonly session_key: string;
  readonly created_at: EpochMs;
}

export function noteConversationStep({
  session_id,
  platform,
  user_id,
  session_key,
  created_at,
}: GatewayConversation): Step {
  const sql = `INSERT INTO gateway_conversations (session_id, platform, user_id, session_key, created_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (session_id, platform, user_id) DO NOTHING`;
  return { sql, args: [session_id, platform, user_id, session_key, created_at] };
}

/** Conversations of a person, the newest first. */
export async function conversationsOf(
  q: Query,
  platform: string,
  ids: readonly string[],
  limit: number,
): Promise<SessionId[]> {
  const places = ids.map(() => "?").join(", ");
  const sql = `SELECT DISTINCT session_id, created_at FROM gateway_conversations WHERE platform = ? AND user_id IN (${places})
     ORDER BY created_at DESC LIMIT ?`;
  if (ids.length === 0) return [];
  return (await q.all<{ session_id: SessionId }>(sql, [platform, ...ids, limit])).map((row) => row.session_id);
}

/** Conversations that belong to a session key, the newest first. */
export async function conversationsUnder(q: Query, sessionKey: string, limit: number): Promise<SessionId[]> {
  const sql = `SELECT DISTINCT session_id, created_at FROM gateway_conversations WHERE session_key = ? ORDER BY created_at DESC LIMIT ?`;
  return (await q.all<{ session_id: SessionId }>(sql, [sessionKey, limit])).map((row) => row.session_id);
}

/** The entry that leads to a conversation; undefined: no chat is in it. */
export const entryOfSession = (q: Query, session: SessionId): Promise<GatewayEntry | undefined> =>
  q.get<GatewayEntry>("SELECT * FROM gateway_sessions WHERE session_id = ? ORDER BY updated_at DESC LIMIT 1", [
    session,
  ]);

/** Entries that a message came to, of one platform or all, the last used first. */
export async function entriesOf(q: Query, platform: string | undefined, limit: number): Promise<GatewayEntry[]> {
  const which = platform === undefined ? "platform IS NOT NULL" : "platform = ?";
  return q.all<GatewayEntry>(
    `SELECT * FROM gateway_sessions WHERE ${which} ORDER BY updated_at DESC, session_key LIMIT ?`,
    [...(platform === undefined ? [] : [platform]), limit],
  );
}

/** Session key that a lineage was last held under; undefined: no chat was in it. */
export async function keyOfLineage(q: Query, root: SessionId): Promise<string | undefined> {
  const sql =
    "SELECT session_key FROM gateway_conversations WHERE session_id = ? ORDER BY created_at DESC, session_key LIMIT 1";
  return (await q.get<{ session_key: string }>(sql, [root]))?.session_key;
}
