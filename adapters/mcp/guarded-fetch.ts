import { resolve } from "node:path";
import type { FetchLike } from "@modelcontextprotocol/client";
import { readText } from "../../lib/base/fs/files.js";
import { NetError, type NetRequest, type NetResponse, type NetTrust } from "../../lib/base/net/net.js";
import { Secret } from "../../lib/base/secret.js";
import { McpConnectError } from "../../lib/contracts/mcp/connection.js";
import type { McpEntry } from "../../lib/contracts/mcp/entry.js";
import type { McpParts } from "./parts.js";

/** The largest answer, and the largest event of a stream. */
const MESSAGE_BYTES = 32 << 20;
const REDIRECTS = 5;
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
const NO_BODY: ReadonlySet<number> = new Set([101, 204, 205, 304]);

type UrlEntry = Pick<McpEntry, "headers" | "ssl_verify" | "client_cert" | "client_key" | "connect_timeout" | "cwd">;

interface Place {
  readonly net: McpParts["net"];
  readonly entry: UrlEntry;
  /** Address of the entry. */
  readonly own: URL;
  readonly trust: NetTrust | undefined;
}

/**
 * `fetch` through the guarded network. What the entry holds (headers, certificates) goes to the origin of its `url` only, and a private address is
 * allowed on its host only: the user wrote that one. @throws McpConnectError when a certificate cannot be read
 */
export async function guardedFetch(parts: McpParts, entry: UrlEntry & { readonly url: string }): Promise<FetchLike> {
  const home = parts.env["HOME"] ?? parts.home.dir;
  const place: Place = { net: parts.net, entry, own: new URL(entry.url), trust: await trustOf(entry, home) };
  return async (url, init) => {
    const response = await follow(place, new URL(url), init ?? {});
    if (isPage(response, init, place)) {
      response.cancel();
      throw new McpConnectError("failed", `${place.own.href} is not an MCP endpoint: it answers with a web page`);
    }
    return responseOf(response);
  };
}

/** Answers of a web site in the place of an endpoint. A page that says what is forbidden or gone wrong is judged by its status. */
function isPage({ headers, status, url }: NetResponse, init: RequestInit | undefined, { own }: Place): boolean {
  if (!/^text\/html\b/i.test(headers["content-type"] ?? "") || new URL(url).origin !== own.origin) return false;
  const begins = !new Headers(init?.headers).has("mcp-session-id");
  return status < 300 || (status === 404 && begins && init?.method === "POST");
}

async function follow(place: Place, first: URL, init: RequestInit): Promise<NetResponse> {
  let url = first;
  let method = METHODS.find((one) => one === (init.method ?? "GET").toUpperCase()) ?? "GET";
  let body = bodyOf(init.body);
  for (let hop = 0; ; hop++) {
    const response = await place.net.fetch(requestFor(place, { url, first, method, body, init }));
    const target = redirectOf(response, url);
    if (target === undefined || init.redirect === "error") return response;
    response.cancel();
    if (hop === REDIRECTS) throw new NetError("protocol", `${first.href}: more than ${REDIRECTS} redirects`);
    if (response.status !== 307 && response.status !== 308 && method !== "GET") {
      method = "GET";
      body = undefined;
    }
    url = target;
  }
}

interface Hop {
  readonly url: URL;
  readonly first: URL;
  readonly method: (typeof METHODS)[number];
  readonly body: string | undefined;
  readonly init: RequestInit;
}

function requestFor({ entry, own, trust }: Place, { url, first, method, body, init }: Hop): NetRequest {
  const isOwn = url.origin === own.origin;
  const given = Object.fromEntries(new Headers(init.headers).entries());
  const kept = url.origin === first.origin ? given : withoutLogin(given);
  const { client: _client, ...shared } = trust ?? {};
  return {
    method,
    url: url.href,
    headers: isOwn ? { ...entry.headers, ...kept } : kept,
    ...(body === undefined ? {} : { body }),
    ...(init.signal == null ? {} : { signal: init.signal }),
    connectMs: entry.connect_timeout * 1000,
    redirects: false,
    purpose: url.hostname === own.hostname ? "model" : "web",
    // A stream of events lives as long as its connection.
    totalMs: 0,
    maxBytes: Number.MAX_SAFE_INTEGER,
    trust: isOwn ? trust : shared,
  };
}

const LOGIN = /^(authorization|cookie|proxy-authorization|mcp-session-id|dpop)$/i;

const withoutLogin = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !LOGIN.test(name)));

function redirectOf({ status, headers }: NetResponse, from: URL): URL | undefined {
  const location = headers["location"] ?? "";
  if (![301, 302, 303, 307, 308].includes(status) || !URL.canParse(location, from.href)) return undefined;
  return new URL(location, from);
}

function bodyOf(body: RequestInit["body"]): string | undefined {
  if (body === undefined || body === null) return undefined;
  if (typeof body === "string" || body instanceof URLSearchParams) return body.toString();
  throw new TypeError("the body of a request to an MCP server is text");
}

function responseOf(response: NetResponse): Response {
  const { status, headers } = response;
  const init = { status, headers: new Headers(headers) };
  if (NO_BODY.has(status)) {
    response.cancel();
    return new Response(null, init);
  }
  const pieces = bounded(response)[Symbol.asyncIterator]();
  const stream = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const next = await pieces.next();
      if (next.done === true) controller.close();
      else controller.enqueue(next.value);
    },
    cancel: () => response.cancel(),
  });
  return new Response(stream, init);
}

/** The bytes of an answer, or of the events of a stream, none of them longer than what is taken. */
async function* bounded(response: NetResponse): AsyncGenerator<Uint8Array> {
  const events = /^text\/event-stream\b/i.test(response.headers["content-type"] ?? "");
  let size = 0;
  for await (const piece of response.body) {
    size = events && endsEvent(piece) ? 0 : size + piece.length;
    if (size > MESSAGE_BYTES) {
      response.cancel();
      throw new NetError("protocol", `the server sent a message of more than ${MESSAGE_BYTES >> 20} MB`);
    }
    yield piece;
  }
}

function endsEvent(piece: Uint8Array): boolean {
  const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
  return bytes.includes("\n\n") || bytes.includes("\r\n\r\n") || bytes.includes("\r\r");
}

async function trustOf(entry: UrlEntry, home: string): Promise<NetTrust | undefined> {
  const { ssl_verify: verify, client_cert: certPath, client_key: keyPath } = entry;
  const insecure = verify === false ? { insecure: true as const } : {};
  const ca = typeof verify === "string" ? { ca: await fileOf("ssl_verify", verify, home) } : {};
  if (certPath === undefined) return verify === true ? undefined : { ...insecure, ...ca };
  const cert = await fileOf("client_cert", certPath, home);
  // The key may stand in the file of the certificate.
  const key = new Secret(keyPath === undefined ? cert : await fileOf("client_key", keyPath, home));
  return { ...insecure, ...ca, client: { cert, key } };
}

async function fileOf(setting: string, path: string, home: string): Promise<string> {
  const place = path.startsWith("~/") ? resolve(home, path.slice(2)) : resolve(home, path);
  const text = await readText(place).catch(() => undefined);
  if (text === undefined)
    throw new McpConnectError("failed", `${place} cannot be read; change ${setting} of the entry`);
  return text;
}
