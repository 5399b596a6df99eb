import { extname } from "node:path";
import type { Net } from "../../../lib/base/net/net.js";
import type { InboundMedia, InboundType } from "../../../lib/contracts/board/platform-tag.js";
import type { MsgdSettings } from "./settings.js";
import type { WireAttachment, WireMessage } from "./wire.js";

const HOSTS = new Set(["cdn.discordapp.com", "media.discordapp.net"]);
const DOWNLOAD_MS = 120_000;

/** What every platform takes as documents (gateway part, 12.3). */
const DOCUMENTS = new Set(
  ".pdf .md .txt .csv .log .json .xml .yaml .yml .toml .ini .cfg .zip .doc .docx .xls .xlsx .ppt .pptx .ts .py .sh".split(
    " ",
  ),
);

export interface FoundMedia {
  readonly media: readonly InboundMedia[];
  /** What the model learns of files that are not fetched. */
  readonly notes: readonly string[];
  readonly type: InboundType;
}

/** Files of a message, of what it forwards and of what it answers. Those that are not wanted are named with the reason. */
export function mediaOf(message: WireMessage, settings: MsgdSettings): FoundMedia {
  const forwarded = (message.message_snapshots ?? []).flatMap((one) => one.message.attachments);
  const all = [...message.attachments, ...forwarded, ...(message.referenced_message?.attachments ?? [])];
  const judged = all.map((one) => ({ one, kind: kindOf(one), refused: refusalOf(one, settings) }));
  const [first] = judged;
  return {
    media: judged.flatMap(({ one, kind, refused }) => (refused === undefined ? [inbound(one, kind, settings)] : [])),
    notes: judged.flatMap(({ one, refused }) =>
      refused === undefined ? [] : [`[file ${one.filename} skipped: ${refused}]`],
    ),
    type: first === undefined ? "text" : TYPES[first.kind],
  };
}

type Kind = "image" | "voice" | "audio" | "video" | "document";

const TYPES: Readonly<Record<Kind, InboundType>> = {
  image: "photo",
  voice: "voice",
  audio: "audio",
  video: "video",
  document: "document",
};

function kindOf({ content_type: type, waveform }: WireAttachment): Kind {
  const family = (type ?? "").split("/")[0];
  if (family === "audio") return waveform == null ? "audio" : "voice";
  return family === "image" || family === "video" ? family : "document";
}

function refusalOf(one: WireAttachment, { maxAttachmentBytes: max, anyAttachment }: MsgdSettings): string | undefined {
  if (max > 0 && (one.size ?? 0) > max) return "size";
  const fits = anyAttachment || kindOf(one) !== "document" || DOCUMENTS.has(extname(one.filename).toLowerCase());
  return fits ? undefined : "type";
}

function inbound(one: WireAttachment, kind: Kind, { maxAttachmentBytes, anyAttachment }: MsgdSettings): InboundMedia {
  const known = DOCUMENTS.has(extname(one.filename).toLowerCase());
  const mime =
    one.content_type?.split(";")[0]?.trim() ??
    (kind === "document" && !known && anyAttachment ? "application/octet-stream" : null);
  const own = { limit: maxAttachmentBytes, ...(anyAttachment ? { anyType: true } : {}) };
  return { kind, mime, name: one.filename, size: one.size ?? null, ...own, ref: { url: one.url } };
}

/** Fetch a file of a message. @throws Error that says why it cannot be had */
export async function fetchMedia(
  { net, settings }: { readonly net: Net; readonly settings: MsgdSettings },
  { ref }: InboundMedia,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  const url = typeof ref === "object" && ref !== null && "url" in ref && typeof ref.url === "string" ? ref.url : "";
  const place = placeOf(url, settings);
  if (place === "foreign") throw new Error("the file is on a host that is not the platform's");
  const max = settings.maxAttachmentBytes;
  const response = await net.fetch({
    method: "GET",
    url,
    headers: {},
    redirects: false,
    totalMs: DOWNLOAD_MS,
    signal,
    purpose: place === "base" ? "model" : "web",
    maxBytes: max === 0 ? Number.MAX_SAFE_INTEGER : max + 1,
  });
  if (response.status !== 200) {
    response.cancel();
    throw new Error(`the file cannot be fetched: the platform answered ${response.status}`);
  }
  return max === 0 ? response.body : capped(response.body, max, () => response.cancel());
}

/** The origin of the base address is trusted; the platform's own hosts pass the guard like any address. */
function placeOf(url: string, { apiBase }: MsgdSettings): "base" | "own" | "foreign" {
  if (!URL.canParse(url)) return "foreign";
  const { origin, protocol, hostname } = new URL(url);
  if (origin === new URL(apiBase).origin) return "base";
  return protocol === "https:" && HOSTS.has(hostname) ? "own" : "foreign";
}

async function* capped(body: AsyncIterable<Uint8Array>, max: number, cancel: () => void): AsyncIterable<Uint8Array> {
  let read = 0;
  for await (const piece of body) {
    read += piece.length;
    if (read > max) {
      cancel();
      throw new Error("size");
    }
    yield piece;
  }
}
