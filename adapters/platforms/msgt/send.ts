import type { Outgoing, Receipt } from "../../../lib/contracts/gateway/outbox.js";
import { toReceipt } from "../../../lib/gateway/adapter/send-outcome.js";
import type { Answer, Api } from "./api.js";
import { loadFile } from "./files.js";
import { toMarkdownV2 } from "./markdown.js";
import type { MsgtSettings } from "./settings.js";
import { SentShape } from "./wire.js";

export interface SendParts {
  readonly api: Api;
  readonly settings: MsgtSettings;
  /** Chats that the platform gave another id. */
  readonly moved: Map<string, string>;
  /** Whether the platform's richer form is used; off once the platform has said that it does not know it. */
  readonly rich: { on: boolean };
}

/** What a call leaves out, after the platform said that it cannot be. */
interface Without {
  readonly markup: boolean;
  readonly rich: boolean;
  readonly thread: boolean;
  readonly quote: boolean;
  /** The thread was not found once: it is asked for again before it is left out. */
  readonly doubted: boolean;
}

type Params = Readonly<Record<string, unknown>>;

const GENERAL = "1";
/** Refusals that a message can be changed for; each of them at most once, so a row is at most so many calls. */
const CALLS = 7;

/** Send one row. Only a certain refusal that names what is in the way leads to another call, without that. */
export async function sendRow(parts: SendParts, row: Outgoing, signal: AbortSignal): Promise<Receipt> {
  if (row.via === "reply" && row.payload.grant !== undefined)
    return answerPress(parts, row, row.payload.grant.token, signal);
  if (row.via === "remove") {
    const target = { chat_id: chatOf(parts, row), message_id: Number(row.payload.messageId) };
    return ended(await parts.api.call("deleteMessage", target, { signal }), "message to delete not found");
  }
  if (row.via === "edit") return editRow(parts, row, signal);
  const file =
    row.payload.file === undefined
      ? undefined
      : await loadFile(row.payload, row.payload.file, parts.settings.localMode);
  if (file !== undefined && "refused" in file) return { result: "refused", error: file.refused, retryable: false };
  return withFallbacks(parts, row, (without) => {
    const common = commonOf(parts, row, without);
    const said = textOf(row, without);
    if (file === undefined && isRich(parts, row, without))
      return sendRich(parts, { text: row.payload.text, common }, signal);
    if (file === undefined) return parts.api.call("sendMessage", { ...common, ...said }, { signal });
    const { text, ...style } = said;
    const caption = text === "" ? {} : { caption: text, ...style };
    return parts.api.call(file.method, { ...common, ...caption }, { signal, file: file.upload, totalMs: FILE_MS });
  });
}

