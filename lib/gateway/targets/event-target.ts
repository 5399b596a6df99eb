import { type Inbound, isHook } from "../../contracts/board/platform-tag.js";
import type { SendTarget } from "../../contracts/gateway/outbox.js";

/** Where an event came from. */
export type EventPlace = Pick<Inbound, "platform" | "account" | "source" | "extra">;

/**
 * Where an event is answered; undefined when it names no chat. A direct chat may be named by its user alone; what another system posted is
 * answered where its route says (`extra.deliver`, written by the receiver alone).
 */
export function toSendTarget({ platform, account, source, extra }: EventPlace): SendTarget | undefined {
  if (isHook(platform)) return (extra?.["deliver"] as { readonly target?: SendTarget } | undefined)?.target;
  const chatId = source.chatId ?? (source.chatType === "dm" ? source.userId : null);
  return chatId === null
    ? undefined
    : { platform, account, chatId, threadId: source.threadId, replyTo: source.messageId };
}
