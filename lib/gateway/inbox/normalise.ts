import type { NewInboxRow } from "../../../storage/tables/gateway/inbox.js";
import { LIMITS } from "../../base/limits.js";
import type { EpochMs } from "../../base/units.js";
import type { Inbound } from "../../contracts/board/platform-tag.js";

/** Platforms that write a time before this write none at all. */
const FIRST_TIME: EpochMs = Date.parse("2015-01-01T00:00:00Z");
const QUOTE_CHARS = 500;

/** Why an event can never be taken, or its row. */
export type Normalised = { readonly row: NewInboxRow } | { readonly refused: string };

/** The row of an event. An identifier that the store would change could be mistaken for another: it is refused. */
export function normalise(event: Inbound, now: EpochMs, backlog: "keep" | "drop"): Normalised {
  const problem = problemOf(event);
  if (problem !== undefined) return { refused: problem };
  const payload = JSON.stringify(
    event.replyToText === null ? event : { ...event, replyToText: event.replyToText.slice(0, QUOTE_CHARS) },
  );
  if (payload.length > LIMITS.inboundChars) return { refused: `the event has ${payload.length} characters` };
  const dropped = event.backlog === true && backlog === "drop";
  const { platform, account, source } = event;
  return {
    row: {
      platform,
      account,
      event_id: event.eventId,
      kind: event.kind,
      chat_id: source.chatId,
      thread_id: source.threadId,
      chat_type: source.chatType,
      user_id: source.userId,
      user_id_alt: source.userIdAlt,
      user_name: source.userName,
      sent_at: timeOf(event.sentAt),
      received_at: now,
      state: dropped ? "expired" : "received",
      reason: dropped ? "backlog" : null,
      reply_grant: event.replyGrant === null ? null : JSON.stringify(event.replyGrant),
      payload,
    },
  };
}

function problemOf({ eventId, account }: Inbound): string | undefined {
  if (eventId === "") return "missing event id";
  if (eventId.length > LIMITS.eventIdChars) return `its event id has ${eventId.length} characters`;
  if (!eventId.isWellFormed() || eventId.includes("\0")) return "its event id is not text";
  return account === "" ? "missing account" : undefined;
}

function timeOf(at: EpochMs | null): EpochMs | null {
  return at !== null && Number.isSafeInteger(at) && at >= FIRST_TIME ? at : null;
}
