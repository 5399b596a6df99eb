import type { Socket } from "node:net";
import { createIntake } from "../base/async/intake.js";
import type { Service } from "../base/async/service.js";
import { AppError, toAppError, toWireError } from "../base/errors.js";
import type { Home } from "../base/home.js";
import type { Ids } from "../base/ids.js";
import { LIMITS } from "../base/limits.js";
import type { Log } from "../base/log/log.js";
import type { ToolHome } from "../base/process/ancestry.js";
import { listPersonStarts } from "../base/process/person-starts.js";
import type { Clock } from "../base/time/clock.js";
import type { Ms } from "../base/units.js";
import { toIso } from "../base/units.js";
import type { AttachedClient, Carrier } from "../contracts/owner/door.js";
import type { WireClaim } from "../contracts/wire/wire.js";
import type { Bus } from "./bus.js";
import { type Connection, createConnection, lineCarrier } from "./connection.js";
import { createKeyedCalls, memoryOfKeys } from "./keyed.js";
import { createLineReader } from "./lines.js";
import type { ExecuteLine, KeyMemory, Methods } from "./methods.js";
import { createPeer, type Peer, type PeerDeps } from "./peer.js";
import { createToolCheck } from "./peer-process.js";
import { type LocalListener, listenLocal } from "./socket.js";
import type { WebSide } from "./web.js";

/** What a backplane is made of. */
export interface BackplaneDeps {
  readonly home: Home;
  readonly version: string;
  readonly methods: Methods;
  readonly run: ExecuteLine;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly bus: Bus;
  /** Where request keys are remembered. Default: memory of this process. */
  readonly keys?: KeyMemory;
  /** Check a worker's claim when it presents it. Default: each operation checks it. */
  readonly admit?: (claim: WireClaim) => Promise<boolean>;
  /** The loopback listener for browsers. Absent: none, as for an owner of one command. */
  readonly web?: {
    readonly port: number;
    readonly allowedHosts?: readonly string[];
    readonly allowedOrigins?: readonly string[];
  };
}

/** The owner's door for its clients. */
export interface Backplane extends Service {
  /** Connected clients. */
  clients(): number;
  /** Requests without an answer, of all clients. Runs count, subscriptions do not. */
  openRequests(): number;
  /** Begin nothing new: requests get E_OWNER_LOST with `data.leaving`, clients get the event `owner.leaving`. Open requests go on. */
  leave(reason: string): void;
  /** Resolves when no request is open; at once when none is. */
  idle(signal: AbortSignal): Promise<void>;
  /** Address of the loopback listener, once it listens. It starts after `start` has resolved. */
  web(): Promise<{ readonly url: string } | undefined>;
  /** A client of this process, without a socket: the carrier brings its messages, the result takes them. */
  attach(transport: Connection["transport"], carrier: Carrier): AttachedClient;
}

interface Live {
  readonly deps: BackplaneDeps;
  readonly office: PeerDeps;
  readonly peers: Map<Peer, Connection>;
  readonly idlers: Set<() => void>;
  server: LocalListener | undefined;
  web: Promise<WebSide> | undefined;
  /** Over when the listener for browsers listens, or has failed. */
  listening: Promise<void> | undefined;
  leaving: boolean;
  lastId: number;
  /** A client has gone. */
  gone: () => void;
}

/** Create the door; `start` opens it. The caller holds the owner lock of `deps.home`. */
export function createBackplane(deps: BackplaneDeps): Backplane {
  const live = createLive(deps);
  return {
    name: "backplane",
    start: async () => {
      if (live.server) return;
      live.leaving = false;
      live.server = await listenLocal(deps.home.socket, {
        lines: (socket, first) => serveLines(live, socket, first),
        http: (socket) => serveHttp(live, socket),
        failed: (error) => deps.log.warning("a client failed to connect", { error: error.message }),
      });
      if (deps.web) live.listening = listenWeb(live);
    },
    stop: (deadline) => stop(live, deadline),
    clients: () => live.peers.size,
    openRequests: () => openRequests(live),
    leave: (reason) => leave(live, reason),
    idle: (signal) => idle(live, signal),
    web: async () => {
      await live.listening;
      const side = await live.web;
      return side?.url === undefined ? undefined : { url: side.url };
    },
    attach: (transport, carrier) => attach(live, transport, carrier),
  };
}

function createLive(deps: BackplaneDeps): Live {
  const live: Live = {
    deps,
    office: {
      methods: deps.methods,
      run: deps.run,
      bus: deps.bus,
      keyed: createKeyedCalls(deps.keys ?? memoryOfKeys(deps.clock), memoryOfKeys(deps.clock)),
      log: deps.log,
      welcome: { version: deps.version, pid: process.pid, home: deps.home.dir },
      ...(deps.admit ? { admit: deps.admit } : {}),
      leaving: () => live.leaving,
      answered: () => {
        if (live.idlers.size > 0 && openRequests(live) === 0) for (const wake of live.idlers) wake();
      },
    },
    peers: new Map(),
    idlers: new Set(),
    server: undefined,
    web: undefined,
    listening: undefined,
    leaving: false,
    lastId: 0,
    gone: () => undefined,
  };
  return live;
}

