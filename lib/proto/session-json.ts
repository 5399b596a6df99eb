import { toIso } from "../base/units.js";
import type { MessageRecord, SessionRecord } from "./chat.js";

/** A stored message for machines (core part, 11.2): events, pages and exports have it in this form. */
export interface MessageJson extends Pick<MessageRecord, "id" | "session_id" | "turn_id" | "ordinal" | "role" | "content" | "active"> {
  /** ISO 8601 in UTC. */
  readonly created_at: string;
  readonly tool_calls?: MessageRecord["toolCalls"];
  readonly tool_call_id?: string;
  readonly tool_name?: string;
  readonly status?: MessageRecord["status"];
  readonly duration_ms?: number;
  readonly finish_reason?: string;
  readonly reasoning?: string;
  readonly pictures?: MessageRecord["pictures"];
  readonly kind?: MessageRecord["kind"];
  readonly copied_from?: number;
  /** In events: the content is only the beginning of the stored one. */
  readonly truncated?: boolean;
}

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

/** A session with its id under the name that every method and event uses, beside `id`. */
export const withSessionId = <S extends { readonly id: string }>(session: S): S & { readonly session_id: string } => ({
  session_id: session.id,
  ...session,
});

/** A message for machines, with the names of the stored record. What only its provider may see is left out. */
export function toMessageJson(message: MessageRecord): MessageJson {
  const { toolCalls, toolCallId, toolName, durationMs, finishReason, copiedFrom, created_at, replay: _replay, ...rest } = message;
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
