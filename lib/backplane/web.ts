import { rmSync } from "node:fs";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import { ERRORS, type ErrorCode, type WireError } from "../base/errors.js";
import { replaceTextFile } from "../base/fs/text-file.js";
import type { Home } from "../base/home.js";
import type { Ids } from "../base/ids.js";
import { LIMITS } from "../base/limits.js";
import type { Log } from "../base/log/log.js";
import type { Clock } from "../base/time/clock.js";
import type { AttachedClient, Carrier } from "../contracts/owner/door.js";
import { admitRequest, type RequestAdmission, type Route } from "../http/admission.js";
import { type GuardRules, guard, type RequestHead } from "../http/guard.js";
import {
  answerJson,
  authority,
  createHttpServer,
  headOf,
  listenOn,
  ownAddresses,
  refusalText,
} from "../http/listener.js";
import { bearerOf, createThrottle, createTickets, sameToken, type Throttle, type Tickets } from "../http/token.js";
import { CLOSE_CODES, serveSocket } from "../http/web-socket.js";
import type { Connection } from "./connection.js";

/** HTTP and WebSocket of the backplane. */
export interface WebSide {
  /** Serve HTTP on a connection of the local socket. Who can open it needs no token. */
  serve(socket: Socket): void;
  /** Open the loopback listener, and write its address and token into the token file. */
  listen(): Promise<void>;
  readonly url: string | undefined;
  stop(): Promise<void>;
}

/** What the HTTP side needs of the backplane. */
export interface WebDeps {
  readonly home: Home;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly web?: {
    readonly port: number;
    readonly allowedHosts?: readonly string[];
    readonly allowedOrigins?: readonly string[];
  };
  attach(transport: Connection["transport"], carrier: Carrier): AttachedClient;
  /** Whether a tool of this home started the process at the other end. */
  readonly fromTool?: (socket: Duplex) => () => Promise<boolean>;
}

const HOST = "127.0.0.1";
const TICKET_MS = 30_000;
/** A peer that did not answer the last ping when the next is due is gone. */
const SILENCE = { pingEvery: 30_000, silence: 60_000 } as const;
const WS_PATH = "/api/ws";
const TICKET_PATH = "/api/ticket";
const ROUTES: readonly Route[] = [
  { path: TICKET_PATH, method: "POST", types: ["application/json"], maxBody: 4096 },
  { path: WS_PATH, method: "GET", types: [], maxBody: 0, ticket: true },
];

interface Own extends WebDeps {
  readonly token: string;
  readonly tickets: Tickets;
  readonly throttle: Throttle;
  readonly control: AbortController;
  readonly sockets: WebSocketServer;
  readonly rules: GuardRules;
  /** Connections of the local socket that speak HTTP. */
  readonly trusted: WeakSet<Duplex>;
  readonly locals: Set<Socket>;
  url: string | undefined;
}

/** Create the HTTP side; nothing listens yet. */
export function createWebSide(deps: WebDeps): WebSide {
  const own: Own = {
    ...deps,
    token: deps.ids.token(),
    tickets: createTickets(deps.ids, deps.clock, TICKET_MS),
    throttle: createThrottle(deps.clock),
    control: new AbortController(),
    // Compression is off: it costs memory per client and leaks lengths of secrets beside foreign text.
    sockets: new WebSocketServer({
      noServer: true,
      perMessageDeflate: false,
      maxPayload: LIMITS.messageBytes,
      clientTracking: false,
    }),
    rules: rulesOf(deps),
    trusted: new WeakSet(),
    locals: new Set(),
    url: undefined,
  };
  const server = createHttpServer((request, response) => handle(own, respond(own, request, response), request.socket));
  server.on("upgrade", (request, socket, first) => handle(own, upgrade(own, request, socket, first), socket));
  return {
    get url() {
      return own.url;
    },
    serve: (socket) => {
      own.trusted.add(socket);
      own.locals.add(socket);
      socket.on("close", () => own.locals.delete(socket));
      server.emit("connection", socket);
      socket.resume(); // it was stopped while this part was loaded
    },
    listen: () => listen(own, server),
    stop: () => stop(own, server),
  };
}

function rulesOf({ web }: WebDeps): GuardRules {
  return {
    local: true,
    pages: false,
    bindHost: HOST,
    ownAddresses: ownAddresses(),
    allowedHosts: web?.allowedHosts ?? [],
    allowedOrigins: web?.allowedOrigins ?? [],
  };
}

async function listen(own: Own, server: Server): Promise<void> {
  const port = await listenOn(server, HOST, own.web?.port ?? 0);
  own.url = `http://${authority(HOST, port)}`;
  replaceTextFile(own.home.token, `${JSON.stringify({ url: own.url, token: own.token })}\n`, 0o600);
}

