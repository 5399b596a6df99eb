import { readFileBytes, statPath } from "../../../lib/base/fs/files.js";
import type { Ids } from "../../../lib/base/ids.js";
import type { Clock } from "../../../lib/base/time/clock.js";
import type { Ms } from "../../../lib/base/units.js";
import type { Outgoing, Receipt, SendPayload } from "../../../lib/contracts/gateway/outbox.js";
import type { SendPause } from "../../../lib/contracts/gateway/platform.js";
import { toReceipt } from "../../../lib/gateway/adapter/send-outcome.js";
import { type Answer, type Api, LOGGED_OUT } from "./api.js";
import { type CdnParts, lock, upload } from "./cdn.js";
import type { Pace } from "./pace.js";
import { plainText } from "./plain.js";
import type { MsgxSettings } from "./settings.js";
import { SentShape, UploadShape } from "./wire.js";

export interface SendParts extends CdnParts {
  readonly api: Api;
  readonly settings: MsgxSettings;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly pace: Pace;
  readonly rest: SendPause;
  /** Newest right to write to a user. */
  readonly tokenOf: (user: string) => string | undefined;
  /** Users there have to write first. */
  readonly starved: (chat: string) => void;
  /** The login has ended. */
  readonly loggedOut: () => void;
  /** Parts of rows that arrived already, by the id of the row. */
  readonly progress: Map<string, number>;
  /** Refusals of rows, by their id. */
  readonly refusals: Map<string, number>;
}

const UPLOAD_BYTES = 100 << 20;
const REFUSED = -2;
/** A row that waits for its reader's next message; that message wakes it. */
const STARVED_MS: Ms = 3_600_000;

type Item = Readonly<Record<string, unknown>>;

/** Send one row: one item a call. What arrived of a row of several is not sent again. */
export async function sendRow(parts: SendParts, row: Outgoing, signal: AbortSignal): Promise<Receipt> {
  const { via } = row;
  if (via === "edit" || via === "remove")
    return { result: "refused", error: "the platform changes no messages", retryable: false };
  const items = await itemsOf(parts, row, signal);
  if ("result" in items) return items;
  const ids: string[] = [];
  let at = parts.progress.get(row.id) ?? 0;
  for (; at < items.length; at++) {
    const item = items[at];
    if (item === undefined) break;
    const receipt = await sendItem(parts, row, { item, part: at }, signal);
    if (receipt.result !== "sent") {
      keep(parts.progress, row.id, at);
      return receipt;
    }
    ids.push(...(receipt.messageId === null ? [] : [receipt.messageId]));
  }
  parts.progress.delete(row.id);
  parts.refusals.delete(row.id);
  const [first = null, ...continuationIds] = ids;
  return toReceipt({ saw: "accepted", messageId: first, ...(continuationIds.length > 0 ? { continuationIds } : {}) });
}

const KEPT = 2000;

function keep(map: Map<string, number>, id: string, value: number): void {
  map.set(id, value);
  const [oldest] = map.keys();
  if (map.size > KEPT && oldest !== undefined) map.delete(oldest);
}

async function itemsOf(parts: SendParts, row: Outgoing, signal: AbortSignal): Promise<readonly Item[] | Receipt> {
  const { payload, target } = row;
  const text = payload.format === "markdown" ? plainText(payload.text) : payload.text;
  const lines = parts.settings.splitLines
    ? text.split("\n").filter((line) => line.trim() !== "")
    : text === ""
      ? []
      : [text];
  const texts = lines.map((line) => ({ type: 1, text_item: { text: line } }));
  if (payload.file === undefined) return texts;
  const file = await fileItem(parts, { file: payload.file, user: target.chatId }, signal);
  return "result" in file ? file : [...texts, file.item];
}

interface OutFile {
  readonly file: NonNullable<SendPayload["file"]>;
  readonly user: string;
}

const KINDS: Readonly<Record<string, number>> = { image: 1, video: 2 };

