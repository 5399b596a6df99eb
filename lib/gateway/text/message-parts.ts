import type { EventOrigin } from "../../contracts/board/platform-tag.js";
import type { SendPayload, SendVia } from "../../contracts/gateway/outbox.js";
import { capsOf } from "../../contracts/gateway/platform-traits.js";
import { bubbleCalls, bubblesOf, toPlain } from "./bubbles.js";
import { splitText } from "./split-text.js";

/** One message of a text, or what one call sends of it. */
export interface MessagePart {
  readonly payload: SendPayload;
  readonly via?: SendVia;
}

/**
 * What a text becomes on a platform, in order. Where the platform takes several messages in one call, a part is such a call; the first of them
 * may use up the newest right to reply of its chat (`via` "reply" without a grant: the outbox finds one, or sends it as any other).
 *
 * @param asked a user waits for it, so a right to reply may be used up for it
 */
export function toMessageParts(
  platform: EventOrigin,
  text: string,
  how: { readonly format: SendPayload["format"]; readonly asked: boolean },
): readonly MessagePart[] {
  const { format, asked } = how;
  const caps = capsOf(platform);
  if (caps.messagesPerCall === 1) {
    return splitText(text.trim(), caps.textMax).map((part) => ({
      payload: { text: part, format, silent: false },
    }));
  }
  return bubbleCalls(format === "markdown" ? toPlain(text) : text, caps).map((bubbles, at) => ({
    payload: { text: bubbles.join("\n\n"), format: "plain", silent: false, extra: { bubbles } },
    ...(asked && at === 0 ? { via: "reply" as const } : {}),
  }));
}

/** A message with a line before or behind its text; undefined: both do not fit into one message, or into one call where that takes several. */
export function appendLine(
  platform: EventOrigin,
  payload: SendPayload,
  line: string,
  where: "before" | "behind",
): SendPayload | undefined {
  const together = (text: string) => (where === "before" ? `${line}\n\n${text}` : `${text}\n\n${line}`);
  const caps = capsOf(platform);
  if (caps.messagesPerCall === 1) {
    const text = together(payload.text);
    return text.length > caps.textMax ? undefined : { ...payload, text };
  }
  const bubbles = bubblesOf(payload, caps);
  const at = where === "before" ? 0 : bubbles.length - 1;
  const joined = together(bubbles[at] ?? "").trim();
  const more = where === "before" ? [line, ...bubbles] : [...bubbles, line];
  const made = bubbles.length === 0 || joined.length > caps.textMax ? more : bubbles.with(at, joined);
  if (made.length > caps.messagesPerCall) return undefined;
  return { ...payload, text: made.join("\n\n"), format: "plain", extra: { ...payload.extra, bubbles: made } };
}
