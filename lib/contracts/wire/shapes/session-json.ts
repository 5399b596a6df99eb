import { toIso } from "../../../base/units.js";
import type { MessageRecord, SessionRecord } from "../../chat/chat.js";
import type { ListedSessionJson, MessageJson, SessionJson } from "./sessions.js";

/** A session record for machines: times are ISO 8601 in UTC. The system prompt is left out. */
export function toSessionJson({ system_prompt: _prompt, ...session }: SessionRecord): SessionJson {
  const { started_at, last_active_at, ended_at } = session;
  return {
    session_id: session.id,
    ...session,
    started_at: toIso(started_at),
    last_active_at: toIso(last_active_at),
    ended_at: ended_at === null ? null : toIso(ended_at),
  };
}

/** The same for a session of a list. */
export const toListedJson = ({
  preview,
  ...session
}: SessionRecord & { readonly preview: string }): ListedSessionJson => ({
  ...toSessionJson(session),
  preview,
});

/** A message for machines, with the names of the stored record. What only its provider may see is left out. */
export function toMessageJson(message: MessageRecord): MessageJson {
  const {
    toolCalls,
    toolCallId,
    toolName,
    durationMs,
    finishReason,
    copiedFrom,
    created_at,
    replay: _replay,
    ...rest
  } = message;
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
