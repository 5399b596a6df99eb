import type { SessionId, TurnId } from "../../../lib/base/units.js";
import type { MessageRecord, NewMessage } from "../../../lib/contracts/chat/chat.js";
import type { Query, Row, Step, Tx, Value } from "../../store.js";
import { INDEXED, reindex, unindex } from "../text/message-index.js";
import { indexText } from "../text/word-segments.js";
import { REPLAY_COLUMNS, replayOf, replayValues } from "./replay.js";

/** Columns that `toMessage` reads. */
export const COLUMNS = `id, session_id, turn_id, ordinal, role, content, tool_call_id, tool_calls, tool_name, status, duration_ms, created_at,
  finish_reason, reasoning, active, kind, copied_from, parts`;

/** Where a message goes and when it was made. */
export interface Place {
  readonly session: SessionId;
  readonly turn: TurnId;
  readonly at: number;
}

/**
 * Steps that store one message: they take its place, store it, open or close its calls and index it. `base` is the number of steps before
 * them in the script. The step `base + 1` answers `id` and `ordinal`.
 *
 * A result takes the place that its call kept for it, and a call has one result: a second one changes nothing and fails the script.
 */
export function messageSteps(message: NewMessage, place: Place, base: number, { answered, of }: Joined = {}): Step[] {
  const calls = message.toolCalls ?? [];
  const toolCalls = calls.length > 0 ? JSON.stringify(calls) : null;
  return [
    of !== undefined
      ? placeOf(of)
      : message.role === "tool"
        ? takeResultPlace(message, place)
        : takeNextPlace(calls.length, place, 1 + (answered?.size ?? 0)),
    insertStep(message, place, base, toolCalls),
    ...calls.flatMap((call, index) => (answered?.has(index) ? [] : [openCall(call, index, place, base)])),
    {
      sql: "INSERT INTO message_index (rowid, text) VALUES (?, ?)",
      args: [{ from: base + 1, column: "id" }, indexText(message.content, message.toolName ?? null, toolCalls)],
    },
    ...(message.role === "tool" && of === undefined ? [countStep(place)] : []),
  ];
}

/** Of messages that are stored together: a call with its result there was never open. */
interface Joined {
  /** Calls of the message, by their index, whose results come with it. */
  readonly answered?: ReadonlySet<number>;
  /** The call that the result is of: its index, and the number of steps before those of its message. */
  readonly of?: { readonly base: number; readonly index: number };
}

/** Steps that store messages one after the other, and where those of each begin. `base` is the number of steps before them. */
export function appendSteps(
  added: readonly NewMessage[],
  place: Place,
  base: number,
): { readonly steps: Step[]; readonly bases: number[] } {
  const calls = added[0]?.toolCalls ?? [];
  const answered = new Set<number>();
  const indexes = added.map((message) => {
    const index =
      message.role === "tool" ? calls.findIndex(({ id }, at) => id === message.toolCallId && !answered.has(at)) : -1;
    if (index >= 0) answered.add(index);
    return index;
  });
  const steps: Step[] = [];
  const bases = added.map((message, at) => {
    const from = base + steps.length;
    const index = indexes[at] ?? -1;
    steps.push(
      ...messageSteps(message, place, from, at === 0 ? { answered } : index < 0 ? {} : { of: { base, index } }),
    );
    return from;
  });
  return { steps, bases };
}

/** Its message has kept it. */
const placeOf = ({ base, index }: NonNullable<Joined["of"]>): Step => ({
  sql: "SELECT ordinal + ? AS ordinal FROM messages WHERE id = ?",
  args: [index + 1, { from: base + 1, column: "id" }],
  expect: 1,
});

/** Counts the messages that are stored together, and keeps one place for each call, so that results stand behind their message in the order of the calls. */
function takeNextPlace(calls: number, { session, at }: Place, messages: number): Step {
  return {
    sql: `UPDATE sessions SET next_ordinal = next_ordinal + ?, message_count = message_count + ?, tool_call_count = tool_call_count + ?,
        last_active_at = ? WHERE id = ? RETURNING next_ordinal - ? AS ordinal`,
    args: [calls + 1, messages, calls, at, session, calls + 1],
    expect: 1,
  };
}

