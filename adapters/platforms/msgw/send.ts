import { readFileBytes, statPath } from "../../../lib/base/fs/files.js";
import type { Outgoing, Receipt, SendPayload, SendTarget } from "../../../lib/contracts/gateway/outbox.js";
import { capsOf } from "../../../lib/contracts/gateway/platform-traits.js";
import { toReceipt } from "../../../lib/gateway/adapter/send-outcome.js";
import { layTables } from "../../../lib/gateway/text/tables.js";
import type { Answer, Api } from "./api.js";
import { cardOf } from "./cards.js";
import { conversationOf } from "./normalise.js";
import type { Places } from "./places.js";
import type { MsgwSettings } from "./settings.js";
import { SentShape } from "./wire.js";

export interface SendParts {
  readonly api: Api;
  readonly places: Pick<Places, "of">;
  readonly settings: Pick<MsgwSettings, "quotes" | "serviceUrl">;
}

const TEXT_MAX = capsOf("msgw").textMax;

/** A picture goes into the message itself, so it has to be small. */
const PICTURE_BYTES = 1 << 20;

/** Send one row. An answer to a message that is gone is sent without the quote: that was a certain refusal. */
export async function sendRow(parts: SendParts, row: Outgoing, signal: AbortSignal): Promise<Receipt> {
  const { payload, target } = row;
  const place = await placeFor(parts, target);
  const at = (id: string | undefined) => `${place.path}/${encodeURIComponent(id ?? "")}`;
  if (row.via === "remove") {
    return removed(
      await parts.api.call({ method: "DELETE", serviceUrl: place.serviceUrl, path: at(payload.messageId), signal }),
    );
  }
  const body = await bodyOf(payload);
  if ("refused" in body) return { result: "refused", error: body.refused, retryable: false };
  const call = (method: "POST" | "PUT", path: string) =>
    parts.api.call({ method, serviceUrl: place.serviceUrl, path, json: body.activity, signal });
  if (row.via === "edit") {
    const receipt = ended(await call("PUT", at(payload.messageId)));
    return receipt.result === "sent"
      ? { ...receipt, messageId: receipt.messageId ?? payload.messageId ?? null }
      : receipt;
  }
  const quoted = target.replyTo !== null && parts.settings.quotes ? target.replyTo : undefined;
  const answer = await call("POST", quoted === undefined ? place.path : at(quoted));
  return ended(quoted !== undefined && gone(answer) ? await call("POST", place.path) : answer);
}

export interface Place {
  readonly serviceUrl: string;
  /** Of the activities of the conversation. */
  readonly path: string;
}

/** Where the messages of a target go. A conversation that was never seen is looked for at the configured service. */
export async function placeFor(
  { places, settings }: SendParts,
  { chatId, threadId }: Pick<SendTarget, "chatId" | "threadId">,
): Promise<Place> {
  const serviceUrl = (await places.of(chatId)) ?? settings.serviceUrl;
  return { serviceUrl, path: `/v3/conversations/${encodeURIComponent(conversationOf(chatId, threadId))}/activities` };
}

const gone = (answer: Answer): boolean => !answer.ok && answer.seen.saw === "answer" && answer.seen.status === 404;

function ended(answer: Answer): Receipt {
  if (!answer.ok) return toReceipt(answer.seen);
  return toReceipt({ saw: "accepted", messageId: SentShape.safeParse(answer.result).data?.id ?? null });
}

/** Gone already is as good as removed. */
const removed = (answer: Answer): Receipt =>
  gone(answer) ? toReceipt({ saw: "accepted", messageId: null }) : ended(answer);

type Body = { readonly activity: object } | { readonly refused: string };

async function bodyOf({ text, format, file, extra }: SendPayload): Promise<Body> {
  const card = cardOf(text, extra);
  if (card !== undefined) return { activity: { type: "message", attachments: [card] } };
  const said =
    format === "markdown"
      ? { text: layTables(text, "monospace", TEXT_MAX), textFormat: "markdown" }
      : { text, textFormat: "plain" };
  if (file === undefined) return { activity: { type: "message", ...said } };
  const facts = await statPath(file.path);
  if (facts?.kind !== "file") return { refused: `the file ${file.name} no longer exists` };
  if (file.kind !== "image" || facts.size > PICTURE_BYTES)
    return { activity: { type: "message", ...said, text: noteOf(text, file.name, file.kind) } };
  const bytes = await readFileBytes(file.path);
  if (bytes === undefined) return { refused: `the file ${file.name} no longer exists` };
  const contentUrl = `data:${file.mime};base64,${bytes.toString("base64")}`;
  const attachments = [{ contentType: file.mime, contentUrl, name: file.name }];
  return { activity: { type: "message", ...(text === "" ? {} : said), attachments } };
}

/** What cannot be shown is named, with the reason. */
function noteOf(text: string, name: string, kind: string): string {
  const why = kind === "image" ? `pictures up to ${PICTURE_BYTES >> 20} MB only` : "pictures only";
  return `${text === "" ? "" : `${text}\n\n`}📎 ${name} cannot be sent here: this platform takes ${why}.`;
}
