import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import { type AddressInfo, isIPv6 } from "node:net";
import { networkInterfaces } from "node:os";
import type { Duplex } from "node:stream";
import { AppError, systemCode, type WireError } from "../base/errors.js";
import type { Clock } from "../base/time/clock.js";
import { drainRequest } from "./drain.js";
import type { RequestHead } from "./guard.js";
import { serveInTurn } from "./in-turn.js";
import { portHolder } from "./port-holder.js";

/** A request and its answer, for services that may not touch the network themselves. */
export type { IncomingMessage as HttpRequest, Server as HttpServer, ServerResponse as HttpResponse } from "node:http";

/** Limits of rule G1, for every listener of the owner. */
const HEADER_BYTES = 16 << 10;
const HEADER_MS = 30_000;
const CONNECTIONS_MAX = 256;
/** How often connections are looked at for these times. */
const CHECK_MS = 5_000;
/** A request that stands still for this time, body included, is cut off. */
const REQUEST_MS = 120_000;

/** The body of an error in the form that a listener gives to all its errors. */
export type ErrorShape = (error: WireError) => unknown;

const backplaneShape: ErrorShape = (error) => ({ error });

/**
 * A plain HTTP server with the limits of G1. Broken requests are answered in JSON; upgrades are left to the caller. The requests of one
 * connection are answered one after the other.
 *
 * @param requestMs how long a whole request may take to arrive, body included; 0: the caller watches its bodies himself
 */
export function createHttpServer(
  onRequest: (request: IncomingMessage, response: ServerResponse) => void,
  shape: ErrorShape = backplaneShape,
  requestMs = REQUEST_MS,
): Server {
  const server = createServer({
    maxHeaderSize: HEADER_BYTES,
    requireHostHeader: false, // the guard answers it, in JSON
    headersTimeout: HEADER_MS,
    requestTimeout: requestMs,
    connectionsCheckingInterval: CHECK_MS,
    keepAliveTimeout: 5_000,
  });
  server.maxConnections = CONNECTIONS_MAX;
  server.maxHeadersCount = 0; // headers above a count would be left out in silence, and the guard would not see them; the bytes are limited
  const serve = serveInTurn(onRequest);
  server.on("request", serve);
  server.on("checkContinue", serve);
  server.on("checkExpectation", serve);
  server.on("clientError", (error, socket) => answerBroken(error, socket, shape));
  server.on("error", () => undefined); // failing to listen is reported by `listenOn`; for a connection that could not be taken there is no one to notify
  server.on("connect", (_request, socket) => {
    socket.on("error", () => socket.destroy());
    socket.end(refusalText(405, { code: "E_INVALID", message: "method not supported", hint: PLAIN }, {}, shape));
  });
  return server;
}

const PLAIN = "send a plain request";

function answerBroken(error: Error, socket: Duplex, shape: ErrorShape): void {
  if (!socket.writable || systemCode(error) === "ECONNRESET") {
    socket.destroy();
    return;
  }
  const code = systemCode(error);
  const status = code === "HPE_HEADER_OVERFLOW" ? 431 : code === "ERR_HTTP_REQUEST_TIMEOUT" ? 408 : 400;
  const message =
    status === 431
      ? `request headers exceed ${HEADER_BYTES} bytes`
      : status === 408
        ? "the request timed out"
        : "not an HTTP request";
  const wire: WireError = { code: status === 431 ? "E_TOO_LARGE" : "E_INVALID", message, hint: PLAIN };
  socket.end(refusalText(status, wire, {}, shape), () => socket.destroy());
}

/** The head of a request as the guard wants it. */
export function headOf(request: IncomingMessage): RequestHead {
  const headers: [string, string][] = [];
  for (let at = 0; at + 1 < request.rawHeaders.length; at += 2)
    headers.push([request.rawHeaders[at] ?? "", request.rawHeaders[at + 1] ?? ""]);
  return { method: request.method ?? "", target: request.url ?? "", headers };
}

/** Answer with JSON. The connection is closed after an error: what follows on it is not trusted. */
export function answerJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(text),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    ...(status >= 400 ? { connection: "close" } : {}),
    ...headers,
  });
  if (status < 400 || response.req.complete) {
    response.end(text);
    return;
  }
  response.write(text);
  drainRequest(response.req, () => response.end());
}

/** A refusal as text, for a connection that has no response object (a refused upgrade). */
export function refusalText(
  status: number,
  error: WireError,
  headers: Readonly<Record<string, string>> = {},
  shape: ErrorShape = backplaneShape,
): string {
  return answerText(status, shape(error), headers);
}

/** A whole answer as text, after which the connection is closed. */
function answerText(status: number, body: unknown, headers: Readonly<Record<string, string>>): string {
  const text = JSON.stringify(body);
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Error"}`,
    "content-type: application/json; charset=utf-8",
    `content-length: ${Buffer.byteLength(text)}`,
    "cache-control: no-store",
    "x-content-type-options: nosniff",
    "connection: close",
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  return `${lines.join("\r\n")}\r\n\r\n${text}`;
}

/** How long the rest of a refused request is thrown away. A connection that is closed under a client who still sends takes the answer with it. */
const LINGER_MS = 2_000;

/** What is answered before a request was read to its end. */
export interface EarlyAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

/** Refuse a request, perhaps in the middle of its body, so that the client gets to read why. Nothing more is taken on this connection. */
export function refuse(clock: Clock, request: IncomingMessage, response: ServerResponse, answer: EarlyAnswer): void {
  const { status, body, headers } = answer;
  // Behind the answer to an earlier request of the connection it waits for its turn.
  if (request.complete || response.socket === null) {
    answerJson(response, status, body, headers);
    return;
  }
  const { socket } = request;
  request.on("error", () => undefined); // the client gave up
  request.once("end", () => socket.destroySoon());
  request.resume();
  const text = answerText(status, body, headers);
  socket.end(request.method === "HEAD" ? text.slice(0, text.indexOf("\r\n\r\n") + 4) : text);
  const stop = clock.after(LINGER_MS, () => socket.destroy());
  socket.once("close", stop);
}

/**
 * Listen on `host`:`port` (0: any free one).
 *
 * @returns the port
 * @throws E_CONFIG when the port is taken, naming who holds it, or not allowed
 */
export async function listenOn(server: Server, host: string, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(cannotListen(host, port, error)));
    server.listen({ host, port }, () => resolve());
  });
  return (server.address() as AddressInfo).port; // a TCP listener has an AddressInfo
}

function cannotListen(host: string, port: number, error: Error): AppError {
  const code = systemCode(error);
  const holder = code === "EADDRINUSE" ? portHolder(port) : undefined;
  const why = holder === undefined ? (code ?? error.message) : `used by ${holder}`;
  return new AppError(
    "E_CONFIG",
    `cannot listen on ${authority(host, port)}: ${why}`,
    { host, port, hint: HINTS[code ?? ""] },
    error,
  );
}

const HINTS: Readonly<Record<string, string>> = {
  EADDRINUSE: "use another port, or stop the program that uses it",
  EADDRNOTAVAIL: "the address must belong to this machine",
  EACCES: "ports below 1024 require root; use another port",
  ENOTFOUND: "use an address or host name of this machine",
};

/** Addresses of this machine's interfaces. */
export function ownAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((list) =>
    (list ?? []).map(({ address }) => address.split("%")[0] ?? address),
  );
}

/** `host:port` for a URL. */
export function authority(host: string, port: number): string {
  return isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
}
