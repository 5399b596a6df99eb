import type { SessionId } from "../../../lib/base/units.js";
import type { MessageRecord } from "../../../lib/contracts/chat/chat.js";
import type { Query } from "../../store.js";
import { COLUMNS, toMessage } from "./messages.js";

/** A stretch of visible messages around one of them, and how many there are outside of it. */
export interface MessageWindow {
  readonly messages: readonly MessageRecord[];
  readonly before: number;
  readonly after: number;
}

/** The message at a place with up to `size` visible messages on each side. */
export async function around(q: Query, session: SessionId, ordinal: number, size: number): Promise<MessageWindow> {
  const earlier = await q.all(
    `SELECT ${COLUMNS} FROM messages WHERE session_id = ? AND active = 1 AND ordinal <= ? ORDER BY ordinal DESC LIMIT ?`,
    [session, ordinal, size + 1],
  );
  const later = await q.all(
    `SELECT ${COLUMNS} FROM messages WHERE session_id = ? AND active = 1 AND ordinal > ? ORDER BY ordinal LIMIT ?`,
    [session, ordinal, size],
  );
  const messages = [...earlier.reverse(), ...later].map(toMessage);
  const first = messages[0]?.ordinal ?? ordinal;
  const last = messages.at(-1)?.ordinal ?? ordinal;
  const row = await q.get(
    `SELECT (SELECT count(*) FROM messages WHERE session_id = ? AND active = 1 AND ordinal < ?) AS before,
       (SELECT count(*) FROM messages WHERE session_id = ? AND active = 1 AND ordinal > ?) AS after`,
    [session, first, session, last],
  );
  return { messages, before: Number(row?.["before"] ?? 0), after: Number(row?.["after"] ?? 0) };
}

/** What is said: no tool results, and nothing without a text. The length is known without reading the text. */
const SAID = "active = 1 AND role IN ('user', 'assistant') AND octet_length(content) > 0";

/** The first and the last messages with a text, each in the order of the conversation. */
export async function bookends(
  q: Query,
  session: SessionId,
  count: number,
): Promise<{ start: MessageRecord[]; end: MessageRecord[] }> {
  const start = await q.all(
    `SELECT ${COLUMNS} FROM messages WHERE session_id = ? AND ${SAID} ORDER BY ordinal LIMIT ?`,
    [session, count],
  );
  const end = await q.all(
    `SELECT ${COLUMNS} FROM messages WHERE session_id = ? AND ${SAID} ORDER BY ordinal DESC LIMIT ?`,
    [session, count],
  );
  return { start: start.map(toMessage), end: end.map(toMessage).reverse() };
}

/** The beginning and the end of a session, and how many visible messages there are. */
export async function edges(
  q: Query,
  session: SessionId,
  { first, last }: { readonly first: number; readonly last: number },
): Promise<{ readonly messages: readonly MessageRecord[]; readonly count: number }> {
  const row = await q.get("SELECT count(*) AS n FROM messages WHERE session_id = ? AND active = 1", [session]);
  const count = Number(row?.["n"] ?? 0);
  const all = `SELECT ${COLUMNS} FROM messages WHERE session_id = ? AND active = 1 ORDER BY ordinal`;
  if (count <= first + last) return { messages: (await q.all(all, [session])).map(toMessage), count };
  const head = await q.all(`${all} LIMIT ?`, [session, first]);
  const tail = await q.all(`${all} DESC LIMIT ?`, [session, last]);
  return { messages: [...head, ...tail.reverse()].map(toMessage), count };
}

/** Family of a session: its lineage with everything that was branched or delegated from it. */
export async function familyOf(q: Query, session: string): Promise<string | undefined> {
  const row = await q.get("SELECT family_root FROM sessions WHERE id = ?", [session]);
  return row === undefined ? undefined : String(row["family_root"]);
}

/** How many families there are, besides one. */
export async function countFamilies(q: Query, except: string | undefined): Promise<number> {
  const row = await q.get("SELECT COUNT(DISTINCT family_root) AS count FROM sessions WHERE family_root <> ?", [
    except ?? "",
  ]);
  return Number(row?.["count"] ?? 0);
}
