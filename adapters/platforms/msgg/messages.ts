import type { Receipt, SendTarget } from "../../../lib/contracts/gateway/outbox.js";
import { toReceipt } from "../../../lib/gateway/adapter/send-outcome.js";
import type { Answer, Api } from "./api.js";
import { SentShape } from "./wire.js";

/** Change the text of a message that is there. */
export const patch = (api: Api, name: string | undefined, text: string, signal: AbortSignal): Promise<Answer> =>
  api.call({ method: "PATCH", path: `${pathOf(name)}?updateMask=text`, json: { text }, signal });

/** Make a message, once for each key. */
export function create(
  api: Api,
  target: SendTarget,
  { text, key, totalMs }: { readonly text: string; readonly key: string; readonly totalMs?: number },
  signal: AbortSignal,
): Promise<Answer> {
  const late = totalMs === undefined ? {} : { totalMs };
  return api.call({
    method: "POST",
    path: messagesOf(target, key),
    json: { text, ...threadOf(target) },
    signal,
    ...late,
  });
}

/** Where messages of a target are made. In a thread the platform wants to know what happens to an answer whose thread is gone. */
export function messagesOf({ chatId, threadId }: SendTarget, key: string): string {
  const option = threadId === null ? {} : { messageReplyOption: "REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD" };
  return `${pathOf(chatId)}/messages?${new URLSearchParams({ requestId: key, ...option })}`;
}

/** The thread of a target, as a part of a message. */
export const threadOf = ({ threadId }: SendTarget) => (threadId === null ? {} : { thread: { name: threadId } });

/** A resource name as a path: no part of it leads elsewhere. */
export const pathOf = (name = ""): string =>
  `/v1/${name
    .split("/")
    .map((part) => (/^\.+$/.test(part) ? "_" : encodeURIComponent(part)))
    .join("/")}`;

/** What became of a row whose last call this was. */
export function ended(answer: Answer): Receipt {
  if (!answer.ok) return toReceipt(answer.seen);
  return toReceipt({ saw: "accepted", messageId: SentShape.safeParse(answer.result).data?.name ?? null });
}