const FILE_MS = 115_000;
/** What the platform takes in its richer form. */
const RICH_CHARS = 32_768;
/** A row of a table's rule, a task, details, a formula. */
const RICH =
  /^ {0,3}\|?(?: *:?-{3,}:? *\|)+ *(?::?-{3,}:?)? *$|^\s*[-*] \[[ xX]\] |<details[\s>]|\$\$[^$]+\$\$|\\\[|\\\(/m;

const isRich = ({ rich }: SendParts, { payload }: Outgoing, without: Without): boolean =>
  rich.on &&
  !without.rich &&
  payload.format === "markdown" &&
  payload.text.length <= RICH_CHARS &&
  RICH.test(payload.text);

interface RichMessage {
  readonly text: string;
  readonly common: Params;
}

/** One call; a platform, or a server of one's own, that does not know it is not asked again by this process. */
async function sendRich({ api, rich }: SendParts, { text, common }: RichMessage, signal: AbortSignal): Promise<Answer> {
  const { link_preview_options: _none, ...fields } = common;
  const answer = await api.call("sendRichMessage", { ...fields, rich_message: { markdown: text } }, { signal });
  if (!answer.ok && answer.seen.saw === "answer" && answer.seen.ownFormat && answer.seen.status === 404)
    rich.on = false;
  return answer;
}

/** Certain refusals that the plainer form may not meet: the method is unknown, or the text cannot be read. */
const isRichRefusal = (answer: Answer): boolean =>
  !answer.ok &&
  answer.seen.saw === "answer" &&
  answer.seen.ownFormat &&
  (answer.seen.status === 404 || /rich|parse|block|not supported|too long/i.test(refusalOf(answer)));

/** Change the text of a message. Unchanged is as good as changed. */
export async function editText(
  parts: SendParts,
  target: {
    readonly chatId: string;
    readonly messageId: string;
    readonly text: string;
    readonly markdown: boolean;
    readonly extra: Params;
  },
  signal: AbortSignal,
): Promise<Receipt> {
  const { chatId, messageId, text, markdown, extra } = target;
  const base = {
    chat_id: parts.moved.get(chatId) ?? chatId,
    message_id: Number(messageId),
    ...previewOf(parts),
    ...extra,
  };
  const call = (style: Params) => parts.api.call("editMessageText", { ...base, ...style }, { signal });
  let answer = await call(markdown ? styled(text) : { text });
  if (markdown && spoils(answer)) answer = await call({ text });
  const receipt = ended(answer, "message is not modified");
  return receipt.result === "sent" ? { ...receipt, messageId } : receipt;
}

function editRow(parts: SendParts, { target, payload }: Outgoing, signal: AbortSignal): Promise<Receipt> {
  const { text, format, messageId = "" } = payload;
  const how = {
    chatId: target.chatId,
    messageId,
    text,
    markdown: format === "markdown",
    extra: keyboardOf(payload.extra),
  };
  return editText(parts, how, signal);
}

/** The answer to a pressed button, shown over the chat. */
async function answerPress(
  { api }: SendParts,
  { payload }: Outgoing,
  id: string,
  signal: AbortSignal,
): Promise<Receipt> {
  const text = payload.text === "" ? {} : { text: payload.text.slice(0, 200) };
  const alert = payload.extra?.["alert"] === true ? { show_alert: true } : {};
  return ended(await api.call("answerCallbackQuery", { callback_query_id: id, ...text, ...alert }, { signal }));
}

async function withFallbacks(
  parts: SendParts,
  row: Outgoing,
  send: (without: Without) => Promise<Answer>,
): Promise<Receipt> {
  let without: Without = {
    markup: row.payload.format !== "markdown",
    rich: !parts.rich.on,
    thread: false,
    quote: false,
    doubted: false,
  };
  for (let calls = 1; ; calls++) {
    const answer = await send(without);
    if (answer.ok || calls === CALLS) return ended(answer);
    const next = lessOf(parts, row, without, answer);
    if (next === undefined) return ended(answer);
    without = next;
  }
}

/** What the next call does without; undefined: nothing can be changed. */
function lessOf(
  { moved }: SendParts,
  { target }: Outgoing,
  without: Without,
  answer: Extract<Answer, { readonly ok: false }>,
): Without | undefined {
  if (answer.migrated !== undefined && moved.get(target.chatId) !== answer.migrated) {
    moved.set(target.chatId, answer.migrated);
    return without;
  }
  if (!without.rich && isRichRefusal(answer)) return { ...without, rich: true };
  if (!without.markup && spoils(answer)) return { ...without, markup: true };
  const said = refusalOf(answer);
  if (said.includes("thread not found") && target.threadId !== null && !without.thread) {
    return without.doubted ? { ...without, thread: true } : { ...without, doubted: true };
  }
  const quoteGone = /repl(?:y|ied).*not found|replied message|reply message/.test(said);
  return quoteGone && target.replyTo !== null && !without.quote ? { ...without, quote: true } : undefined;
}

/** The words of a certain refusal in the platform's own format, in small letters. */
function refusalOf(answer: Answer): string {
  return !answer.ok && answer.seen.saw === "answer" && answer.seen.ownFormat && answer.seen.status === 400
    ? answer.seen.error.toLowerCase()
    : "";
}

/** The formatting is in the way: it cannot be read, or makes the text too long. */
const spoils = (answer: Answer) => /can't parse|entities|too long/.test(refusalOf(answer));

/** @param fine words of a refusal that says that it is done already */
function ended(answer: Answer, fine?: string): Receipt {
  if (!answer.ok) {
    const done = fine !== undefined && refusalOf(answer).includes(fine);
    return done ? toReceipt({ saw: "accepted", messageId: null }) : toReceipt(answer.seen);
  }
  const id = SentShape.safeParse(answer.result).data?.message_id;
  return toReceipt({ saw: "accepted", messageId: id === undefined ? null : String(id) });
}

const chatOf = ({ moved }: SendParts, { target }: Outgoing): string => moved.get(target.chatId) ?? target.chatId;

function commonOf(parts: SendParts, row: Outgoing, without: Without): Params {
  const { threadId, replyTo } = row.target;
  const { settings } = parts;
  const loud =
    settings.notifications === "all" || ((row.kind === "answer" || row.kind === "approval") && !row.payload.silent);
  const thread =
    threadId === null || threadId === GENERAL || without.thread ? {} : { message_thread_id: Number(threadId) };
  const quoted = replyTo !== null && settings.quotes && !without.quote;
  const quote = quoted ? { reply_parameters: { message_id: Number(replyTo), allow_sending_without_reply: true } } : {};
  const previews = row.payload.file === undefined ? previewOf(parts) : {};
  return {
    chat_id: chatOf(parts, row),
    ...thread,
    ...quote,
    ...previews,
    ...(loud ? {} : { disable_notification: true }),
    ...keyboardOf(row.payload.extra),
  };
}

const previewOf = ({ settings }: SendParts): Params =>
  settings.linkPreviews ? {} : { link_preview_options: { is_disabled: true } };

const styled = (text: string) => ({ text: toMarkdownV2(text), parse_mode: "MarkdownV2" });

const textOf = ({ payload }: Outgoing, without: Without): { readonly text: string; readonly parse_mode?: string } =>
  without.markup || payload.text === "" ? { text: payload.text } : styled(payload.text);

/** Rows of `{text, data}` under `buttons`. */
function keyboardOf(extra: Params | undefined): Params {
  const rows = extra?.["buttons"];
  if (!Array.isArray(rows)) return {};
  const keys = rows.map((row: unknown) => (Array.isArray(row) ? row.map(keyOf) : []));
  return { reply_markup: { inline_keyboard: keys } };
}

function keyOf(key: unknown): Params {
  const { text = "", data = "" } =
    typeof key === "object" && key !== null ? (key as { text?: unknown; data?: unknown }) : {}; // its fields stay unknown
  return { text: String(text), callback_data: String(data) };
}
