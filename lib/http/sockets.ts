import { WebSocketServer } from "ws";
import { toAppError } from "../base/errors.js";
import { LIMITS } from "../base/limits.js";
import type { Log } from "../base/log/log.js";
import type { Clock } from "../base/time/clock.js";
import type { Places } from "./places.js";
import { problem } from "./reply.js";
import type { Upgrade } from "./upgrade.js";
import { CLOSE_CODES, type ServedSocket, type SocketEnd, type SocketRules, serveSocket } from "./web-socket.js";

/** A path of a listener that speaks WebSocket. */
export interface SocketRoute {
  readonly path: string;
  /** Bytes of the largest message of a client. */
  readonly maxMessage: number;
  /** Look at the query before anything is promised: what it throws is answered over HTTP. What it gives serves the socket. */
  open(query: URLSearchParams): Promise<(socket: ServedSocket) => SocketEnd>;
}

/** Whether a ticket lets its holder in at a path; it is used up by the question. */
export type Redeem = (ticket: string | undefined, path: string) => boolean;

/** What the WebSockets of one listener are made of. */
export interface SocketsOptions {
  readonly routes: readonly SocketRoute[];
  /** How many there may be at once. */
  readonly places: Places;
  readonly clock: Clock;
  readonly log: Log;
}

/** The WebSockets of one listener. */
export interface Sockets {
  /** Takes an upgrade that is past the guard. False: its path is none of these. */
  take(upgrade: Upgrade, redeem: Redeem): boolean;
  /** Close all, those with 1001 that are open; who does not join in is cut off soon. */
  stop(): Promise<void>;
}

const PING_MS = 25_000;
const SILENCE_MS = 60_000;
/** How long the last frames of a closing listener may take to leave. */
const LAST_WORDS_MS = 250;

interface Own extends SocketsOptions {
  readonly servers: Map<number, WebSocketServer>;
  readonly open: Set<ServedSocket>;
  readonly rule: SocketRules;
  stopping: boolean;
}

/** Past the guard, in this order: path, ticket (1008 behind the upgrade), number of sockets (1013), query (over HTTP), socket. */
export function createSockets(options: SocketsOptions): Sockets {
  const rule = {
    clock: options.clock,
    pingEvery: PING_MS,
    silence: SILENCE_MS,
    maxUnsent: LIMITS.webUnsentBytes,
    tooLate: CLOSE_CODES.tryLater,
  };
  const own: Own = { ...options, servers: new Map(), open: new Set(), rule, stopping: false };
  return {
    take: (upgrade, redeem) => {
      const route = own.routes.find(({ path }) => path === upgrade.path);
      if (route === undefined) return false;
      enter(own, route, upgrade, redeem).catch((thrown: unknown) => {
        const error = toAppError(thrown);
        if (error.code === "E_INTERNAL") own.log.error("failed to open a WebSocket", { error: error.message });
        upgrade.refuse(
          problem(error).status ?? 500,
          error.code,
          error.code === "E_INTERNAL" ? "internal error" : error.message,
        );
      });
      return true;
    },
    stop: async () => {
      own.stopping = true;
      await Promise.all([...own.open].map((socket) => leave(own, socket)));
    },
  };
}

async function leave({ clock }: Own, socket: ServedSocket): Promise<void> {
  socket.close(CLOSE_CODES.goingAway, "the listener is closing");
  const late = new AbortController();
  const cut = () => late.abort();
  socket.signal.addEventListener("abort", cut, { once: true });
  if (!socket.signal.aborted) await clock.sleep(LAST_WORDS_MS, late.signal).catch(() => undefined);
  socket.destroy();
}

async function enter(
  own: Own,
  route: SocketRoute,
  { request, socket, first, path, query }: Upgrade,
  redeem: Redeem,
): Promise<void> {
  const shake = (then: (socket: ServedSocket & { begin(end: SocketEnd): void }) => void) =>
    serverFor(own, route).handleUpgrade(request, socket, first, (ws) => then(serveSocket(ws, socket, own.rule)));
  if (!redeem(query.get("ticket") ?? undefined, path))
    return shake((served) => served.close(CLOSE_CODES.policy, "missing or invalid ticket"));
  const leavePlace = own.stopping ? undefined : own.places.take();
  if (leavePlace === undefined)
    return shake((served) => served.close(CLOSE_CODES.tryLater, `too many clients (limit ${own.places.max})`));
  socket.once("close", leavePlace);
  const serve = await route.open(query);
  shake((served) => {
    own.open.add(served);
    served.signal.addEventListener("abort", () => own.open.delete(served), { once: true });
    served.begin(serve(served));
    if (own.stopping) served.close(CLOSE_CODES.goingAway, "the listener is closing");
  });
}

/** Compression is off: it costs memory per client and leaks lengths of secrets beside foreign text. */
function serverFor({ servers }: Own, { maxMessage }: SocketRoute): WebSocketServer {
  const known = servers.get(maxMessage);
  if (known !== undefined) return known;
  const made = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: maxMessage,
    clientTracking: false,
  });
  servers.set(maxMessage, made);
  return made;
}
