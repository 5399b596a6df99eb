import { receiptOf } from "../../../lib/gateway/outcomes.js";
import type { Outgoing, Receipt, SendTarget } from "../../../lib/proto/gateway-outbox.js";
import type { Answer, Api } from "./api.js";
import { toChat } from "./markdown.js";
import type { UserFiles } from "./upload.js";
import { SentShape } from "./wire.js";

export interface SendParts {
  readonly api: Api;
  readonly files: UserFiles;
}

/** Send one row. A message that is to be edited and is gone is sent anew, under the row's own key. */
export async function sendRow(parts: SendParts, row: Outgoing, signal: AbortSignal): Promise<Receipt> {
  const { api } = parts;
  const { payload, target } = row;
  const text = payload.format === "markdown" ? toChat(payload.text) : payload.text;
  if (row.via === "remove") return removed(await api.call({ method: "DELETE", path: pathOf(payload.messageId), signal }));
  if (row.via === "edit") {
    const answer = await patch(api, payload.messageId, text, signal);
    const gone = !answer.ok && answer.seen.saw === "answer" && answer.seen.status === 404 && answer.seen.ownFormat;
    if (!gone) return ended(answer);
  } else if (payload.file !== undefined) {
    return parts.files.send(row, payload.file, signal);
  }
  return ended(await create(api, target, { text, key: row.idemKey }, signal));
}

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
  return api.call({ method: "POST", path: messagesOf(target, key), json: { text, ...threadOf(target) }, signal, ...late });
}

/** Where messages of a target are made. In a thread the platform wants to be told what becomes of an answer whose thread is gone. */
export function messagesOf({ chatId, threadId }: SendTarget, key: string): string {
  const option = threadId === null ? {} : { messageReplyOption: "REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD" };
  return `${pathOf(chatId)}/messages?${new URLSearchParams({ requestId: key, ...option })}`;
}

export const threadOf = ({ threadId }: SendTarget) => (threadId === null ? {} : { thread: { name: threadId } });

/** A resource name as a path: no part of it leads elsewhere. */
const pathOf = (name = ""): string =>
  `/v1/${name
    .split("/")
    .map((part) => (/^\.+$/.test(part) ? "_" : encodeURIComponent(part)))
    .join("/")}`;

export function ended(answer: Answer): Receipt {
  if (!answer.ok) return receiptOf(answer.seen);
  return receiptOf({ saw: "accepted", messageId: SentShape.safeParse(answer.result).data?.name ?? null });
}

/** Gone already is as good as removed. */
function removed(answer: Answer): Receipt {
  const gone = !answer.ok && answer.seen.saw === "answer" && answer.seen.status === 404 && answer.seen.ownFormat;
  return gone ? receiptOf({ saw: "accepted", messageId: null }) : ended(answer);
}
