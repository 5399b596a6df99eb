import type { Outgoing, Receipt, SendPayload } from "../../../lib/contracts/gateway/outbox.js";
import { capsOf } from "../../../lib/contracts/gateway/platform-traits.js";
import { toReceipt } from "../../../lib/gateway/adapter/send-outcome.js";
import { layTables } from "../../../lib/gateway/text/tables.js";
import { threadName } from "./address.js";
import type { Answer, Api, UploadFile } from "./api.js";
import type { Channels } from "./channels.js";
import { componentsOf } from "./components.js";
import { loadFile } from "./files.js";
import type { MsgdSettings } from "./settings.js";
import type { Threads } from "./threads.js";
import { SentShape } from "./wire.js";

export interface SendParts {
  readonly api: Api;
  readonly settings: MsgdSettings;
  readonly channels: Channels;
  readonly threads: Threads;
  /** Commands that wait for their answer, by the id of the interaction: the right to give it. */
  readonly commands: Map<string, string>;
  /** Channel of messages that the bot sent or received, by id. */
  readonly places: Map<string, string>;
}

type Params = Readonly<Record<string, unknown>>;

const MAX = capsOf("msgd").textMax;
const FILE_MS = 115_000;
const SILENT = 1 << 12;
const HIDDEN = 1 << 6;

/** Numbers of errors that a message can be changed for, or that say that it is done. */
const UNKNOWN_CHANNEL = 10003;
const UNKNOWN_MESSAGE = 10008;
const TOO_LARGE = 40005;
const BAD_FORM = 50035;

/** Send one row. Only a certain refusal that names what is in the way leads to another call, without that. */
export async function sendRow(parts: SendParts, given: Outgoing, signal: AbortSignal): Promise<Receipt> {
  const row =
    given.payload.format === "markdown"
      ? { ...given, payload: { ...given.payload, text: toShown(given.payload.text) } }
      : given;
  const { via, payload, target } = row;
  const grant = grantOf(parts, row);
  if (grant?.kind === "press") return answerPress(parts, payload, grant, signal);
  if (via === "remove") return remove(parts, row, signal);
  if (via === "edit") return editRow(parts, row, signal);
  if (grant?.kind === "command" && payload.file === undefined) {
    const answer = await answerCommand(parts, payload, grant, signal);
    parts.commands.delete(target.replyTo ?? "");
    // The right is over: the answer goes to the channel like any other.
    if (answer.ok || answer.seen.saw !== "answer" || ![401, 404].includes(answer.seen.status)) return ended(answer);
  }
  return sendNew(parts, row, signal);
}

/** The platform shows Markdown, except for tables. */
export const toShown = (markdown: string): string => layTables(markdown, "monospace", MAX);

interface Grant {
  readonly kind: "command" | "press";
  readonly id: string;
  readonly token: string;
}

/** The right that a row uses: the one that it carries, or that of the command that it answers. */
function grantOf({ commands }: SendParts, { via, payload, target }: Outgoing): Grant | undefined {
  if (via === "edit" || via === "remove") return undefined;
  const [kind, id, token] = (payload.grant?.token ?? "").split(":");
  if ((kind === "command" || kind === "press") && id !== undefined && token !== undefined) return { kind, id, token };
  const waiting = target.replyTo === null ? undefined : commands.get(target.replyTo);
  return waiting === undefined || target.replyTo === null
    ? undefined
    : { kind: "command", id: target.replyTo, token: waiting };
}

/** Seen by the one who pressed, alone. */
async function answerPress(
  { api, settings }: SendParts,
  { text }: SendPayload,
  { token }: Grant,
  signal: AbortSignal,
): Promise<Receipt> {
  if (text === "") return toReceipt({ saw: "accepted", messageId: null });
  const body = { content: text.slice(0, MAX), flags: HIDDEN, allowed_mentions: { parse: [] } };
  const answer = await api.call("POST", `/webhooks/${settings.account}/${token}`, { body, auth: false, signal });
  return ended(answer);
}

