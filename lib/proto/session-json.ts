import { toIso } from "../base/units.js";
import type { MessageRecord, SessionRecord } from "./chat.js";

/** A session record for machines: times are ISO 8601 in UTC. The system prompt is left out. */
export function toSessionJson({ system_prompt: _prompt, ...session }: SessionRecord): Readonly<Record<string, unknown>> {
  const { started_at, last_active_at, ended_at } = session;
  return {
    ...session,
    started_at: toIso(started_at),
    last_active_at: toIso(last_active_at),
    ended_at: ended_at === null ? null : toIso(ended_at),
  };
}

/** A message for machines, with the names of the stored record. */
export function toMessageJson(message: MessageRecord): Readonly<Record<string, unknown>> {
  const { toolCalls, toolCallId, toolName, durationMs, finishReason, copiedFrom, created_at, ...rest } = message;
  const given = (name: string, value: unknown) => (value === undefined ? {} : { [name]: value });
  return {
    ...rest,
    created_at: toIso(created_at),
    ...given("tool_calls", toolCalls),
    ...given("tool_call_id", toolCallId),
    ...given("tool_name", toolName),
    ...given("duration_ms", durationMs),
    ...given("finish_reason", finishReason),
    ...given("copied_from", copiedFrom),
  };
}
