import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import WebSocket from "ws";
import { type ManualClock, manualClock } from "../../fixtures/ports/clock.js";
import { AppError } from "../base/errors.js";
import { randomIds } from "../base/ids.js";
import { silentLog } from "../base/log/log.js";
import { createHttpServer, listenOn } from "./listener.js";
import { createPlaces } from "./places.js";
import { detailShape } from "./reply.js";
import { createSockets, type SocketRoute, type Sockets } from "./sockets.js";
import { createTickets } from "./token.js";
import { serveUpgrades } from "./upgrade.js";
import { type ServedSocket, textFrame } from "./web-socket.js";

const PANEL = "https://panel.example";
const PLACES = 3;
const LIMIT = 4096;
const PATH = "/api/ws";

interface World {
  readonly port: number;
  readonly clock: ManualClock;
  readonly sockets: Sockets;
  /** The served end of the socket that was opened last. */
  readonly served: () => ServedSocket;
  ticket(path?: string): string;
}

/** How the head of an upgrade is spoilt, and what comes back: a status of HTTP, or the status of the close that is its first frame. */
interface Head {
  readonly name: string;
  readonly answer: number;
  readonly query?: string | ((world: World) => string | Promise<string>);
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

const HEADS: readonly Head[] = [
  { name: "with a ticket", answer: 101 },
  {
    name: "with a ticket, from the listener's own page",
    answer: 101,
    headers: { origin: "own", "sec-fetch-site": "same-origin" },
  },
  {
    name: "with a ticket, from an allowed origin",
    answer: 101,
    headers: { origin: PANEL, "sec-fetch-site": "cross-site" },
  },
  { name: "from a foreign origin", answer: 403, headers: { origin: "https://evil.example" } },
  { name: "from the origin null", answer: 403, headers: { origin: "null" } },
  { name: "from an origin that begins like an allowed one", answer: 403, headers: { origin: `${PANEL}.evil.example` } },
  { name: "from another port of this machine", answer: 403, headers: { origin: "http://127.0.0.1:1" } },
  { name: "from another scheme of an allowed origin", answer: 403, headers: { origin: "http://panel.example" } },
  { name: "from another site", answer: 403, headers: { "sec-fetch-site": "cross-site" } },
  { name: "from a neighbouring site", answer: 403, headers: { "sec-fetch-site": "same-site" } },
  { name: "under a foreign name", answer: 400, headers: { host: "evil.example" } },
  { name: "under a name that ends like an own one", answer: 400, headers: { host: "localhost.evil.example" } },
  { name: "under no name", answer: 400, headers: { host: undefined } },
  { name: "with an absolute target", answer: 400, path: "http://127.0.0.1/api/ws" },
  { name: "with another method", answer: 405, method: "POST" },
  { name: "with an old version of the protocol", answer: 400, headers: { "sec-websocket-version": "7" } },
  { name: "with a key that is none", answer: 400, headers: { "sec-websocket-key": "short" } },
  { name: "to an unknown path", answer: 400, path: "/api/wss" },
  { name: "to the path with a slash behind it", answer: 400, path: "/api/ws/" },
  { name: "to the path in escapes", answer: 400, path: "/api/%77s" },
  { name: "with a wrong query", answer: 400, query: ({ ticket }) => `?ticket=${ticket()}&wrong=1` },
  { name: "without a ticket", answer: 1008, query: "" },
  { name: "with an empty ticket", answer: 1008, query: "?ticket=" },
  { name: "with an unknown ticket", answer: 1008, query: "?ticket=nope" },
  { name: "with a used ticket", answer: 1008, query: used },
  { name: "with a ticket of 31 s ago", answer: 1008, query: expired },
  { name: "with a ticket of another path", answer: 1008, query: ({ ticket }) => `?ticket=${ticket("/api/files")}` },
  { name: "with the ticket in a header", answer: 1008, query: "", headers: { authorization: "ticket" } },
  { name: "with a ticket behind a wrong one", answer: 1008, query: ({ ticket }) => `?ticket=nope&ticket=${ticket()}` },
  { name: "without a ticket and with a wrong query", answer: 1008, query: "?wrong=1" },
  { name: "beyond the last place", answer: 1013, query: full },
];
for (const { name, answer, path = PATH, query, method = "GET", headers = {} } of HEADS)
  test(`DB2: an upgrade ${name} is answered with ${answer}`, async (t) => {
    const world = await setup(t);
    const given =
      query === undefined ? `?ticket=${world.ticket()}` : typeof query === "string" ? query : await query(world);
    const came = await exchange(world, headText(world, { method, target: `${path}${given}`, headers }));
    if (answer < 1000) return assert.match(came.toString("latin1"), new RegExp(`^HTTP/1.1 ${answer} `));
    assert.match(came.toString("latin1"), /^HTTP\/1.1 101 /);
    assert.equal(closeOf(came.subarray(came.indexOf("\r\n\r\n") + 4)), answer, "the first frame closes");
  });

/** What a client does that was let in, and with which status its connection is closed; without one it stays. */
const FRAMES: readonly { readonly name: string; readonly send: (ws: WebSocket) => void; readonly close?: number }[] = [
  { name: "a message of the limit", send: (ws) => ws.send("x".repeat(LIMIT)) },
  { name: "a message of the limit + 1", send: (ws) => ws.send("x".repeat(LIMIT + 1)), close: 1009 },
  { name: "a message of the limit + 1 in two pieces", send: pieces, close: 1009 },
  { name: "a binary message", send: (ws) => ws.send(Buffer.from("{}")), close: 1003 },
  {
    name: "a text that is no UTF-8",
    send: (ws) => ws.send(Buffer.from([0x22, 0xff, 0x22]), { binary: false }),
    close: 1007,
  },
  { name: "130,000 fragments", send: fragments, close: 1008 },
  {
    name: "compressed bytes without an agreement",
    send: (ws) => rawOf(ws).write(Buffer.from([0xc1, 0x80, 0, 0, 0, 0])),
    close: 1002,
  },
  { name: "an unmasked frame", send: (ws) => rawOf(ws).write(Buffer.from([0x81, 0x02, 0x7b, 0x7d])), close: 1002 },
  {
    name: "a frame of no known kind",
    send: (ws) => rawOf(ws).write(Buffer.from([0x83, 0x80, 0, 0, 0, 0])),
    close: 1002,
  },
  {
    name: "a continuation of nothing",
    send: (ws) => rawOf(ws).write(Buffer.from([0x80, 0x80, 0, 0, 0, 0])),
    close: 1002,
  },
  {
    name: "a length of 2^63",
    send: (ws) => rawOf(ws).write(Buffer.from([0x81, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0])),
    close: 1009,
  },
  {
    name: "a ping that is too long",
    send: (ws) => rawOf(ws).write(Buffer.from([0x89, 0xfe, 0, 126, 0, 0, 0, 0])),
    close: 1002,
  },
  { name: "a ping", send: (ws) => ws.ping("here") },
];
for (const { name, send, close } of FRAMES)
  test(`a client that sends ${name} ${close === undefined ? "stays" : `is closed with ${close}`}`, async (t) => {
    const world = await setup(t);
    const ws = await open(world);
    const closed = once(ws, "close");
    send(ws);
    if (close !== undefined) return assert.equal((await closed)[0], close);
    const answered = new Promise<void>((resolve) =>
      ws.on("message", (data) => (String(data) === "on" ? resolve() : undefined)),
    );
    ws.send("on");
    await answered;
    ws.terminate();
  });

test("a peer that does not answer pings is closed with 1013 after 60 s, and not before", async (t) => {
  const world = await setup(t);
  const ws = await open(world, { autoPong: false });
  const closed = once(ws, "close");
  for (const at of [25_000, 50_000]) {
    const pinged = once(ws, "ping");
    world.clock.advance(25_000);
    await pinged;
    assert.equal(ws.readyState, ws.OPEN, `at ${at} ms`);
  }
  world.clock.advance(9_999);
  assert.equal(world.served().signal.aborted, false);
  world.clock.advance(1);
  assert.equal((await closed)[0], 1013);
});

test("a peer that answers pings stays", async (t) => {
  const world = await setup(t);
  const ws = await open(world);
  for (let beat = 0; beat < 8; beat++) {
    const answered = once(rawOf(ws), "data");
    world.clock.advance(25_000);
    await answered;
    ws.send("beat"); // behind the pong, so that it has arrived when this has
    await once(ws, "message");
  }
  assert.equal(ws.readyState, ws.OPEN);
  ws.terminate();
});

test("a peer that takes nothing is closed with 1013 above 1 MiB, and its place is free again once it was cut off", async (t) => {
  const world = await setup(t);
  const ws = await open(world);
  rawOf(ws).pause();
  const served = world.served();
  const frame = textFrame("x".repeat(64 << 10));
  let sent = 0;
  while (served.unsent() <= 1 << 20 && sent < 1000) {
    served.sendFrame(frame);
    sent += 1;
    await new Promise(setImmediate);
  }
  const gone = new Promise((resolve) => served.signal.addEventListener("abort", resolve));
  served.sendFrame(frame);
  const before = served.unsent();
  served.sendFrame(frame);
  assert.equal(served.unsent(), before, "nothing more is queued for it");
  world.clock.advance(5_000);
  await gone;
  ws.terminate();
});

test("a peer that pings without end and takes no answer is cut off", async (t) => {
  const world = await setup(t);
  const ws = await open(world);
  const { signal } = world.served();
  const gone = new Promise((resolve) => signal.addEventListener("abort", resolve));
  rawOf(ws).pause();
  const ping = Buffer.concat([Buffer.from([0x89, 0xfd, 0, 0, 0, 0]), Buffer.alloc(125)]);
  rawOf(ws).write(Buffer.concat(Array.from({ length: 10_000 }, () => ping)));
  await gone;
  ws.terminate();
});

test("a slow peer that reads again gets what was queued for it and then 1013", async (t) => {
  const world = await setup(t);
  const ws = await open(world);
  rawOf(ws).pause();
  const served = world.served();
  for (let n = 0; served.unsent() <= 1 << 20; n++) served.send(String(n).padEnd(10_000, "."));
  served.send("one too many");
  let seen = 0;
  ws.on("message", () => (seen += 1));
  rawOf(ws).resume();
  assert.equal((await once(ws, "close"))[0], 1013);
  assert.ok(seen > 100);
});

test("frames made once are what the library makes, at every border of length", async (t) => {
  const world = await setup(t);
  const ws = await open(world);
  for (const length of [0, 1, 125, 126, 65_535, 65_536, 70_001]) {
    const text = "ä".repeat(length >> 1) + "x".repeat(length & 1);
    const came = once(ws, "message");
    world.served().sendFrame(textFrame(text));
    assert.equal(String((await came)[0]), text);
  }
  ws.terminate();
});

test("a listener that closes says so to its clients, and waits for none that does not join in", async (t) => {
  const world = await setup(t);
  const polite = await open(world);
  const silent = await open(world);
  rawOf(silent).pause();
  const closed = once(polite, "close");
  const stopped = world.sockets.stop();
  assert.equal((await closed)[0], 1001);
  await world.clock.waits(1);
  world.clock.advance(250);
  await stopped;
  silent.terminate();
});

test("a refusal says in JSON what is wrong and nothing about the listener", async (t) => {
  const world = await setup(t);
  const answer = String(
    await exchange(
      world,
      headText(world, { method: "GET", target: PATH, headers: { origin: "https://evil.example" } }),
    ),
  );
  assert.deepEqual(JSON.parse(answer.slice(answer.indexOf("{"))), {
    detail: "requests from pages of this origin are not allowed",
    code: "E_FORBIDDEN",
  });
});

async function used(world: World): Promise<string> {
  const query = `?ticket=${world.ticket()}`;
  const first = await exchange(world, headText(world, { method: "GET", target: `${PATH}${query}` }));
  assert.match(String(first), /^HTTP\/1.1 101 /);
  return query;
}

function expired(world: World): string {
  const query = `?ticket=${world.ticket()}`;
  world.clock.advance(31_000);
  return query;
}

async function full(world: World): Promise<string> {
  for (let n = 0; n < PLACES; n++) await open(world);
  return `?ticket=${world.ticket()}`;
}

function pieces(ws: WebSocket): void {
  ws.send("x".repeat(LIMIT), { fin: false });
  ws.send("x");
}

function fragments(ws: WebSocket): void {
  for (let n = 0; n < 130_000; n++) ws.send("", { fin: false });
}

function rawOf(ws: WebSocket): Socket {
  const { _socket: socket } = ws as unknown as { _socket: Socket }; // the library has no way to send what it must not send
  return socket;
}

async function setup(t: TestContext): Promise<World> {
  const clock = manualClock();
  const tickets = createTickets(randomIds, clock, 30_000);
  let served: ServedSocket | undefined;
  const echo: SocketRoute = {
    path: PATH,
    maxMessage: LIMIT,
    open: async (query) => {
      if (query.has("wrong")) throw new AppError("E_INVALID", "wrong is wrong");
      return (socket) => {
        served = socket;
        socket.send("hello");
        return { message: (text) => socket.send(text) };
      };
    },
  };
  const rules = {
    local: true,
    pages: true,
    bindHost: "127.0.0.1",
    ownAddresses: [],
    allowedHosts: [],
    allowedOrigins: [PANEL],
  };
  const sockets = createSockets({ routes: [echo], places: createPlaces(() => PLACES), clock, log: silentLog });
  const server = createHttpServer((_request, response) => response.end());
  const redeem = (ticket: string | undefined, path: string) => tickets.redeem(ticket ?? "", path);
  serveUpgrades(server, {
    rules: () => rules,
    shape: detailShape,
    take: (upgrade) => sockets.take(upgrade, redeem),
    failed: assert.fail,
  });
  const port = await listenOn(server, "127.0.0.1", 0);
  const connections = new Set<Socket>();
  server.on("connection", (socket) => connections.add(socket));
  t.after(() => {
    for (const socket of connections) socket.destroy();
    server.close();
  });
  const theServed = () => {
    assert.ok(served, "a socket was opened");
    return served;
  };
  return { port, clock, sockets, served: theServed, ticket: (path = PATH) => tickets.issue(path) };
}

async function open(world: World, options: WebSocket.ClientOptions = {}): Promise<WebSocket> {
  const ws = new WebSocket(`ws://127.0.0.1:${world.port}${PATH}?ticket=${world.ticket()}`, options);
  ws.on("error", () => undefined);
  await once(ws, "message");
  return ws;
}

interface Asked {
  readonly method: string;
  readonly target: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

function headText({ port }: World, { method, target, headers = {} }: Asked): string {
  const all: Readonly<Record<string, string | undefined>> = {
    host: `127.0.0.1:${port}`,
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
    ...headers,
    ...(headers["origin"] === "own" && { origin: `http://127.0.0.1:${port}` }),
  };
  const lines = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]));
  return `${method} ${target} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`;
}

/** Send a text and take what comes: a whole refusal, or the upgrade and the first frame. */
async function exchange({ port }: World, text: string): Promise<Buffer> {
  const socket = connect(port, "127.0.0.1");
  socket.write(text);
  let came = Buffer.alloc(0);
  for await (const chunk of socket) {
    came = Buffer.concat([came, chunk as Buffer]); // no encoding is set
    const body = came.indexOf("\r\n\r\n") + 4;
    if (body > 3 && came.length > body && came.toString("latin1").startsWith("HTTP/1.1 101")) break;
  }
  socket.destroy();
  return came;
}

/** The status of a frame that closes; undefined when it is none. */
function closeOf(frame: Buffer): number | undefined {
  return frame[0] === 0x88 ? frame.readUInt16BE(2) : undefined;
}
