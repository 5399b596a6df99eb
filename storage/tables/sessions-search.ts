import type { MessageRecord } from "../../lib/proto/chat.js";
import type { Query, Value } from "../store.js";
import { byIds } from "./sessions-messages.js";

export interface SearchFilter {
  readonly roles: readonly string[];
  /** Newest first costs nothing; the best first reads every match of every word. */
  readonly order: "newest" | "oldest" | "relevance";
  readonly limit: number;
}

export interface Found {
  readonly message: MessageRecord;
  readonly lineage_root: string;
}

const VISIBLE = "m.active = 1 AND m.copied_from IS NULL AND s.source NOT IN ('subagent', 'tool')";
const ORDERS = { newest: "message_index.rowid DESC", oldest: "message_index.rowid", relevance: "rank" } as const;

/** Messages that match an expression of the index. */
export async function match(q: Query, expression: string, filter: SearchFilter): Promise<Found[]> {
  return found(
    q,
    `SELECT m.id, s.lineage_root FROM message_index JOIN messages m ON m.id = message_index.rowid JOIN sessions s ON s.id = m.session_id
     WHERE message_index MATCH ? AND ${VISIBLE} AND ${rolesIn(filter)} ORDER BY ${ORDERS[filter.order]} LIMIT ?`,
    [expression, ...filter.roles, filter.limit],
  );
}

/** Newest message that a plain substring is looked for in. */
const LIKE_MESSAGES = 50_000;

/** Messages that contain a text which has no word in it, among the newest 50,000. */
export async function contain(q: Query, text: string, filter: SearchFilter): Promise<Found[]> {
  const pattern = `%${text.replace(/[\\%_]/g, (char) => `\\${char}`)}%`;
  return found(
    q,
    `SELECT m.id, s.lineage_root FROM messages m JOIN sessions s ON s.id = m.session_id
     WHERE m.id > (SELECT MAX(id) FROM messages) - ? AND m.content LIKE ? ESCAPE '\\' AND ${VISIBLE} AND ${rolesIn(filter)}
     ORDER BY m.id ${filter.order === "oldest" ? "ASC" : "DESC"} LIMIT ?`,
    [LIKE_MESSAGES, pattern, ...filter.roles, filter.limit],
  );
}

/** Number of messages that match, counted no further than `most`. */
export async function countMatches(q: Query, expression: string, most: number): Promise<number> {
  const row = await q.get("SELECT count(*) AS n FROM (SELECT 1 FROM message_index WHERE message_index MATCH ? LIMIT ?)", [
    expression,
    most,
  ]);
  return Number(row?.["n"] ?? 0);
}

const rolesIn = ({ roles }: SearchFilter): string => `m.role IN (${roles.map(() => "?").join(", ")})`;

async function found(q: Query, sql: string, args: readonly Value[]): Promise<Found[]> {
  const rows = await q.all(sql, args);
  const messages = await byIds(
    q,
    rows.map((row) => Number(row["id"])),
  );
  const byId = new Map(messages.map((message) => [message.id, message]));
  return rows.flatMap((row) => {
    const message = byId.get(Number(row["id"]));
    return message ? [{ message, lineage_root: String(row["lineage_root"]) }] : [];
  });
}
