import type { SessionId, TurnId } from "../../../lib/base/units.js";
import type { ToolCall } from "../../../lib/contracts/models/model.js";
import type { MessagePicture } from "../../../lib/contracts/models/pictures.js";
import type { Tx, Value } from "../../store.js";
import { toParts } from "./messages.js";

/** One message that is repeated in another session. What is not given stays as it is in the original. */
export interface Copy {
  readonly id: number;
  readonly content?: string;
  /** An empty list: the copy calls nothing. */
  readonly toolCalls?: readonly ToolCall[];
  /** An empty list: the copy is empty. */
  readonly pictures?: readonly MessagePicture[];
  readonly kind?: "summary";
}

/** A message that no one said: written into a session in place of what it stands for. */
export interface Written {
  readonly role: "user" | "assistant";
  readonly content: string;
  readonly kind: "summary" | "note";
  readonly turn: TurnId | "";
  readonly at: number;
}

/**
 * Put copies and written messages behind what the session has, in the order given. A copy names the first original as its source, keeps time
 * and turn of it, and has no entry in the search index. A message that is gone is left out.
 *
 * @returns ids in the order given
 */
export async function appendCopies(tx: Tx, to: SessionId, items: readonly (Copy | Written)[]): Promise<number[]> {
  const session = await tx.get("SELECT next_ordinal FROM sessions WHERE id = ?", [to]);
  let ordinal = Number(session?.["next_ordinal"] ?? 1);
  const made: number[] = [];
  for (const item of items) {
    const [row] = "id" in item ? await copyOne(tx, { to, ordinal }, item) : await writeOne(tx, { to, ordinal }, item);
    if (row === undefined) continue;
    made.push(Number(row["id"]));
    ordinal += 1;
  }
  await tx.run(
    `UPDATE sessions SET next_ordinal = ?, message_count = message_count + ?,
       tool_call_count = (SELECT COALESCE(SUM(json_array_length(tool_calls)), 0) FROM messages WHERE session_id = ? AND tool_calls IS NOT NULL)
     WHERE id = ?`,
    [ordinal, made.length, to, to],
  );
  return made;
}

interface Place {
  readonly to: SessionId;
  readonly ordinal: number;
}

/** Columns that a copy takes over unchanged. */
const SAME = `tool_call_id, tool_name, status, duration_ms, created_at, token_count, finish_reason, reasoning, reasoning_content,
  reasoning_details, responses_reasoning_items, responses_message_items, anthropic_content_blocks, platform_message_id, observed, flags`;

function copyOne(tx: Tx, { to, ordinal }: Place, { id, content, toolCalls, pictures, kind }: Copy) {
  const calls: Value = toolCalls === undefined || toolCalls.length === 0 ? null : JSON.stringify(toolCalls);
  return tx.all(
    `INSERT INTO messages (session_id, turn_id, ordinal, role, kind, content, tool_calls, parts, active, copied_from, ${SAME})
     SELECT ?, turn_id, ?, role, COALESCE(?, kind), COALESCE(?, content), CASE WHEN ? = 1 THEN ? ELSE tool_calls END,
       CASE WHEN ? = 1 THEN ? ELSE parts END, 1, COALESCE(copied_from, id), ${SAME}
     FROM messages WHERE id = ? RETURNING id`,
    [
      to,
      ordinal,
      kind ?? null,
      content ?? null,
      toolCalls === undefined ? 0 : 1,
      calls,
      pictures === undefined ? 0 : 1,
      toParts(pictures),
      id,
    ],
  );
}

function writeOne(tx: Tx, { to, ordinal }: Place, { role, content, kind, turn, at }: Written) {
  return tx.all(
    "INSERT INTO messages (session_id, turn_id, ordinal, role, kind, content, created_at) VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id",
    [to, turn, ordinal, role, kind, content, at],
  );
}
