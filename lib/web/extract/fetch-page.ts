import { type Net, NetError, type NetResponse } from "../../base/net/net.js";
import type { Clock } from "../../base/time/clock.js";
import { retryAfterMs } from "../../base/time/retry-after.js";
import type { Ms } from "../../base/units.js";
import type { PageText } from "../../contracts/web/web.js";
import { headText } from "../../safety/redact/text.js";
import type { DocumentReader } from "../../tools/file/document-reader.js";

/** Core part, 26.1. */
const LIMIT_MS: Ms = 30_000;
const MOST_BYTES = 10 << 20;
/** Pages that only lead on to another one; each may be behind redirects of its own. */
const MOST_REFRESHES = 5;
const USE_BROWSER = "open it with browser_navigate";
/** Bytes of an error page that are read, and characters of it that are shown. */
const REFUSAL_BYTES = 256 << 10;
const REFUSAL_CHARS = 500;
/** The network's own limit is behind the one here, which says what to do. */
const SLACK_BYTES = 1 << 20;
/** What `lib/safety/net` undoes. */
const ENCODINGS = new Set(["", "identity", "gzip", "x-gzip", "deflate", "br"]);
const HEADERS = {
  accept:
    "text/html, application/xhtml+xml, text/markdown, text/plain, application/pdf, application/json;q=0.9, */*;q=0.5",
  "accept-encoding": "gzip, deflate, br",
  "user-agent": "Mozilla/5.0 (compatible; agent)",
};

export interface PageSource {
  readonly net: Net;
  readonly clock: Clock;
  readonly reader: DocumentReader;
  readonly signal: AbortSignal;
  readonly refuse?: ((url: URL) => Promise<string | undefined>) | undefined;
  /** Default: 10 MiB. */
  readonly maxBytes?: number | undefined;
}

/**
 * The text of the page at an address. The guard of addresses is inside the network: each redirect, and each page that a page leads on to, is a
 * request of its own that it checks.
 */
export async function fetchPage(url: string, source: PageSource): Promise<PageText> {
  const end = source.clock.mono() + LIMIT_MS;
  let address = url;
  for (let hop = 0; hop <= MOST_REFRESHES; hop++) {
    const why = addressFault(address);
    if (why !== undefined) return { ok: false, finalUrl: address, why };
    const answer = await requestPage(address, Math.max(1, end - source.clock.mono()), source);
    if (!("refresh" in answer)) return answer.page;
    address = answer.refresh;
  }
  const why = `it leads on to another page more than ${MOST_REFRESHES} times`;
  return { ok: false, finalUrl: address, why, hint: USE_BROWSER };
}

/** What is wrong with an address as it is written. */
export function addressFault(url: string): string | undefined {
  if (!URL.canParse(url)) return "not a URL; URLs start with https://";
  const { username, password } = new URL(url);
  return username === "" && password === ""
    ? undefined
    : "its URL contains a user name or password, which would be sent";
}

type Requested = { readonly page: PageText } | { readonly refresh: string };

async function requestPage(url: string, totalMs: Ms, source: PageSource): Promise<Requested> {
  const { net, signal, refuse, maxBytes = MOST_BYTES } = source;
  try {
    const response = await net.fetch({
      method: "GET",
      url: url.split("#", 1)[0] ?? url,
      headers: HEADERS,
      purpose: "web",
      totalMs,
      maxBytes: maxBytes + SLACK_BYTES,
      signal,
      ...(refuse && { refuse }),
    });
    try {
      return await readAnswer(response, source, maxBytes);
    } finally {
      response.cancel();
    }
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof NetError) return { page: { ok: false, finalUrl: url, ...networkFault(error) } };
    throw error;
  }
}

function networkFault({ failure, message }: NetError): { readonly why: string; readonly hint?: string } {
  switch (failure) {
    case "blocked":
      return { why: message };
    case "dns":
      return { why: message, hint: "check the address, or find the page with web_search" };
    case "timeout":
      return { why: `${message} (limit ${LIMIT_MS / 1000} s)`, hint: "try again later" };
    case "protocol":
      return { why: message };
    default:
      return { why: message, hint: "check the address, or try again later" };
  }
}

async function readAnswer(response: NetResponse, source: PageSource, maxBytes: number): Promise<Requested> {
  const { url: finalUrl, headers } = response;
  const refused = response.status < 200 || response.status > 299;
  const encoding = (headers["content-encoding"] ?? "").trim().toLowerCase();
  if (!ENCODINGS.has(encoding)) {
    const why = `it is compressed with ${headText(encoding, 40)}, which cannot be read here`;
    return { page: { ok: false, finalUrl, why, hint: "download it in the terminal (curl --compressed)" } };
  }
  const bytes = await bodyOf(response, refused ? REFUSAL_BYTES : maxBytes, refused);
  if (bytes === undefined) {
    const why = `it exceeds ${maxBytes < 1 << 20 ? `${maxBytes >> 10} KiB` : `${maxBytes >> 20} MiB`}`;
    return { page: { ok: false, finalUrl, why, hint: "download it in the terminal (curl -LO) and read parts of it" } };
  }
  const job = { bytes, type: headers["content-type"] ?? "", url: finalUrl, plain: refused };
  const read = await source.reader.read(job, source.signal);
  if (refused) return { page: refusal(response, read.ok ? read.text : "", source.clock) };
  if (!read.ok) {
    const { why, hint, title } = read;
    return { page: { ok: false, finalUrl, why, ...(hint && { hint }), ...(title && { title }) } };
  }
  if (read.refresh !== undefined && read.refresh !== finalUrl) return { refresh: read.refresh };
  if (read.text === "") return { page: { ok: false, finalUrl, why: "the page is empty", hint: USE_BROWSER } };
  return { page: { ok: true, finalUrl, title: read.title, text: read.text } };
}

/** @param cuts a longer body is cut; otherwise it is refused */
async function bodyOf(response: NetResponse, maxBytes: number, cuts: boolean): Promise<Buffer | undefined> {
  if (!cuts && Number(response.headers["content-length"] ?? 0) > maxBytes) return undefined;
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of response.body) {
    pieces.push(piece);
    size += piece.length;
    if (size <= maxBytes) continue;
    if (cuts) break;
    return undefined;
  }
  return Buffer.concat(pieces).subarray(0, maxBytes);
}

/** What to do about a status. */
const STATUS_HINTS: readonly (readonly [from: number, to: number, hint: string])[] = [
  [300, 399, "the address it leads to is missing; check the URL"],
  [401, 401, "it wants a login: open it with browser_navigate, or ask the user"],
  [402, 402, "it wants a payment"],
  [403, 403, "the site refuses programs or wants a login: open it with browser_navigate"],
  [404, 404, "check the address, or find the page with web_search"],
  [410, 410, "the page was removed; find another with web_search"],
  [400, 499, "check the address, or open it with browser_navigate"],
  [500, 599, "the server failed; try again later"],
];

function refusal({ status, url, headers }: NetResponse, said: string, clock: Clock): PageText {
  const wait = status === 429 || status === 503 ? retryAfterMs(headers, clock.now()) : undefined;
  const told = STATUS_HINTS.find(([from, to]) => status >= from && status <= to)?.[2];
  const hint = status === 429 ? "the site gets too many requests; try again later" : told;
  const again = wait === undefined ? hint : `try again in ${Math.ceil(wait / 1000)} s`;
  return {
    ok: false,
    finalUrl: url,
    why: `HTTP status ${status}`,
    ...(again === undefined ? {} : { hint: again }),
    ...(said === "" ? {} : { said: headText(said, REFUSAL_CHARS) }),
  };
}
