import { createCipheriv, createDecipheriv, createHash } from "node:crypto";
import type { Net } from "../../../lib/base/net/net.js";
import type { InboundMedia } from "../../../lib/contracts/board/platform-tag.js";
import { isPlatforms, type MsgxSettings } from "./settings.js";
import type { WireMedia } from "./wire.js";

const DOWNLOAD_BYTES = 64 << 20;
const EXCHANGE_MS = 110_000;
const TRIES = 3;
const CIPHER = "aes-128-ecb";

/** Where a file is and what it is locked with, for `fetchMedia`. */
export interface MediaRef {
  readonly url: string;
  /** 32 hex digits; "": it is not locked. */
  readonly key: string;
}

export interface CdnParts {
  readonly net: Net;
  readonly settings: Pick<MsgxSettings, "base" | "cdnBase">;
}

/** @param hex key of a picture in hex; wins over that of the media. Undefined: it cannot be fetched */
export function refOf(
  { encrypt_query_param: param = "", aes_key: key = "", full_url: full = "" }: WireMedia,
  hex: string,
  cdn: string,
): MediaRef | undefined {
  if (full === "" && param === "") return undefined;
  const url = full === "" ? `${cdn}/download?encrypted_query_param=${encodeURIComponent(param)}` : full;
  const found = /^[0-9a-f]{32}$/i.test(hex) ? hex.toLowerCase() : keyOf(key);
  return found === undefined ? undefined : { url, key: found };
}

/** Base64 of 16 bytes, or of 32 hex digits. Undefined: neither. */
function keyOf(text: string): string | undefined {
  if (text === "") return "";
  const bytes = Buffer.from(text, "base64");
  if (bytes.length === 16) return bytes.toString("hex");
  const hex = bytes.toString("latin1");
  return /^[0-9a-f]{32}$/i.test(hex) ? hex.toLowerCase() : undefined;
}

/** Fetch a file of a message and unlock it. @throws Error that says why it cannot be had */
export async function fetchMedia(
  { net, settings }: CdnParts,
  { ref }: InboundMedia,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  const { url = "", key = "" } = typeof ref === "object" && ref !== null ? (ref as Partial<MediaRef>) : {}; // written by `refOf`
  if (!isPlatforms(url, [settings.base, settings.cdnBase]))
    throw new Error("the file is on a host that is not the platform's");
  for (let tries = 1; ; tries++) {
    const response = await net.fetch({
      method: "GET",
      redirects: false,
      headers: {},
      totalMs: EXCHANGE_MS,
      maxBytes: DOWNLOAD_BYTES,
      url,
      signal,
      purpose: purposeOf(url, settings),
    });
    if (response.status === 200) return key === "" ? response.body : unlocked(response.body, key);
    response.cancel();
    if (response.status < 500 || tries === TRIES)
      throw new Error(`the file cannot be fetched: the platform answered ${response.status}`);
  }
}

/** Only what is configured may be a private address. */
const purposeOf = (url: string, { base, cdnBase }: CdnParts["settings"]): "model" | "web" =>
  [base, cdnBase].some((one) => new URL(one).origin === new URL(url).origin) ? "model" : "web";

async function* unlocked(body: AsyncIterable<Uint8Array>, key: string): AsyncIterable<Uint8Array> {
  const cipher = createDecipheriv(CIPHER, Buffer.from(key, "hex"), null);
  for await (const piece of body) yield cipher.update(piece);
  yield cipher.final();
}

/** A file as it is sent: locked with its key. */
export interface Locked {
  readonly bytes: Uint8Array;
  readonly key: string;
  readonly rawSize: number;
  readonly rawMd5: string;
}

export function lock(bytes: Uint8Array, key: string): Locked {
  const cipher = createCipheriv(CIPHER, Buffer.from(key, "hex"), null);
  const locked = Buffer.concat([cipher.update(bytes), cipher.final()]);
  return { bytes: locked, key, rawSize: bytes.length, rawMd5: createHash("md5").update(bytes).digest("hex") };
}

/** `param`: how the platform calls the file from now on. `refused`: it does not take it. */
export type Uploaded = { readonly param: string } | { readonly refused: string; readonly retryable: boolean };

/** Put a locked file where the platform says. A file without a reference is not a message, so it is tried again. */
export async function upload(
  { net, settings }: CdnParts,
  url: string,
  { bytes }: Locked,
  signal: AbortSignal,
): Promise<Uploaded> {
  if (!isPlatforms(url, [settings.base, settings.cdnBase]))
    return { refused: "the platform names a foreign host for files", retryable: false };
  let last = "";
  for (let tries = 0; tries < TRIES; tries++) {
    try {
      const response = await net.fetch({
        method: "POST",
        redirects: false,
        totalMs: EXCHANGE_MS,
        purpose: purposeOf(url, settings),
        url,
        signal,
        body: bytes,
        headers: { "content-type": "application/octet-stream", "content-length": String(bytes.length) },
      });
      const param = response.headers["x-encrypted-param"];
      response.cancel();
      if (response.status < 300 && param !== undefined) return { param };
      last = `the platform answered ${response.status} to a file`;
      if (response.status >= 400 && response.status < 500) return { refused: last, retryable: false };
    } catch (error) {
      last = error instanceof Error ? error.message : String(error);
      if (signal.aborted) break;
    }
  }
  return { refused: last, retryable: true };
}
