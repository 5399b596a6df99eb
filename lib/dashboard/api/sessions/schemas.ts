import * as z from "zod";
import { AppError } from "../../../base/errors.js";
import type { SessionId } from "../../../base/units.js";
import type { MessageRecord, SessionRecord } from "../../../proto/chat.js";
import { toMessageJson } from "../../../proto/session-json.js";
import type { DashboardParts } from "../../parts.js";

const text = z.string().nullable();
/** An instant as the command line writes it for machines. */
const instant = z.iso.datetime();

/** A session as `agent sessions list --json` shows it. */
export const session = z.object({
  ...{ id: z.string(), source: z.string(), profile: z.string(), lineage_root: z.string(), parent_session_id: text, relation: text },
  ...{ model: z.string(), provider: z.string(), title: text, title_source: z.enum(["auto", "user"]).nullable(), cwd: z.string() },
  ...{ started_at: instant, last_active_at: instant, ended_at: instant.nullable(), end_reason: text },
  ...{ message_count: z.int(), tool_call_count: z.int(), api_call_count: z.int(), input_tokens: z.int(), output_tokens: z.int() },
  ...{ cache_read_tokens: z.int(), cache_write_tokens: z.int(), reasoning_tokens: z.int(), last_prompt_tokens: z.int() },
  ...{ estimated_cost_usd: z.number().nullable(), archived: z.boolean(), ephemeral: z.boolean() },
});

/** The same with the beginning of its first message. */
export const listedSession = session.extend({ preview: z.string() });

const call = z.object({
  ...{ id: z.string(), name: z.string(), arguments: z.string().describe("JSON text as the model wrote it") },
  extra: z.record(z.string(), z.unknown()).exactOptional(),
});

/** A message with the names of the stored record. */
export const message = z.object({
  ...{ id: z.int(), session_id: z.string(), turn_id: z.string(), ordinal: z.int(), created_at: instant, active: z.boolean() },
  ...{ role: z.enum(["system", "user", "assistant", "tool"]), content: z.string() },
  kind: z.enum(["summary", "note"]).exactOptional(),
  tool_calls: z.array(call).exactOptional(),
  ...{ tool_call_id: z.string().exactOptional(), tool_name: z.string().exactOptional() },
  status: z.enum(["ok", "error", "denied", "blocked", "cancelled", "interrupted", "skipped"]).exactOptional(),
  ...{ duration_ms: z.number().exactOptional(), finish_reason: z.string().exactOptional() },
  ...{ reasoning: z.string().exactOptional(), copied_from: z.int().exactOptional() },
  pictures: z.array(z.object({ path: z.string(), name: z.string() })).exactOptional(),
});

/** A message as the page and other clients get it. */
export function shownMessage(message: MessageRecord): Readonly<Record<string, unknown>> {
  return { ...toMessageJson(message) };
}

/** The session of a path; no beginning of an id and no title names one here. @throws E_NOT_FOUND */
export async function sessionOf({ chat }: Pick<DashboardParts, "chat">, id: string): Promise<SessionRecord> {
  const found = await chat.get(id as SessionId); // proved by the look-up
  if (found !== undefined) return found;
  throw new AppError("E_NOT_FOUND", `there is no session ${JSON.stringify(id.slice(0, 80))}`);
}
