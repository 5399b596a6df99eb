import type { Ids } from "../../base/ids.js";
import type { EpochMs } from "../../base/units.js";
import type { EventOrigin } from "../../contracts/board/platform-tag.js";
import type { OutboxRow, SendPayload } from "../../contracts/gateway/outbox.js";
import { traitsOf } from "../../contracts/gateway/platform-traits.js";

/** A repetition has to arrive within the window, and the platform's clock began a little later or earlier than ours. */
const MARGIN_MS = 30_000;
const SHARE = 4;

/** A new send key in the form that the platform takes: a UUID, or 20 characters. */
export function drawSendKey(ids: Ids, platform: EventOrigin): string {
  if (traitsOf(platform).sendKey.form === "nonce") return ids.hex(10);
  const hex = ids.hex(16);
  const variant = "89ab"[Number.parseInt(hex[16] ?? "0", 16) % 4];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}

/** Until when a row whose first attempt begins now may be repeated; null: never. */
export function repeatUntil(
  row: Pick<OutboxRow, "platform" | "via">,
  payload: SendPayload | undefined,
  now: EpochMs,
): EpochMs | null {
  switch (row.via) {
    case "edit":
    case "remove":
      return Number.MAX_SAFE_INTEGER;
    case "reply": {
      // A reply right can be used once, so the platform itself tells a repetition from a first call, as long as it knows the right. Where the
      // right has ended before the first call the message goes as any other, with its key.
      const ends = payload?.grant?.expiresAt ?? null;
      const rights = traitsOf(row.platform).sendKey.replyRightMs !== undefined;
      return rights && (ends === null || ends > now) ? ends : windowEnd(row.platform, now);
    }
    case "send":
      return windowEnd(row.platform, now);
  }
}

function windowEnd(platform: EventOrigin, now: EpochMs): EpochMs | null {
  const { windowMs } = traitsOf(platform).sendKey;
  return windowMs === undefined ? null : now + windowMs - Math.min(MARGIN_MS, windowMs / SHARE);
}

/** Whether a row that may have arrived may be sent again now. A clock that was set back has no say: it may hide that the window is over. */
export function mayRepeat(
  row: Pick<OutboxRow, "platform" | "via" | "attempts" | "first_sent_at" | "repeat_until">,
  now: EpochMs,
): boolean {
  if (row.repeat_until === null || row.first_sent_at === null || now < row.first_sent_at) return false;
  const { replyRightMs = 0 } = traitsOf(row.platform).sendKey;
  const byRight = row.via === "reply" && row.repeat_until - row.first_sent_at <= replyRightMs;
  if (byRight && row.attempts >= 2) return false;
  return now < row.repeat_until;
}
