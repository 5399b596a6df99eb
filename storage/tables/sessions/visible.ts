import type { SessionId, TurnId } from "../../../lib/base/units.js";
import type { Query, Row, Tx } from "../../store.js";
import { INDEXED, reindex, unindex } from "../text/message-index.js";

/** A visible message, as far as an undo needs to know it. */
export interface Visible {
  readonly id: number;
  readonly ordinal: number;
  readonly role: string;
  readonly kind: string;
  readonly turn_id: TurnId;
}

/** Visible messages of a session, the newest first, in portions. */
export async function newest(q: Query, session: SessionId, before: number, limit: number): Promise<Visible[]> {
  return q.all<Row & Visible>(
    `SELECT id, ordinal, role, kind, turn_id FROM messages WHERE session_id = ? AND active = 1 AND ordinal < ?
     ORDER BY ordinal DESC LIMIT ?`,
    [session, before, limit],
  );
}

/** Hidden messages between two places, both included. */
export async function hiddenBetween(q: Query, session: SessionId, from: number, to: number): Promise<number[]> {
  const rows = await q.all(
    "SELECT id FROM messages WHERE session_id = ? AND active = 0 AND ordinal >= ? AND ordinal <= ? ORDER BY ordinal",
    [session, from, to],
  );
  return rows.map((row) => Number(row["id"]));
}

/** Content of one message. */
export async function contentOf(q: Query, id: number): Promise<string> {
  const row = await q.get("SELECT content FROM messages WHERE id = ?", [id]);
  return String(row?.["content"] ?? "");
}

/** Place that the next message of a session gets: it tells whether something came since. */
export async function nextPlace(q: Query, session: SessionId): Promise<number> {
  const row = await q.get("SELECT next_ordinal FROM sessions WHERE id = ?", [session]);
  return Number(row?.["next_ordinal"] ?? 0);
}

/** Ids of one statement. */
const PORTION = 200;

/**
 * Show or hide messages, and with them their entries in the search index. Copies and originals of them in other segments of the lineage follow,
 * so that what was undone is not found in an earlier segment. Messages that are so already stay as they are.
 */
export async function setActive(tx: Tx, chosen: readonly number[], active: boolean): Promise<void> {
  for (let at = 0; at < chosen.length; at += PORTION) {
    const related = await setSome(tx, chosen.slice(at, at + PORTION), active);
    if (related.length > 0) await setActive(tx, related, active);
  }
}

async function setSome(tx: Tx, chosen: readonly number[], active: boolean): Promise<number[]> {
  const marks = chosen.map(() => "?").join(", ");
  const wanted = active ? 1 : 0;
  const rows = await tx.all(
    `SELECT id, content, tool_name, tool_calls, ${INDEXED} AS indexed FROM messages WHERE id IN (${marks}) AND active <> ?`,
    [...chosen, wanted],
  );
  for (const row of rows) {
    if (row["indexed"] !== 1) continue;
    await (active ? reindex(tx, row) : unindex(tx, row));
  }
  await tx.run(`UPDATE messages SET active = ? WHERE id IN (${marks}) AND active <> ?`, [wanted, ...chosen, wanted]);
  const same = (
    on: string,
  ) => `SELECT o.id FROM messages m JOIN sessions s ON s.id = m.session_id JOIN messages o ON ${on}
    JOIN sessions f ON f.id = o.session_id AND f.lineage_root = s.lineage_root WHERE m.id IN (${marks}) AND o.active <> ?`;
  const related = await tx.all(
    `${same("o.id = m.copied_from")} UNION ${same("o.copied_from = COALESCE(m.copied_from, m.id)")}`,
    [...chosen, wanted, ...chosen, wanted],
  );
  return related.map((row) => Number(row["id"]));
}

/** Count messages that came or went, and undos. */
export async function recount(tx: Tx, session: SessionId, messages: number, rewinds: number): Promise<void> {
  await tx.run("UPDATE sessions SET message_count = message_count + ?, rewind_count = rewind_count + ? WHERE id = ?", [
    messages,
    rewinds,
    session,
  ]);
}
