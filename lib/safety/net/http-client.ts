import type { LookupFunction, Socket } from "node:net";
import { Readable } from "node:stream";
import type { TlsOptions } from "node:tls";
import type { NetError, NetRequest, NetTrust, ProxyAddress } from "../../base/net/net.js";
import { sha256 } from "../../base/text/hash.js";
import type { AddressRule } from "./address.js";
import { netModules } from "./modules.js";
import type { NetOptions } from "./net-options.js";
import { proxyText } from "./tunnel.js";

/** A target whose addresses were looked at. */
export interface CheckedTarget {
  readonly url: URL;
  /** Host without brackets and trailing dot; also the name in TLS. */
  readonly host: string;
  readonly addresses: readonly string[];
  /** What the addresses were held against. */
  readonly rule: AddressRule;
  /** Why an address must not be reached, or undefined. Asked again about the socket that was connected. */
  refusal(address: string): string | undefined;
}

/** One request as a client sends it. */
export interface CheckedRequest {
  readonly request: NetRequest;
  readonly checked: CheckedTarget;
  /** As far as it holds for this target. */
  readonly trust: NetTrust | undefined;
}

/** An answer whose head has come. */
export interface Incoming {
  readonly status: number;
  /** Name and value in turn, as they came. */
  readonly rawHeaders: readonly string[];
  /** As it came. Ends only when the whole of it has come; to destroy it drops the connection. */
  readonly body: Readable;
}

/** How a client and the exchange that uses it speak of one request. */
export interface Progress {
  /** What ends the request before its answer. Called at once when it is over already. */
  own(end: (cause: NetError) => void): void;
  /** The connection is there, and leads where it may. */
  connected(): void;
  /** It failed, whatever has come already. */
  fail(error: unknown): void;
}

/**
 * Carries requests over connections that it keeps. Every connection leads to an address that `checked.refusal` allows, or nothing is sent. Limits,
 * redirects and decoding are not its own.
 */
export interface HttpClient {
  /** @throws what went wrong before the head of an answer */
  send(outgoing: CheckedRequest, progress: Progress): Promise<Incoming>;
  /** Connections without a request end now, others after it. */
  retire(): void;
}

/** Longest head of an answer. */
export const HEAD_BYTES = 16 << 10;

/** How long a connection without a request is kept: shorter than what servers commonly allow. */
export const IDLE_MS = 30_000;

/** The same text for connections that may be shared. */
export function toConnectionKey(proxy: ProxyAddress | undefined, trust: NetTrust | undefined): string {
  const through = proxy === undefined ? "" : ` ${proxyText(proxy)} ${proxy.login?.user ?? ""}`;
  return trust === undefined
    ? through
    : `${through} trust ${sha256(JSON.stringify([trust.ca, trust.insecure, trust.client?.cert]))}`;
}

/** What a connection of TLS verifies. */
export async function certificatesFor(
  trust: NetTrust | undefined,
): Promise<Pick<TlsOptions, "ca" | "rejectUnauthorized">> {
  if (trust === undefined) return {};
  const { rootCertificates } = await netModules.tls();
  return {
    ...(trust.ca === undefined ? {} : { ca: [...rootCertificates, trust.ca] }),
    ...(trust.insecure === true ? { rejectUnauthorized: false } : {}),
    ...(trust.client === undefined ? {} : { cert: trust.client.cert, key: trust.client.key.reveal() }),
  };
}

/** Where the connection is made to: the first address that was checked, unless a test leads it elsewhere. */
export function placeOf(options: NetOptions, { request, checked }: Pick<CheckedRequest, "request" | "checked">) {
  const { url, host, addresses } = checked;
  const port = Number(url.port || (url.protocol === "https:" ? 443 : 80));
  const dialled = request.proxy === undefined ? options.dial?.(addresses[0] ?? host, port) : undefined;
  return dialled ?? { address: host, port };
}

/** Name that the certificate must have, where the host is one. */
export const serverName = ({ host, addresses }: CheckedTarget): string | undefined =>
  addresses.length === 1 && addresses[0] === host ? undefined : host;

/** Answers the connector with the addresses that were checked, so that a second answer of the resolver cannot be met. */
export function pinAddresses(addresses: readonly string[]): LookupFunction {
  const entries = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  return (_host, options, done) => {
    const wanted = entries.filter(
      (entry) => !options.family || entry.family === options.family || options.family === `IPv${entry.family}`,
    );
    const [first] = wanted.length > 0 ? wanted : entries;
    if (options.all) process.nextTick(done, null, wanted.length > 0 ? wanted : entries);
    else process.nextTick(done, null, first?.address ?? "", first?.family ?? 4);
  };
}

/** Why a socket that was connected must not be used, or undefined. */
export function peerRefusal({ peer }: NetOptions, socket: Socket, checked: CheckedTarget): string | undefined {
  const address = peer === undefined ? socket.remoteAddress : peer(socket);
  return address === undefined ? `blocked: ${checked.host} shows no address` : checked.refusal(address);
}

/** Headers about the connection, which is the client's alone. Only that it is not to be kept may be asked for. */
const OF_CONNECTION = new Set(["connection", "expect", "keep-alive", "transfer-encoding", "upgrade"]);

/** Headers of a request, each once: the last one of a name counts, however it is spelled. */
export function headersToSend({ request, checked }: CheckedRequest): Record<string, string> {
  const named = new Map<string, readonly [name: string, value: string]>();
  const given = { host: checked.url.host, "accept-encoding": "identity", ...request.headers };
  for (const [name, value] of Object.entries(given)) {
    const plain = name.toLowerCase();
    const closes = plain === "connection" && value.trim().toLowerCase() === "close";
    if (closes || !OF_CONNECTION.has(plain)) named.set(plain, [name, value]);
  }
  return Object.fromEntries(named.values());
}

/** Headers of an answer of which the first one counts. */
const ONCE = new Set([
  "age",
  "authorization",
  "content-length",
  "content-type",
  "etag",
  "expires",
  "from",
  "host",
  "if-modified-since",
  "if-unmodified-since",
  "last-modified",
  "location",
  "max-forwards",
  "proxy-authorization",
  "referer",
  "retry-after",
  "server",
  "user-agent",
]);

/** Headers of an answer by their names in small letters; several of one name are joined. */
export function headersFrom(raw: readonly string[]): Record<string, string> {
  const found = new Map<string, string>();
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = (raw[at] ?? "").toLowerCase();
    const before = found.get(name);
    const value = raw[at + 1] ?? "";
    if (before === undefined) found.set(name, value);
    else if (!ONCE.has(name)) found.set(name, `${before}${name === "cookie" ? "; " : ", "}${value}`);
  }
  return Object.fromEntries(found);
}

/** A body that is made while it is sent. It is dropped when the request is over. @param broken one of its pieces failed: what was sent must not look whole */
export function piecesOf(pieces: AsyncIterable<Uint8Array>, broken: (error: unknown) => void): Readable {
  return Readable.from(watched(pieces, broken), { objectMode: false });
}

async function* watched(
  pieces: AsyncIterable<Uint8Array>,
  broken: (error: unknown) => void,
): AsyncGenerator<Uint8Array> {
  try {
    yield* pieces;
  } catch (error) {
    broken(error);
    throw error;
  }
}