function takeResultPlace(message: NewMessage, { session, turn }: Place): Step {
  return {
    sql: `DELETE FROM open_calls WHERE session_id = ? AND ordinal =
        (SELECT MIN(ordinal) FROM open_calls WHERE session_id = ? AND turn_id = ? AND call_id = ?) RETURNING ordinal`,
    args: [session, session, turn, message.toolCallId ?? ""],
    expect: 1,
  };
}

function countStep({ session, at }: Place): Step {
  return {
    sql: "UPDATE sessions SET message_count = message_count + 1, last_active_at = ? WHERE id = ?",
    args: [at, session],
  };
}

function insertStep(message: NewMessage, { session, turn, at }: Place, base: number, toolCalls: string | null): Step {
  return {
    sql: `INSERT INTO messages (session_id, turn_id, ordinal, role, content, tool_call_id, tool_calls, tool_name, status, duration_ms,
        created_at, finish_reason, reasoning, parts, ${REPLAY_COLUMNS})
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id, ordinal`,
    args: [
      session,
      turn,
      { from: base, column: "ordinal" },
      message.role,
      message.content,
      message.toolCallId ?? null,
      toolCalls,
      message.toolName ?? null,
      message.status ?? null,
      message.durationMs === undefined ? null : Math.round(message.durationMs),
      at,
      message.finishReason ?? null,
      message.reasoning ?? null,
      toParts(message.pictures),
      ...replayValues(message.replay),
    ],
  };
}

function openCall(call: { id: string; name: string }, index: number, { session, turn }: Place, base: number): Step {
  return {
    sql: `INSERT INTO open_calls (session_id, ordinal, turn_id, call_id, tool_name)
      SELECT session_id, ordinal + ?, turn_id, ?, ? FROM messages WHERE id = ? AND session_id = ? AND turn_id = ?`,
    args: [index + 1, call.id, call.name, { from: base + 1, column: "id" }, session, turn],
    expect: 1,
  };
}

const PICTURE = "image";

/** The column `parts` of a message with these pictures. */
export const toParts = (pictures: NewMessage["pictures"] = []): string | null =>
  pictures.length === 0 ? null : JSON.stringify(pictures.map((one) => ({ type: PICTURE, ...one })));

function picturesOf(parts: Value | undefined): Pick<NewMessage, "pictures"> {
  if (typeof parts !== "string") return {};
  const read: unknown = JSON.parse(parts); // `toParts` wrote it
  const pictures = (Array.isArray(read) ? read : []).flatMap((one) =>
    one?.type === PICTURE
      ? [
          {
            path: String(one.path),
            name: String(one.name),
            ...(one.width > 0 && one.height > 0 ? { width: Number(one.width), height: Number(one.height) } : {}),
            ...(typeof one.question === "string" ? { question: one.question } : {}),
            ...(one.unsent === true ? { unsent: true as const } : {}),
          },
        ]
      : [],
  );
  return pictures.length === 0 ? {} : { pictures };
}

/** A stored row as the record that everybody sees. */
export function toMessage(row: Row): MessageRecord {
  const given = (name: string, column: string): Record<string, Value> =>
    row[column] === null ? {} : { [name]: row[column] ?? null };
  const calls: unknown = row["tool_calls"] === null ? undefined : JSON.parse(String(row["tool_calls"]));
  const record: unknown = {
    id: row["id"],
    session_id: row["session_id"],
    turn_id: row["turn_id"],
    ordinal: row["ordinal"],
    role: row["role"],
    content: row["content"],
    created_at: row["created_at"],
    active: row["active"] === 1,
    ...given("toolCallId", "tool_call_id"),
    ...given("toolName", "tool_name"),
    ...given("status", "status"),
    ...given("durationMs", "duration_ms"),
    ...given("finishReason", "finish_reason"),
    ...given("reasoning", "reasoning"),
    ...(row["kind"] === "normal" ? {} : given("kind", "kind")),
    ...given("copiedFrom", "copied_from"),
    ...(calls === undefined ? {} : { toolCalls: calls }),
    ...picturesOf(row["parts"]),
    ...replayOf(row),
  };
  return record as MessageRecord; // member by member what the insert above wrote
}