/** Put a file where the platform says; until a message names it, it is not visible. */
async function fileItem(
  parts: SendParts,
  { file, user }: OutFile,
  signal: AbortSignal,
): Promise<{ readonly item: Item } | Receipt> {
  const refuse = (error: string, retryable = false): Receipt => ({ result: "refused", error, retryable });
  const facts = await statPath(file.path);
  if (facts === undefined || facts.kind !== "file") return refuse(`the file ${file.name} no longer exists`);
  if (facts.size > UPLOAD_BYTES) return refuse(`the file ${file.name} is larger than ${UPLOAD_BYTES >> 20} MB`);
  const bytes = await readFileBytes(file.path);
  if (bytes === undefined) return refuse(`the file ${file.name} no longer exists`);
  const locked = lock(bytes, parts.ids.hex(16));
  const filekey = parts.ids.hex(16);
  const kind = KINDS[file.kind] ?? 3;
  const sizes = { rawsize: locked.rawSize, rawfilemd5: locked.rawMd5, filesize: locked.bytes.length };
  const body = { filekey, media_type: kind, to_user_id: user, ...sizes, no_need_thumb: true, aeskey: locked.key };
  const answer = await parts.api.call("getuploadurl", body, { signal });
  if (!answer.ok) return refused(parts, answer) ?? { result: "refused", error: answer.seen.error, retryable: true };
  const { upload_full_url: full = "", upload_param: param = "" } = UploadShape.safeParse(answer.result).data ?? {};
  const query = `encrypted_query_param=${encodeURIComponent(param)}&filekey=${filekey}`;
  const done = await upload(parts, full || `${parts.settings.cdnBase}/upload?${query}`, locked, signal);
  if ("refused" in done) return refuse(`the file ${file.name} was not taken: ${done.refused}`, done.retryable);
  const media = {
    encrypt_query_param: done.param,
    aes_key: Buffer.from(locked.key).toString("base64"),
    encrypt_type: 1,
  };
  if (kind === 1) return { item: { type: 2, image_item: { media, mid_size: locked.bytes.length } } };
  if (kind === 2) return { item: { type: 5, video_item: { media, video_size: locked.bytes.length } } };
  return { item: { type: 4, file_item: { media, file_name: file.name, len: String(locked.rawSize) } } };
}

interface Part {
  readonly item: Item;
  readonly part: number;
}

async function sendItem(parts: SendParts, row: Outgoing, { item, part }: Part, signal: AbortSignal): Promise<Receipt> {
  const { pace, target } = { pace: parts.pace, target: row.target };
  const user = target.chatId;
  const closed = pace.closedFor();
  if (closed > 0)
    return {
      result: "refused",
      error: "the platform refuses messages at the moment",
      retryable: true,
      retryAfterMs: closed,
    };
  await pace.turn(user, parts.rest);
  const client = part === 0 ? row.idemKey : `${row.idemKey}-${part}`;
  const call = (token: string | undefined) => {
    const common = {
      from_user_id: "",
      to_user_id: user,
      client_id: client,
      message_type: 2,
      message_state: 2,
      item_list: [item],
    };
    return parts.api.call(
      "sendmessage",
      { msg: { ...common, ...(token === undefined ? {} : { context_token: token }) } },
      { signal },
    );
  };
  const token = parts.tokenOf(user) ?? row.payload.grant?.token;
  let answer = await call(token);
  if (!answer.ok && answer.ret === REFUSED && token !== undefined) answer = await call(undefined);
  if (answer.ok) {
    pace.taken(user);
    return toReceipt({ saw: "accepted", messageId: SentShape.safeParse(answer.result).data?.message_id ?? null });
  }
  return (
    refused(parts, answer) ??
    (answer.ret === REFUSED ? afterRefusal(parts, row, answer, token) : toReceipt(answer.seen))
  );
}

/** Undefined: the login is not what it is about. */
function refused(parts: SendParts, answer: Extract<Answer, { readonly ok: false }>): Receipt | undefined {
  if (answer.ret !== LOGGED_OUT) return undefined;
  parts.loggedOut();
  return { result: "refused", error: "the login has ended", retryable: true };
}

/** The one number has several meanings (gateway part, 16.7.3). */
function afterRefusal(
  { pace, starved, refusals, settings, tokenOf }: SendParts,
  row: Outgoing,
  { seen }: Extract<Answer, { readonly ok: false }>,
  token: string | undefined,
): Receipt {
  const { chatId } = row.target;
  const { error } = seen;
  // A message came meanwhile, with another right: that one is tried.
  if (tokenOf(chatId) !== token && row.payload.grant === undefined)
    return { result: "refused", error, retryable: true };
  pace.refused(chatId);
  if (token === undefined || error.toLowerCase().includes("prepare failed")) {
    starved(chatId);
    return {
      result: "refused",
      error: `${error}: it waits for the next message of its reader`,
      retryable: true,
      retryAfterMs: STARVED_MS,
    };
  }
  const times = (refusals.get(row.id) ?? 0) + 1;
  keep(refusals, row.id, times);
  const wait = settings.retryDelayMs * 2 ** (times - 1);
  return { result: "refused", error, retryable: times <= settings.chunkRetries, retryAfterMs: wait };
}
