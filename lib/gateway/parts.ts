import type { EventOrigin } from "../proto/gateway.js";
import type { SendPayload, SendVia } from "../proto/gateway-outbox.js";
import { capsOf } from "../proto/gateway-platform.js";
import { bubbleCalls, toPlain } from "./bubbles.js";
import { splitText } from "./split.js";

/** One message of a text, or what one call sends of it. */
export interface Part {
  readonly payload: SendPayload;
  readonly via?: SendVia;
}

/**
 * What a text becomes on a platform, in order. Where the platform takes several messages in one call, a part is such a call; the first of them
 * may use up the newest right to reply of its chat (`via` "reply" without a grant: the outbox finds one, or sends it as any other).
 *
 * @param asked somebody waits for it, so a right to reply may be used up for it
 */
export function partsOf(
  platform: EventOrigin,
  text: string,
  how: { readonly format: SendPayload["format"]; readonly asked: boolean },
): readonly Part[] {
  const { format, asked } = how;
  if (platform !== "msgl") {
    return splitText(text.trim(), capsOf(platform).textMax).map((part) => ({ payload: { text: part, format, silent: false } }));
  }
  return bubbleCalls(format === "markdown" ? toPlain(text) : text).map((bubbles, at) => ({
    payload: { text: bubbles.join("\n\n"), format: "plain", silent: false, extra: { bubbles } },
    ...(asked && at === 0 ? { via: "reply" as const } : {}),
  }));
}