function attach(live: Live, transport: Connection["transport"], carrier: Carrier): AttachedClient {
  const connection = createConnection(transport, carrier);
  if (live.peers.size >= LIMITS.clients) {
    const error = new AppError("E_BUSY", `too many clients (limit ${LIMITS.clients})`, { bound: LIMITS.clients });
    connection.send(JSON.stringify({ id: null, error: toWireError(error) }));
    connection.end();
    return { message: () => undefined, garbage: () => undefined, end: connection.end, closed: connection.close };
  }
  live.lastId += 1;
  const peer = createPeer(live.office, connection, live.lastId);
  live.peers.set(peer, connection);
  return {
    message: peer.message,
    garbage: peer.garbage,
    end: connection.end,
    closed: () => {
      if (!live.peers.delete(peer)) return;
      connection.close();
      peer.closed();
      live.office.answered();
      live.gone();
    },
  };
}

const toolHome = ({ deps }: Live): ToolHome => ({
  dir: deps.home.dir,
  owner: process.pid,
  personStarts: listPersonStarts,
});

function serveLines(live: Live, socket: Socket, first: Buffer): void {
  socket.setNoDelay?.(true);
  const end = attach(live, "socket", { ...lineCarrier(socket), fromTool: createToolCheck(socket, toolHome(live)) });
  const intake = createIntake(socket);
  const reader = createLineReader(
    LIMITS.messageBytes,
    (text) => intake.add(text.length, () => end.message(text)),
    (why) =>
      intake.add(0, () => {
        end.garbage(why === "too large" ? `a message exceeds ${LIMITS.messageBytes} bytes` : "a message must be UTF-8");
        end.end();
      }),
  );
  socket.on("data", reader.push);
  socket.on("end", () => intake.add(0, () => socket.end()));
  socket.on("close", () => {
    intake.close();
    end.closed();
  });
  reader.push(first);
}

function serveHttp(live: Live, socket: Socket): void {
  const failed = (error: unknown) => {
    live.deps.log.error("cannot serve HTTP", { error: toAppError(error).message });
    socket.destroy();
  };
  webSide(live)
    .then((side) => side.serve(socket), failed)
    .catch(failed);
}

/** The part with HTTP and WebSocket, loaded when it is first needed: it costs as much as a short command takes. */
function webSide(live: Live): Promise<WebSide> {
  live.web ??= import("./web.js").then(({ createWebSide }) =>
    createWebSide({
      ...live.deps,
      fromTool: (socket) => createToolCheck(socket, toolHome(live)),
      attach: (transport, carrier) => attach(live, transport, carrier),
    }),
  );
  return live.web;
}

/** A port that is taken costs the browsers their way in, not the owner its start. */
async function listenWeb(live: Live): Promise<void> {
  try {
    const side = await webSide(live);
    if (live.server) await side.listen();
  } catch (error) {
    live.deps.log.error("no listener for browsers", { error: toAppError(error).message });
  }
}

function openRequests(live: Live): number {
  let open = 0;
  for (const peer of live.peers.keys()) open += peer.open();
  return open;
}

function idle(live: Live, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      live.idlers.delete(done);
      signal.removeEventListener("abort", done);
      resolve();
    };
    live.idlers.add(done);
    signal.addEventListener("abort", done, { once: true });
    if (signal.aborted || openRequests(live) === 0) done();
  });
}

function leave(live: Live, reason: string): void {
  if (live.leaving) return;
  live.leaving = true;
  const event = { event: "owner.leaving", at: toIso(live.deps.clock.now()), data: { reason, pid: process.pid } };
  for (const peer of live.peers.keys()) peer.event(event);
}

/** New connections are refused first, open requests get until `deadline`, then everybody is cut off. */
async function stop(live: Live, deadline: Ms): Promise<void> {
  const { server } = live;
  if (!server) return;
  live.server = undefined;
  const closed = server.close();
  leave(live, "stopped");
  const late = new AbortController();
  const cancel = live.deps.clock.after(deadline, () => late.abort());
  await idle(live, late.signal);
  cancel();
  for (const connection of live.peers.values()) connection.end();
  await flushed(live);
  for (const connection of live.peers.values()) connection.destroy();
  await live.listening;
  const side = await live.web?.catch(() => undefined); // it could not be loaded, and its caller got the error
  live.web = undefined;
  await side?.stop();
  await closed;
}

/** How long a client that does not read may take for the last words. */
const LAST_WORDS_MS = 250;

function flushed(live: Live): Promise<void> {
  return new Promise((resolve) => {
    if (live.peers.size === 0) {
      resolve();
      return;
    }
    const timer = setTimeout(() => done(), LAST_WORDS_MS);
    const done = () => {
      clearTimeout(timer);
      live.gone = () => undefined;
      resolve();
    };
    live.gone = () => {
      if (live.peers.size === 0) done();
    };
  });
}
