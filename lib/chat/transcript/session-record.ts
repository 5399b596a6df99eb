import { AppError } from "../../base/errors.js";
import type { SessionRecord } from "../../contracts/chat/chat.js";

/** Data of the event `session.info` (core part, 1.4), as far as the record knows it. */
export function sessionInfo(session: SessionRecord): Readonly<Record<string, unknown>> {
  const { id, lineage_root, title, model, provider, cwd } = session;
  return { id, lineage_root, title, model, provider, cwd, ...countersOf(session) };
}

/** The error for an id that no session has. */
export const noSession = (id: string): AppError =>
  new AppError("E_NOT_FOUND", `no such session: ${id}`, { session: id, hint: "agent sessions list lists them" });

/** What a session has used so far. */
function countersOf(session: SessionRecord): Readonly<Record<string, number | null>> {
  return {
    message_count: session.message_count,
    tool_call_count: session.tool_call_count,
    api_call_count: session.api_call_count,
    input_tokens: session.input_tokens,
    output_tokens: session.output_tokens,
    cache_read_tokens: session.cache_read_tokens,
    cache_write_tokens: session.cache_write_tokens,
    reasoning_tokens: session.reasoning_tokens,
    last_prompt_tokens: session.last_prompt_tokens,
    estimated_cost_usd: session.estimated_cost_usd,
  };
}