async function stop(own: Own, server: Server): Promise<void> {
  own.control.abort();
  for (const socket of own.locals) socket.destroy();
  if (own.url === undefined) return;
  own.url = undefined;
  rmSync(own.home.token, { force: true });
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/** Work on one request; what fails in it costs its connection, nothing else. */
function handle(own: Own, work: Promise<void>, socket: Duplex): void {
  work.catch((error: unknown) => {
    own.log.error("cannot respond over HTTP", { error: error instanceof Error ? error.message : String(error) });
    socket.destroy();
  });
}

type Decision = { readonly ok: true; readonly route: Route | "preflight"; readonly cors: string | undefined } | Refused;
interface Refused {
  readonly ok: false;
  readonly status: number;
  readonly error: WireError;
  readonly headers: Readonly<Record<string, string>>;
}

/** Guard, then token, path, method, content type, size. Waits before it tells of a failed token; undefined: do not answer at all. */
async function decide(own: Own, head: RequestHead, trusted: boolean): Promise<Decision | undefined> {
  const verdict = guard(head, own.rules);
  if (!verdict.ok)
    return refused(verdict.status, verdict.status === 403 ? "E_FORBIDDEN" : "E_INVALID", verdict.message);
  if (verdict.cors !== undefined && head.method === "OPTIONS")
    return { ok: true, route: "preflight", cors: verdict.cors };
  const admission = admitRequest(head, ROUTES, (_head, path, ticket) => trusted || authorized(own, head, path, ticket));
  if (admission.ok) return { ok: true, route: admission.route, cors: verdict.cors };
  if (admission.status === 401 && !(await own.throttle.failed(own.control.signal))) return undefined;
  return refused(admission.status, admission.code, admission.message, headersOf(admission));
}

function authorized(own: Own, head: RequestHead, path: string, ticket: string | undefined): boolean {
  if (ticket !== undefined) return own.tickets.redeem(ticket, path);
  const values = head.headers.filter(([name]) => name.toLowerCase() === "authorization");
  const given = values.length === 1 ? bearerOf(values[0]?.[1]) : undefined;
  return given !== undefined && sameToken(given, own.token);
}

function headersOf(admission: Extract<RequestAdmission, { ok: false }>): Record<string, string> {
  if (admission.status === 401) return { "www-authenticate": "Bearer" };
  return admission.allow === undefined ? {} : { allow: admission.allow };
}

function refused(status: number, code: ErrorCode, message: string, headers: Record<string, string> = {}): Refused {
  return { ok: false, status, error: { code, message, hint: ERRORS[code].hint }, headers };
}

async function respond(own: Own, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const decision = await decide(own, headOf(request), own.trusted.has(request.socket));
  if (decision === undefined) request.socket.destroy();
  else if (!decision.ok) answerJson(response, decision.status, { error: decision.error }, decision.headers);
  else if (decision.route === "preflight") {
    response
      .writeHead(204, {
        ...corsOf(decision.cors),
        "access-control-allow-methods": "POST",
        "access-control-allow-headers": "authorization, content-type",
      })
      .end();
  } else if (decision.route.path === WS_PATH) {
    const { error } = refused(400, "E_INVALID", "this path supports WebSocket only");
    answerJson(response, 426, { error }, { upgrade: "websocket", ...corsOf(decision.cors) });
  } else {
    request.resume(); // the body has nothing to say
    answerJson(
      response,
      200,
      { ticket: own.tickets.issue(WS_PATH), path: WS_PATH, expires_in: TICKET_MS / 1000 },
      corsOf(decision.cors),
    );
  }
}

function corsOf(origin: string | undefined): Record<string, string> {
  return origin === undefined ? {} : { "access-control-allow-origin": origin, vary: "Origin" };
}

async function upgrade(own: Own, request: IncomingMessage, socket: Duplex, first: Buffer): Promise<void> {
  socket.on("error", () => socket.destroy());
  const decision = await decide(own, headOf(request), own.trusted.has(socket));
  if (decision === undefined) socket.destroy();
  else if (!decision.ok)
    socket.end(refusalText(decision.status, decision.error, decision.headers), () => socket.destroy());
  else if (decision.route === "preflight" || decision.route.path !== WS_PATH) {
    const { error } = refused(400, "E_INVALID", "this path does not support protocol upgrades");
    socket.end(refusalText(400, error), () => socket.destroy());
  } else
    own.sockets.handleUpgrade(request, socket, first, (ws) =>
      attachSocket(own, serveSocket(ws, socket, { ...SILENCE, clock: own.clock }), socket),
    );
}

/** Serve the backplane on a WebSocket: one text message is one message. The connection looks to how much waits. */
function attachSocket({ attach, fromTool }: WebDeps, socket: ReturnType<typeof serveSocket>, stream: Duplex): void {
  const { message, garbage, closed } = attach("web", {
    write: socket.send,
    end: () => socket.close(CLOSE_CODES.goingAway),
    destroy: socket.destroy,
    fromTool: fromTool?.(stream),
  });
  socket.begin({ message, binary: () => garbage("a message must be text"), closed });
}
