import type { Net, NetResponse } from "../../../lib/base/net/net.js";
import type { InboundMedia } from "../../../lib/contracts/board/platform-tag.js";
import type { Api } from "./api.js";

export interface MediaParts {
  readonly api: Api;
  readonly net: Net;
  readonly apiBase: string;
}

const DOWNLOAD_BYTES = 64 << 20;
const DOWNLOAD_MS = 120_000;
const REDIRECTS = 5;
/** They and their subdomains (gateway part, 16.5.3). */
const HOSTS = [
  "googleapis.com",
  "chat.google.com",
  "drive.google.com",
  "docs.google.com",
  "lh3.googleusercontent.com",
  "lh4.googleusercontent.com",
  "lh5.googleusercontent.com",
  "lh6.googleusercontent.com",
];

/** Fetch a file of a message. @throws Error that says why it cannot be had */
export async function fetchMedia(
  parts: MediaParts,
  { ref }: InboundMedia,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  const { resource, url, drive } = (typeof ref === "object" && ref !== null ? ref : {}) as Readonly<
    Record<string, unknown>
  >; // its fields stay unknown
  if (drive === true) throw new Error("it was picked from a drive, which bots cannot read");
  if (typeof resource === "string" && resource !== "") {
    const path = resource
      .split("/")
      .map((part) => (/^\.+$/.test(part) ? "_" : encodeURIComponent(part)))
      .join("/");
    return got(parts, `${parts.apiBase}/v1/media/${path}?alt=media`, signal);
  }
  if (typeof url !== "string" || url === "") throw new Error("the platform names no place of the file");
  return got(parts, url, signal);
}

/** Every address on the way is looked at before anything is asked of it. The bot's token goes to its own interface alone. */
async function got(parts: MediaParts, first: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
  let url = first;
  for (let hop = 0; hop <= REDIRECTS; hop++) {
    const own = URL.canParse(url) && new URL(url).origin === new URL(parts.apiBase).origin;
    if (!own && !isAllowed(url)) throw new Error("its address is not one of the platform's");
    const response = await parts.net.fetch({
      method: "GET",
      redirects: false,
      purpose: own ? "model" : "web",
      url,
      headers: own ? await parts.api.headers(signal) : {},
      totalMs: DOWNLOAD_MS,
      maxBytes: DOWNLOAD_BYTES,
      signal,
    });
    if (response.status === 200) return response.body;
    url = nextOf(response, url);
  }
  throw new Error("its address leads from one place to another without end");
}

function nextOf(response: NetResponse, from: string): string {
  response.cancel();
  const { location = "" } = response.headers;
  const moved = [301, 302, 303, 307, 308].includes(response.status) && URL.canParse(location, from);
  if (!moved) throw new Error(`the platform answered ${response.status}`);
  return new URL(location, from).href;
}

function isAllowed(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname, port, username } = new URL(url);
  const known = HOSTS.some((host) => hostname === host || hostname.endsWith(`.${host}`));
  return protocol === "https:" && port === "" && username === "" && known;
}
