import { createHash } from "node:crypto";
import type { Outgoing, Receipt } from "../../../lib/contracts/gateway/outbox.js";
import { toReceipt } from "../../../lib/gateway/adapter/send-outcome.js";
import type { Answer, Api } from "./api.js";
import { uploadFile } from "./files.js";
import { buttonsOf, cardOf, messageOf, type OutMessage, textMessage } from "./format.js";
import type { Places } from "./places.js";
import { SentShape } from "./wire.js";

export interface SendParts {
  readonly api: Api;
  readonly places: Places;
}

/** The message that is answered was taken back, or is not there. */
const GONE: ReadonlySet<number> = new Set([230_011, 231_003]);
/** Something about the content cannot be. */
const CONTENT: ReadonlySet<number> = new Set([230_001, 230_025, 230_028, 230_099, 230_110, 9499]);
/** It is neither a text nor a post. */
const OTHER_KIND: ReadonlySet<number> = new Set([230_054, 230_055, 230_001]);
/** It is gone, which is what a removal wanted. */
const REMOVED: ReadonlySet<number> = new Set([230_110, 230_011, 231_003, 230_002]);

/** Send one row. Only a certain refusal that the platform documents leads to another call, with the same key. */
export async function sendRow(parts: SendParts, row: Outgoing, signal: AbortSignal): Promise<Receipt> {
  const { via, payload } = row;
  if (via === "reply" && payload.grant !== undefined) return toReceipt({ saw: "accepted", messageId: null }); // presses have no late answer here
  if (via === "remove") return removed(parts, payload.messageId ?? "", signal);
  if (via === "edit") return editMessage(parts, { id: payload.messageId ?? "", payload }, signal);
  if (payload.file === undefined) return sendMessage(parts, row, messageOf(payload), signal);
  const upload = await uploadFile(parts.api, payload, payload.file, signal);
  if ("refused" in upload) return { result: "refused", error: upload.refused, retryable: false };
  if ("failed" in upload) return toReceipt(upload.failed);
  const receipt = await sendMessage(parts, row, upload.message, signal);
  if (receipt.result !== "sent" || upload.words === "") return receipt;
  const words = await sendMessage(parts, { ...row, idemKey: keyAfter(row.idemKey) }, textMessage(upload.words), signal);
  if (words.result === "sent")
    return { ...receipt, continuationIds: words.messageId === null ? [] : [words.messageId] };
  // The file is there: sent again it would be recognised by its key, so the whole row is.
  return words.result === "refused" && words.retryable ? { result: "unknown", error: words.error } : words;
}

/** Key of what follows a message, the same at every attempt. */
function keyAfter(key: string): string {
  const hex = createHash("sha256").update(key).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

async function sendMessage(
  parts: SendParts,
  row: Outgoing,
  message: OutMessage,
  signal: AbortSignal,
): Promise<Receipt> {
  const { threadId } = row.target;
  let out = message;
  let direct = false;
  for (;;) {
    const answer = await call(parts, { row, out, direct }, signal);
    if (answer.ok) return accepted(parts, row, out, answer.data);
    const { code } = answer;
    if (code !== undefined && GONE.has(code) && !direct && row.target.replyTo !== null && threadId === null)
      direct = true;
    else if (code !== undefined && CONTENT.has(code) && out.msg_type === "post" && row.payload.file === undefined)
      out = textMessage(row.payload.text);
    else return toReceipt(answer.seen);
  }
}

interface Sending {
  readonly row: Outgoing;
  readonly out: OutMessage;
  /** To the chat, although a message is answered. */
  readonly direct: boolean;
}

function call({ api, places }: SendParts, { row, out, direct }: Sending, signal: AbortSignal): Promise<Answer> {
  const { chatId, threadId, replyTo } = row.target;
  const uuid = row.idemKey;
  const answered = direct ? undefined : (replyTo ?? (threadId === null ? undefined : places.lastIn(chatId, threadId)));
  if (answered !== undefined) {
    const path = `/open-apis/im/v1/messages/${encodeURIComponent(answered)}/reply`;
    return api.call({ method: "POST", path, json: { ...out, reply_in_thread: threadId !== null, uuid }, signal });
  }
  const [type, id] = threadId === null ? [idTypeOf(chatId), chatId] : ["thread_id", threadId];
  const path = `/open-apis/im/v1/messages?receive_id_type=${type}`;
  return api.call({ method: "POST", path, json: { receive_id: id, ...out, uuid }, signal });
}

function idTypeOf(id: string): string {
  if (id.startsWith("oc_")) return "chat_id";
  if (id.startsWith("ou_")) return "open_id";
  return id.startsWith("on_") ? "union_id" : "user_id";
}

function accepted({ places }: SendParts, { target }: Outgoing, { msg_type: type }: OutMessage, data: unknown): Receipt {
  const messageId = SentShape.safeParse(data).data?.message_id ?? null;
  if (messageId !== null && type === "interactive") places.card(messageId);
  if (messageId !== null && target.threadId !== null) places.seen(target.chatId, target.threadId, messageId);
  return toReceipt({ saw: "accepted", messageId });
}

async function removed({ api }: SendParts, id: string, signal: AbortSignal): Promise<Receipt> {
  const answer = await api.call({
    method: "DELETE",
    path: `/open-apis/im/v1/messages/${encodeURIComponent(id)}`,
    signal,
  });
  const done = answer.ok || (answer.code !== undefined && REMOVED.has(answer.code));
  return done ? toReceipt({ saw: "accepted", messageId: null }) : toReceipt(answer.seen);
}

/** Change a message: texts and posts by one call, cards by another; which it is, is known, or shows. */
export async function editMessage(
  { api, places }: SendParts,
  { id, payload }: { readonly id: string; readonly payload: Outgoing["payload"] },
  signal: AbortSignal,
): Promise<Receipt> {
  const path = `/open-apis/im/v1/messages/${encodeURIComponent(id)}`;
  const card = async () => {
    const { content } = cardOf(payload.text, buttonsOf(payload.extra));
    return api.call({ method: "PATCH", path, json: { content }, signal });
  };
  const put = (json: OutMessage) => api.call({ method: "PUT", path, json, signal });
  const wanted = messageOf(payload);
  let answer = places.isCard(id) || wanted.msg_type === "interactive" ? await card() : await put(wanted);
  if (!answer.ok && wanted.msg_type === "post" && answer.code !== undefined && CONTENT.has(answer.code))
    answer = await put(textMessage(payload.text));
  if (!answer.ok && !places.isCard(id) && answer.code !== undefined && OTHER_KIND.has(answer.code)) {
    answer = await card();
    if (answer.ok) places.card(id);
  }
  if (!answer.ok) return toReceipt(answer.seen);
  if (places.isCard(id) && buttonsOf(payload.extra).length === 0) places.decided(id);
  return toReceipt({ saw: "accepted", messageId: id });
}