/** All visible messages of a session, in the order of the conversation. */
export async function conversation(q: Query, session: string): Promise<MessageRecord[]> {
  const columns = `${COLUMNS}, ${REPLAY_COLUMNS}`;
  const rows = await q.all(`SELECT ${columns} FROM messages WHERE session_id = ? AND active = 1 ORDER BY ordinal`, [
    session,
  ]);
  return rows.map(toMessage);
}

export interface Page {
  /** Only messages with a smaller ordinal: the newest of them. */
  readonly before?: number | undefined;
  /** Only messages with a greater ordinal: the oldest of them. */
  readonly after?: number | undefined;
  readonly limit: number;
}

/** A page of a session in the order of the conversation. Without `after` the newest ones. */
export async function page(q: Query, session: string, { before, after, limit }: Page): Promise<MessageRecord[]> {
  const newest = after === undefined;
  const rows = await q.all(
    `SELECT ${COLUMNS} FROM messages WHERE session_id = ? AND active = 1 AND ordinal > ? AND ordinal < ?
     ORDER BY ordinal ${newest ? "DESC" : "ASC"} LIMIT ?`,
    [session, after ?? 0, before ?? Number.MAX_SAFE_INTEGER, limit],
  );
  const found = rows.map(toMessage);
  return newest ? found.reverse() : found;
}

export interface AfterPlace {
  readonly after: number;
  readonly limit: number;
}

/** Visible messages after a place, without copies of an earlier segment of the same lineage. A branch owns its copies. */
export async function originals(q: Query, session: string, { after, limit }: AfterPlace): Promise<MessageRecord[]> {
  const rows = await q.all(
    `SELECT ${COLUMNS} FROM messages WHERE session_id = ? AND ordinal > ? AND active = 1 AND (copied_from IS NULL OR EXISTS (
       SELECT 1 FROM sessions s JOIN messages o ON o.id = messages.copied_from JOIN sessions f ON f.id = o.session_id
       WHERE s.id = messages.session_id AND s.relation = 'branch' AND f.lineage_root <> s.lineage_root)) ORDER BY ordinal LIMIT ?`,
    [session, after, limit],
  );
  return rows.map(toMessage);
}

/** Messages by id; ids that are gone are missing. */
export async function byIds(q: Query, ids: readonly number[]): Promise<MessageRecord[]> {
  if (ids.length === 0) return [];
  const rows = await q.all(`SELECT ${COLUMNS} FROM messages WHERE id IN (${ids.map(() => "?").join(", ")})`, ids);
  return rows.map(toMessage);
}

/**
 * Remove up to `limit` messages of a session with their index entries. Copies of them in other lineages live on as messages of their own and
 * take their place in the index.
 *
 * @returns how many there were
 */
export async function removeSome(tx: Tx, session: SessionId, limit: number): Promise<number> {
  const rows = await tx.all(
    `SELECT id, content, tool_name, tool_calls, active = 1 AND ${INDEXED} AS indexed FROM messages WHERE session_id = ? ORDER BY ordinal LIMIT ?`,
    [session, limit],
  );
  const own = await tx.get("SELECT lineage_root FROM sessions WHERE id = ?", [session]);
  for (const row of rows) {
    const id = row["id"] ?? null;
    if (row["indexed"] === 1) await unindex(tx, row);
    await handOver(tx, id, own?.["lineage_root"] ?? null);
    await tx.run("DELETE FROM messages WHERE id = ?", [id]);
  }
  return rows.length;
}

/** The first copy of a message in each other lineage is a message of its own from now on; later segments of that lineage copy it. */
async function handOver(tx: Tx, id: Value, lineage: Value): Promise<void> {
  const heirs = new Map<Value, Value>();
  const copies = await tx.all(
    `SELECT m.id, m.content, m.tool_name, m.tool_calls, m.active, m.kind, s.lineage_root AS root FROM messages m
     JOIN sessions s ON s.id = m.session_id WHERE m.copied_from = ? AND s.lineage_root IS NOT ? ORDER BY m.id`,
    [id, lineage],
  );
  for (const copy of copies) {
    const root = copy["root"] ?? null;
    const heir = heirs.get(root) ?? null;
    await tx.run("UPDATE messages SET copied_from = ? WHERE id = ?", [heir, copy["id"] ?? null]);
    if (heir !== null) continue;
    heirs.set(root, copy["id"] ?? null);
    if (copy["active"] === 1 && copy["kind"] === "normal") await reindex(tx, copy);
  }
}
