import type { IncomingMessage, RequestOptions, Server, ServerResponse } from "node:http";
import type { LookupFunction, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { NetError } from "../../base/net/net.js";
import type { EpochMs, Ms } from "../../base/units.js";
import { checkedPlace, createAddressFilter, type FilterOptions, type Place, refusalFor } from "./address-filter.js";
import { netModules } from "./modules.js";
import { resolveHost } from "./net-options.js";
import { openTunnel } from "./tunnel.js";

/** A request that was not let out. */
export interface RefusedAddress {
  readonly at: EpochMs;
  /** Of an encrypted connection only `https://host:port`. */
  readonly url: string;
  readonly reason: string;
}

/** A proxy of this machine for one client whose addresses come from pages: HTTP, and CONNECT for everything else. */
export interface FilterProxy {
  /** `http://127.0.0.1:port` */
  readonly url: string;
  /** The newest, the oldest first. */
  refused(): readonly RefusedAddress[];
  /** Why a request to this address would not be let out, or undefined. Resolves its name; the request itself resolves and looks again. */
  refusal(url: string, signal?: AbortSignal): Promise<string | undefined>;
  close(): Promise<void>;
}

const REFUSED_KEPT = 50;
const CONNECT_MS: Ms = 30_000;
/** Connections of one browser to the proxy. */
const CONNECTIONS = 512;

/** Headers between two neighbours; the proxy is the end of those that it gets. */
const HOP_HEADERS: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "upgrade",
]);

/**
 * Open one. Each request and each tunnel is judged by the rules of the address guard: the name is resolved once, every address of it is looked at, and
 * the connection is made to those addresses alone, so that a name which answers otherwise the next time leads nowhere else.
 */
export async function openFilterProxy(options: FilterOptions): Promise<FilterProxy> {
  const { createServer } = await netModules.http();
  const sockets = new Set<Duplex>();
  const refused: RefusedAddress[] = [];
  const note = (url: string, reason: string): void => {
    refused.push({ at: options.clock.now(), url, reason });
    if (refused.length > REFUSED_KEPT) refused.shift();
  };
  const keep = <T extends Duplex>(socket: T): T => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    return socket;
  };
  const parts: Parts = { options, note, keep };
  const server = createServer({ keepAlive: true }, (request, response) => {
    forward(parts, request, response).catch((error: unknown) => refuse(parts, request.url ?? "", error, response));
  });
  server.maxConnections = CONNECTIONS;
  server.on("connection", keep);
  server.on("clientError", (_error, socket) => socket.destroy());
  server.on("connect", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    tunnel(parts, request, { socket, head }).catch((error: unknown) => refuseTunnel(parts, request, error, socket));
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    refused: () => refused,
    refusal: createAddressFilter(options),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of [...sockets]) socket.destroy();
      }),
  };
}

interface Parts {
  readonly options: FilterOptions;
  readonly note: (url: string, reason: string) => void;
  readonly keep: <T extends Duplex>(socket: T) => T;
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : 0);
    });
  });
}

/** A connection to one of the checked addresses and no other. @throws NetError */
async function connectTo({ options, keep }: Parts, { host, port, addresses, proxy }: Place): Promise<Socket> {
  if (proxy !== undefined) {
    const resolve = (name: string) => resolveHost(options, name, undefined);
    return keep(await openTunnel({ proxy, secure: false, resolve }, { host, port }));
  }
  const { connect, isIP } = await netModules.net();
  const reached = addresses.map((address) => options.dial?.(address, port) ?? { address, port });
  const lookup: LookupFunction = (_host, _how, done) =>
    done(
      null,
      reached.map(({ address }) => ({ address, family: isIP(address) })),
    );
  const to = { host: "checked.invalid", port: reached[0]?.port ?? port, lookup, autoSelectFamily: true };
  const socket = keep(connect(to));
  const cancel = options.clock.after(CONNECT_MS, () =>
    socket.destroy(new NetError("timeout", `${host} did not take the connection`)),
  );
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once("connect", resolve);
      socket.once("error", reject);
      socket.once("close", () => reject(new NetError("refused", `${host} closed the connection`)));
    });
  } finally {
    cancel();
  }
  socket.on("error", () => socket.destroy());
  const own = options.dial === undefined ? socket.remoteAddress : undefined; // a test dials elsewhere
  const peer = options.peer === undefined ? own : options.peer(socket);
  const why = peer === undefined ? undefined : refusalFor(options, host, true)(peer);
  if (why === undefined) return socket;
  socket.destroy();
  throw new NetError("blocked", why);
}

/** A request for an `http:` address, which stands whole in its first line. */
async function forward(parts: Parts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const href = request.url ?? "";
  if (!/^http:\/\//i.test(href)) throw new NetError("blocked", "blocked: this proxy takes whole http:// addresses");
  const place = await checkedPlace(parts.options, href);
  const socket = await connectTo(parts, place);
  const { request: send } = await netModules.http();
  const { pathname, search } = new URL(href);
  const outgoing: RequestOptions = {
    method: request.method,
    path: `${pathname}${search}`,
    headers: kept(request.rawHeaders),
    createConnection: () => socket,
    setHost: false,
  };
  await new Promise<void>((resolve, reject) => {
    const sent = send(outgoing, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.statusMessage, kept(answer.rawHeaders));
      answer.pipe(response);
      answer.once("error", () => response.destroy());
      answer.once("close", resolve);
    });
    sent.once("error", reject);
    response.once("close", () => socket.destroy());
    request.pipe(sent);
  });
}

/** Headers in their order without those between neighbours. */
function kept(raw: readonly string[]): string[] {
  const headers: string[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [name = "", value = ""] = raw.slice(at, at + 2);
    if (!HOP_HEADERS.has(name.toLowerCase())) headers.push(name, value);
  }
  return headers;
}

/** CONNECT: `https:`, and WebSockets of both kinds. */
async function tunnel(
  parts: Parts,
  request: IncomingMessage,
  { socket, head }: { readonly socket: Duplex; readonly head: Buffer },
): Promise<void> {
  socket.on("error", () => socket.destroy());
  const place = await checkedPlace(parts.options, tunnelUrl(request));
  const there = await connectTo(parts, place);
  socket.once("close", () => there.destroy());
  there.once("close", () => socket.destroy());
  socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
  if (head.length > 0) there.write(head);
  there.pipe(socket);
  socket.pipe(there);
}

const tunnelUrl = (request: IncomingMessage): string => `https://${request.url ?? ""}/`;

function refuse({ note }: Parts, url: string, error: unknown, response: ServerResponse): void {
  const { status, message } = told(error);
  if (status === 403) note(url, message);
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" });
  response.end(`${message}\n`);
}

function refuseTunnel({ note }: Parts, request: IncomingMessage, error: unknown, socket: Duplex): void {
  const { status, message } = told(error);
  if (status === 403) note(tunnelUrl(request).replace(/\/$/, ""), message);
  socket.end(`HTTP/1.1 ${status} Refused\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);
}

function told(error: unknown): { readonly status: number; readonly message: string } {
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof NetError)) return { status: 502, message };
  return { status: error.failure === "blocked" ? 403 : error.failure === "timeout" ? 504 : 502, message };
}
