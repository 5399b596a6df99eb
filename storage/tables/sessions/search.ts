import type { Query, Row } from "../../store.js";

export interface SearchFilter {
  readonly roles: readonly string[];
  /** Newest first costs nothing; the best first reads every match of every word. */
  readonly order: "newest" | "oldest" | "relevance";
  readonly limit: number;
  /** Family that is left out. */
  readonly exceptFamily?: string | undefined;
  /** Lineages that are looked through; undefined: all. */
  readonly among?: readonly string[] | undefined;
}

export interface Found {
  readonly id: number;
  readonly lineage_root: string;
  readonly family_root: string;
}

const SHOWN = "s.source NOT IN ('subagent', 'tool')";
const ORDERS = { newest: "message_index.rowid DESC", oldest: "message_index.rowid", relevance: "rank" } as const;

/**
 * Messages that match an expression of the index. The index has visible originals alone, and of a message only what stands before its text is
 * read here: neither a long text nor what stands behind it.
 */
export async function match(q: Query, expression: string, filter: SearchFilter): Promise<Found[]> {
  return q.all<Row & Found>(
    `SELECT m.id, s.lineage_root, s.family_root FROM message_index JOIN messages m ON m.id = message_index.rowid
     JOIN sessions s ON s.id = m.session_id
     WHERE message_index MATCH ? AND ${SHOWN} AND ${rolesIn(filter)} AND s.family_root <> ? ${amongThese(filter)} ORDER BY ${ORDERS[filter.order]} LIMIT ?`,
    [expression, ...filter.roles, filter.exceptFamily ?? "", ...(filter.among ?? []), filter.limit],
  );
}

/** Newest message that a plain substring is looked for in. */
const LIKE_MESSAGES = 50_000;

/** Messages that contain a text which has no word in it, among the newest 50,000. */
export async function contain(q: Query, text: string, filter: SearchFilter): Promise<Found[]> {
  const pattern = `%${text.replace(/[\\%_]/g, (char) => `\\${char}`)}%`;
  return q.all<Row & Found>(
    `SELECT m.id, s.lineage_root, s.family_root FROM messages m JOIN sessions s ON s.id = m.session_id
     WHERE m.id > (SELECT MAX(id) FROM messages) - ? AND m.content LIKE ? ESCAPE '\\' AND m.active = 1 AND m.copied_from IS NULL
       AND m.kind = 'normal' AND ${SHOWN} AND ${rolesIn(filter)} AND s.family_root <> ? ${amongThese(filter)}
     ORDER BY m.id ${filter.order === "oldest" ? "ASC" : "DESC"} LIMIT ?`,
    [LIKE_MESSAGES, pattern, ...filter.roles, filter.exceptFamily ?? "", ...(filter.among ?? []), filter.limit],
  );
}

/** Number of messages that match, counted no further than `most`. */
export async function countMatches(q: Query, expression: string, most: number): Promise<number> {
  const row = await q.get(
    "SELECT count(*) AS n FROM (SELECT 1 FROM message_index WHERE message_index MATCH ? LIMIT ?)",
    [expression, most],
  );
  return Number(row?.["n"] ?? 0);
}

const rolesIn = ({ roles }: SearchFilter): string => `m.role IN (${roles.map(() => "?").join(", ")})`;

const amongThese = ({ among }: SearchFilter): string =>
  among === undefined ? "" : `AND s.lineage_root IN (${among.map(() => "?").join(", ")})`;
