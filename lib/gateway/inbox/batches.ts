import { LIMITS } from "../../base/limits.js";
import type { EpochMs, Ms } from "../../base/units.js";
import type { EventOrigin, Inbound, InboxBatch, InboxRow } from "../../contracts/board/platform-tag.js";
import { joinLimitOf } from "./joining.js";

/** A message older than this is given to the model with its age. */
const OLD_MS: Ms = 600_000;

/**
 * What the next turn of a session answers: its oldest message, with those right behind it that belong to it. Undefined when none waits.
 *
 * @param rows waiting rows of the session, in order
 */
export function batchOf(rows: readonly InboxRow[]): InboxBatch | undefined {
  const head = rows[0];
  if (head?.session_key == null) return undefined;
  const end = rows.findIndex((row, at) => at > 0 && !belongs(head, row));
  const all = rows.slice(0, Math.min(end < 0 ? rows.length : end, LIMITS.waitingPerSession));
  const joined = all.slice(0, fits(head.platform, all));
  const { ms = Number.POSITIVE_INFINITY } = joinLimitOf(head.platform);
  const whole = joined.length < all.length; // further ones will not fit, so nothing is waited for
  return {
    sessionKey: head.session_key,
    rows: joined,
    text: joined.map((row) => eventOf(row)?.text ?? "").join("\n"),
    receivedAt: head.received_at,
    dueAt: whole
      ? head.due_at
      : Math.min(Math.max(...joined.map((row) => row.due_at)), Math.max(head.due_at, head.received_at + ms)),
  };
}

/** How many of the rows one turn of the platform may have; the first always. */
function fits(platform: EventOrigin, rows: readonly InboxRow[]): number {
  const { messages = rows.length, chars = Number.POSITIVE_INFINITY } = joinLimitOf(platform);
  let said = 0;
  for (const [at, row] of rows.entries()) {
    said += eventOf(row)?.text.length ?? 0;
    if (at > 0 && (at >= messages || said > chars)) return at;
  }
  return rows.length;
}

function belongs(head: InboxRow, row: InboxRow): boolean {
  return head.joins === 1 && row.joins === 1 && row.user_id === head.user_id && row.user_id_alt === head.user_id_alt;
}

/** The event of a row; undefined when it is finished and forgotten. Written by the inbox alone, so it is one. */
export function eventOf(row: Pick<InboxRow, "payload">): Inbound | undefined {
  return row.payload === null ? undefined : JSON.parse(row.payload);
}

/** The line before a message that waited long; undefined for one that did not. */
export function ageNote(receivedAt: EpochMs, now: EpochMs): string | undefined {
  const age = now - receivedAt;
  if (age <= OLD_MS) return undefined;
  const minutes = Math.round(age / 60_000);
  return `[This message is ${minutes < 120 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`} old.]`;
}