/** In the place of the sign that the platform shows while a command runs. */
function answerCommand(
  { api, settings }: SendParts,
  payload: SendPayload,
  { token }: Grant,
  signal: AbortSignal,
): Promise<Answer> {
  const body = { content: payload.text, allowed_mentions: mentionsOf(settings), ...componentsOf(payload.extra) };
  return api.call("PATCH", `/webhooks/${settings.account}/${token}/messages/@original`, { body, auth: false, signal });
}

async function remove(
  { api, places }: SendParts,
  { target, payload }: Outgoing,
  signal: AbortSignal,
): Promise<Receipt> {
  const { messageId = "" } = payload;
  const channel = places.get(messageId) ?? target.threadId ?? target.chatId;
  return ended(await api.call("DELETE", `/channels/${channel}/messages/${messageId}`, { signal }), UNKNOWN_MESSAGE);
}

/** Change the text of a message; what is too long for it goes on in new ones. */
async function editRow(parts: SendParts, row: Outgoing, signal: AbortSignal): Promise<Receipt> {
  const { target, payload, idemKey } = row;
  const { messageId = "", text } = payload;
  const channel = parts.places.get(messageId) ?? target.threadId ?? target.chatId;
  const [first = "", ...rest] = pieces(text);
  const receipt = await editText(parts, { channel, messageId, text: first, extra: payload.extra }, signal);
  const continuationIds: string[] = [];
  for (const [at, content] of rest.entries()) {
    if (receipt.result !== "sent") return receipt;
    const nonce = `${idemKey.slice(0, 17)}${String(at).padStart(3, "0")}`;
    const body = { content, nonce, enforce_nonce: true, allowed_mentions: mentionsOf(parts.settings) };
    const next = ended(await parts.api.call("POST", `/channels/${channel}/messages`, { body, signal }));
    if (next.result !== "sent") return next;
    continuationIds.push(...(next.messageId === null ? [] : [next.messageId]));
  }
  return receipt.result === "sent" && continuationIds.length > 0 ? { ...receipt, continuationIds } : receipt;
}

interface Edited {
  readonly channel: string;
  readonly messageId: string;
  readonly text: string;
  readonly extra?: Params | undefined;
}

export async function editText({ api, settings }: SendParts, edited: Edited, signal: AbortSignal): Promise<Receipt> {
  const { channel, messageId, text, extra } = edited;
  const body = { content: text, allowed_mentions: mentionsOf(settings), ...componentsOf(extra) };
  const receipt = ended(await api.call("PATCH", `/channels/${channel}/messages/${messageId}`, { body, signal }));
  return receipt.result === "sent" ? { ...receipt, messageId } : receipt;
}

/** Of at most the platform's size, and no half of a pair. */
export function pieces(text: string): readonly string[] {
  const found: string[] = [];
  for (let from = 0; from < text.length; ) {
    const end = from + MAX;
    const to = end < text.length && /[\uD800-\uDBFF]/.test(text[end - 1] ?? "") ? end - 1 : end;
    found.push(text.slice(from, to));
    from = to;
  }
  return found;
}

async function sendNew(parts: SendParts, row: Outgoing, signal: AbortSignal): Promise<Receipt> {
  const { target, payload } = row;
  const file = payload.file === undefined ? undefined : await loadFile(payload.file);
  if (file !== undefined && "refused" in file) return { result: "refused", error: file.refused, retryable: false };
  const upload = file?.upload;
  if (target.threadId === null && (await isForum(parts, target.chatId, signal)))
    return sendPost(parts, row, upload, signal);
  let channel =
    target.threadId === null ? target.chatId : ((await parts.threads.place(target.threadId)) ?? target.chatId);
  let answer = await post(parts, row, { channel, upload, quote: true }, signal);
  if (!answer.ok && answer.code === UNKNOWN_CHANNEL && target.threadId !== null && channel !== target.chatId) {
    channel = (await parts.threads.open(target.threadId, target.chatId)) ?? target.chatId;
    answer = await post(parts, row, { channel, upload, quote: true }, signal);
  }
  if (
    !answer.ok &&
    answer.code === BAD_FORM &&
    target.replyTo !== null &&
    refusedWord(answer).includes("message_reference")
  )
    answer = await post(parts, row, { channel, upload, quote: false }, signal);
  if (!answer.ok && answer.code === TOO_LARGE && payload.file !== undefined) {
    const text = [payload.text, `[file ${payload.file.name} could not be sent: it is too large for this place]`];
    const instead = {
      ...row,
      payload: {
        ...payload,
        text: text
          .filter((one) => one !== "")
          .join("\n")
          .slice(0, MAX),
      },
    };
    answer = await post(parts, instead, { channel, upload: undefined, quote: true }, signal);
  }
  const receipt = ended(answer);
  if (receipt.result === "sent") remember(parts, receipt.messageId, channel);
  return receipt;
}

const PLACES = 5000;

function remember({ places, channels }: SendParts, message: string | null, channel: string): void {
  channels.wrote(channel);
  if (message === null) return;
  places.set(message, channel);
  const [oldest] = places.keys();
  if (places.size > PLACES && oldest !== undefined) places.delete(oldest);
}

const refusedWord = (answer: Answer): string =>
  !answer.ok && answer.seen.saw === "answer" ? answer.seen.error.toLowerCase() : "";

interface How {
  readonly channel: string;
  readonly upload: UploadFile | undefined;
  readonly quote: boolean;
}

/** The same key in every repetition: the platform answers with the message that is there. */
function post(
  { api, settings }: SendParts,
  row: Outgoing,
  { channel, upload, quote }: How,
  signal: AbortSignal,
): Promise<Answer> {
  const { target, payload, idemKey } = row;
  // A message cannot be quoted outside its channel: the one that opened a thread is not in it.
  const quoted = quote && settings.replyMode !== "off" && target.replyTo !== null && target.replyTo !== target.threadId;
  const body = {
    ...(payload.text === "" ? {} : { content: payload.text }),
    ...(quoted ? { message_reference: { message_id: target.replyTo, fail_if_not_exists: false } } : {}),
    allowed_mentions: mentionsOf(settings),
    nonce: idemKey,
    enforce_nonce: true,
    ...(payload.silent ? { flags: SILENT } : {}),
    ...componentsOf(payload.extra),
  };
  const files = upload === undefined ? {} : { files: [upload], totalMs: FILE_MS };
  return api.call("POST", `/channels/${channel}/messages`, { body, signal, ...files });
}

async function isForum({ channels }: SendParts, chat: string, signal: AbortSignal): Promise<boolean> {
  const place = await channels.find(chat, signal);
  return typeof place === "object" && place.kind === "forum";
}

/** A message to a forum opens a post. The platform has no key for posts, so one that may be there is not made again. */
async function sendPost(
  { api, settings }: SendParts,
  row: Outgoing,
  upload: UploadFile | undefined,
  signal: AbortSignal,
): Promise<Receipt> {
  if (row.repeat) return { result: "unknown", error: "the post may be there already" };
  const { text, extra, file } = row.payload;
  const message = {
    ...(text === "" ? {} : { content: text }),
    allowed_mentions: mentionsOf(settings),
    ...componentsOf(extra),
  };
  const body = { name: threadName(text || (file?.name ?? "")), message };
  const files = upload === undefined ? {} : { files: [upload], totalMs: FILE_MS };
  return ended(await api.call("POST", `/channels/${row.target.chatId}/threads`, { body, signal, ...files }));
}

/** Only users that are named: everyone and roles are never called. */
function mentionsOf({ mentions }: MsgdSettings): Params {
  return { parse: mentions.includes("users") ? ["users"] : [], replied_user: mentions.includes("replied_user") };
}

/** @param fine number of an error that says that it is done already */
function ended(answer: Answer, fine?: number): Receipt {
  if (!answer.ok) {
    const done = fine !== undefined && answer.code === fine;
    return done ? toReceipt({ saw: "accepted", messageId: null }) : toReceipt(answer.seen);
  }
  return toReceipt({ saw: "accepted", messageId: SentShape.safeParse(answer.result).data?.id ?? null });
}
