import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync, statSync } from "node:fs";
import { request } from "node:http";
import { connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import WebSocket from "ws";
import { type ManualClock, manualClock } from "../../fixtures/ports/clock.js";
import { startBackplane } from "../../fixtures/sim/backplane.js";
import { LIMITS } from "../base/limits.js";

const PANEL = "https://panel.example";

interface World extends Awaited<ReturnType<typeof startBackplane>> {
  readonly url: string;
  readonly port: number;
  readonly token: string;
  readonly clock: ManualClock;
  ticket(): Promise<string>;
}

/** How the head of an upgrade is spoilt, and what must come back. `undefined` removes a header. */
interface Head {
  readonly name: string;
  readonly status: number;
  readonly path?: string | ((world: World) => Promise<string>);
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

const HEADS: readonly Head[] = [
  { name: "with the token", status: 101 },
  {
    name: "with a ticket",
    status: 101,
    headers: { authorization: undefined },
    path: async (world) => `/api/ws?ticket=${await world.ticket()}`,
  },
  {
    name: "with the token from an allowed origin",
    status: 101,
    headers: { origin: PANEL, "sec-fetch-site": "cross-site" },
  },
  { name: "with the name localhost", status: 101, headers: { host: "localhost" } },
  { name: "without token", status: 401, headers: { authorization: undefined } },
  { name: "with a wrong token", status: 401, headers: { authorization: "Bearer wrong" } },
  { name: "with half the token", status: 401, headers: { authorization: "Bearer " } },
  { name: "with basic credentials", status: 401, headers: { authorization: "Basic dXNlcjpwYXNz" } },
  { name: "with an unknown ticket", status: 401, headers: { authorization: undefined }, path: "/api/ws?ticket=nope" },
  { name: "with an empty ticket", status: 401, headers: { authorization: undefined }, path: "/api/ws?ticket=" },
  { name: "with an unknown ticket beside the token", status: 401, path: "/api/ws?ticket=nope" },
  { name: "with a used ticket", status: 401, headers: { authorization: undefined }, path: usedTicket },
  { name: "with a ticket of 30 s ago", status: 401, headers: { authorization: undefined }, path: expiredTicket },
  {
    name: "with a ticket at another path",
    status: 401,
    headers: { authorization: undefined },
    path: async (world) => `/api/other?ticket=${await world.ticket()}`,
  },
  {
    name: "with the token in the query",
    status: 401,
    headers: { authorization: undefined },
    path: async ({ token }) => `/api/ws?token=${token}`,
  },
  { name: "to an unknown path", status: 404, path: "/api/wss" },
  { name: "to the path with a slash behind it", status: 404, path: "/api/ws/" },
  { name: "to the path in escapes", status: 404, path: "/api/%77s" },
  { name: "to a path that does not speak WebSocket", status: 405, path: "/api/ticket" },
  { name: "from a foreign origin", status: 403, headers: { origin: "https://evil.example" } },
  { name: "from the origin null", status: 403, headers: { origin: "null" } },
  { name: "from an origin that begins like an allowed one", status: 403, headers: { origin: `${PANEL}.evil.example` } },
  {
    name: "from a page of its own address, although it serves no pages",
    status: 403,
    headers: { origin: "http://127.0.0.1" },
  },
  { name: "from another site", status: 403, headers: { "sec-fetch-site": "cross-site" } },
  { name: "under a foreign name", status: 400, headers: { host: "evil.example" } },
  { name: "under a name that ends like an own one", status: 400, headers: { host: "localhost.evil.example" } },
  { name: "with an absolute target", status: 400, path: "http://127.0.0.1/api/ws" },
  { name: "with an old version of the protocol", status: 400, headers: { "sec-websocket-version": "7" } },
  { name: "with a key that is none", status: 400, headers: { "sec-websocket-key": "short" } },
];
for (const { name, status, path = "/api/ws", headers = {} } of HEADS) {
  test(`an upgrade ${name} is answered with ${status}`, async (t) => {
    const world = await setup(t);
    const target = typeof path === "string" ? path : await path(world);
    const answer = await upgrade(world, target, headers);
    assert.match(answer, new RegExp(`^HTTP/1.1 ${status} `));
    if (status !== 101) assert.equal(world.server.clients(), 0);
  });
}

async function usedTicket(world: World): Promise<string> {
  const path = `/api/ws?ticket=${await world.ticket()}`;
  assert.match(await upgrade(world, path, { authorization: undefined }), /^HTTP\/1.1 101/);
  return path;
}

async function expiredTicket(world: World): Promise<string> {
  const ticket = await world.ticket();
  world.clock.advance(30_000);
  return `/api/ws?ticket=${ticket}`;
}

/** What a client does that was let in, and with which status its connection is closed; without one it stays. */
const FRAMES: readonly { name: string; send: (ws: WebSocket) => void; close?: number; error?: string }[] = [
  { name: "broken JSON", send: (ws) => ws.send("{oops"), error: "E_INVALID" },
  { name: "an unknown method", send: (ws) => ws.send('{"id":1,"method":"nope"}'), error: "E_UNKNOWN_METHOD" },
  { name: "a list", send: (ws) => ws.send("[1]"), error: "E_INVALID" },
  { name: "an empty message", send: (ws) => ws.send(""), error: "E_INVALID" },
  { name: "a binary message", send: (ws) => ws.send(Buffer.from("{}")), error: "E_INVALID", close: 1003 },
  {
    name: "a message of the limit + 1",
    send: (ws) => ws.send(`"${"x".repeat(LIMITS.messageBytes - 1)}"`),
    close: 1009,
  },
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
    name: "garbage without end",
    send: (ws) => Array.from({ length: 100 }, () => ws.send("{")),
    error: "E_INVALID",
    close: 1001,
  },
];
for (const { name, send, close, error } of FRAMES) {
  test(`a client that sends ${name} ${close === undefined ? "hears what is wrong and stays" : `is closed with ${close}`}`, async (t) => {
    const world = await setup(t);
    const ws = await open(world);
    const messages: string[] = [];
    const first = new Promise<void>((resolve) => {
      ws.on("message", (data) => {
        messages.push(String(data));
        resolve();
      });
    });
    const closed = once(ws, "close");
    send(ws);
    if (close === undefined) {
      await first;
      ws.send('{"id":7,"method":"echo","params":{"text":"on"}}');
      const [answer] = await once(ws, "message");
      assert.deepEqual(JSON.parse(String(answer)), { id: 7, result: { text: "on" } });
      ws.terminate();
    } else assert.equal((await closed)[0], close);
    if (error !== undefined) assert.match(messages[0] ?? "", new RegExp(error));
  });
}

function fragments(ws: WebSocket): void {
  for (let n = 0; n < 130_000; n++) ws.send("x", { fin: false });
}

function rawOf(ws: WebSocket): Socket {
  const { _socket: socket } = ws as unknown as { _socket: Socket }; // the library has no way to send what it must not send
  return socket;
}

test("a WebSocket client does what a client of the socket does, with events", async (t) => {
  const world = await setup(t);
  const ws = await open(world);
  const next = messagesOf(ws);
  ws.send('{"id":1,"method":"events.subscribe","params":{"store":"board:x","after_seq":0}}');
  assert.deepEqual(await next(), { id: 1, result: { sub: 1, after_seq: 0 } });
  world.log.emit({ kind: "created", task: "t_1" });
  assert.deepEqual(await next(), {
    sub: 1,
    events: [{ event: "created", seq: 1, store: "board:x", task_id: "t_1", at: "1970-01-01T00:00:00.000Z", data: {} }],
  });
  ws.terminate();
});

test("the local socket speaks HTTP as well, and needs no token there", async (t) => {
  const world = await setup(t);
  const answer = await exchange(
    connect(world.home.socket),
    upgradeText("/api/ws", { authorization: undefined }, world),
  );
  assert.match(answer, /^HTTP\/1.1 101 /);
  const refused = await exchange(
    connect(world.home.socket),
    upgradeText("/api/ws", { origin: "https://evil.example" }, world),
  );
  assert.match(refused, /^HTTP\/1.1 403 /);
});

test("address and token are in a file that only this user can read, and are gone with the owner", async (t) => {
  const world = await setup(t);
  assert.equal(statSync(world.home.token).mode & 0o777, 0o600);
  await world.server.stop(0);
  assert.equal(statSync(world.home.token, { throwIfNoEntry: false }), undefined);
  await assert.rejects(post(world, "/api/ticket"), { code: "ECONNREFUSED" });
});

test("a port that is taken costs the browsers their way in, not the owner its start", async (t) => {
  const first = await setup(t);
  const second = await startBackplane(t, { web: { port: first.port } });
  assert.equal(await second.server.web(), undefined);
  assert.deepEqual(await (await second.client()).call("echo", { text: "x" }), { text: "x" });
  await second.server.stop(0);
});

test("a silent peer is dropped at the second ping", async (t) => {
  const world = await setup(t);
  const ws = await open(world, { autoPong: false });
  const pinged = once(ws, "ping");
  world.clock.advance(30_000);
  await pinged;
  const closed = once(ws, "close");
  world.clock.advance(30_000);
  assert.equal((await closed)[0], 1006);
});

test("an answer tells other origins nothing, and an allowed one everything", async (t) => {
  const world = await setup(t);
  const plain = await post(world, "/api/ticket");
  assert.equal(plain.status, 200);
  assert.equal(plain.headers["access-control-allow-origin"], undefined);
  const allowed = await post(world, "/api/ticket", { origin: PANEL });
  assert.equal(allowed.headers["access-control-allow-origin"], PANEL);
  assert.equal(allowed.headers["vary"], "Origin");
  assert.equal(JSON.parse(allowed.body).expires_in, 30);
});

test("every refusal is JSON in the form of all errors", async (t) => {
  const world = await setup(t);
  for (const headers of [
    { authorization: "Bearer wrong" },
    { host: "evil.example" },
    { origin: "https://evil.example" },
    { "content-type": "text/plain", "content-length": "5" },
  ]) {
    const { status, body } = await post(world, "/api/ticket", headers);
    assert.ok(status >= 400);
    assert.deepEqual(Object.keys(JSON.parse(body).error), ["code", "message", "hint"]);
    assert.doesNotMatch(body, /evil/);
  }
  assert.match(
    await exchange(connect(world.port, "127.0.0.1"), `GET / HTTP/1.1\r\nx: ${"y".repeat(20_000)}\r\n\r\n`),
    /^HTTP\/1.1 431 [\s\S]*E_TOO_LARGE/,
  );
  assert.match(await exchange(connect(world.port, "127.0.0.1"), "no http\r\n\r\n"), /^HTTP\/1.1 400 [\s\S]*E_INVALID/);
  assert.match(
    await exchange(connect(world.port, "127.0.0.1"), "CONNECT a:1 HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    /^HTTP\/1.1 405 /,
  );
});

test("guessing is slowed down, and the right token is let in meanwhile", async (t) => {
  const world = await setup(t);
  for (let n = 0; n < 5; n++)
    assert.equal((await post(world, "/api/ticket", { authorization: "Bearer no" })).status, 401);
  const slow = post(world, "/api/ticket", { authorization: "Bearer no" });
  await world.clock.waits();
  assert.equal((await post(world, "/api/ticket")).status, 200);
  world.clock.advance(100);
  assert.equal((await slow).status, 401);
});

async function setup(t: TestContext): Promise<World> {
  const clock = manualClock();
  const parts = await startBackplane(t, { clock, web: { port: 0, allowedOrigins: [PANEL] } });
  const { url } = (await parts.server.web()) ?? { url: "" };
  const file: { url: string; token: string } = JSON.parse(readFileSync(parts.home.token, "utf8"));
  assert.equal(file.url, url);
  const world: World = {
    ...parts,
    url,
    clock,
    token: file.token,
    port: Number(new URL(url).port),
    ticket: async () => JSON.parse((await post(world, "/api/ticket")).body).ticket,
  };
  return world;
}

async function open(world: World, options: WebSocket.ClientOptions = {}): Promise<WebSocket> {
  const ws = new WebSocket(`${world.url.replace("http", "ws")}/api/ws`, {
    headers: { authorization: `Bearer ${world.token}` },
    ...options,
  });
  ws.on("error", () => undefined);
  await once(ws, "open");
  return ws;
}

function messagesOf(ws: WebSocket): () => Promise<unknown> {
  const waiting: unknown[] = [];
  let wake: () => void = () => undefined;
  ws.on("message", (data) => {
    waiting.push(JSON.parse(String(data)));
    wake();
  });
  return async () => {
    while (waiting.length === 0) await new Promise<void>((resolve) => (wake = resolve));
    return waiting.shift();
  };
}

function post(world: World, path: string, headers: Record<string, string> = {}) {
  return new Promise<{ status: number; headers: Record<string, string | string[] | undefined>; body: string }>(
    (resolve, reject) => {
      const sent = request(
        `${world.url}${path}`,
        { method: "POST", agent: false, headers: { authorization: `Bearer ${world.token}`, ...headers } },
        (answer) => {
          let body = "";
          answer.setEncoding("utf8");
          answer.on("data", (chunk: string) => (body += chunk));
          answer.on("end", () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body }));
        },
      );
      sent.on("error", reject);
      sent.end(headers["content-length"] === undefined ? undefined : "x".repeat(Number(headers["content-length"])));
    },
  );
}

async function upgrade(world: World, path: string, headers: Head["headers"] = {}): Promise<string> {
  return await exchange(connect(world.port, "127.0.0.1"), upgradeText(path, headers, world));
}

function upgradeText(path: string, spoilt: Readonly<Record<string, string | undefined>>, world: World): string {
  const headers = {
    host: `127.0.0.1:${world.port}`,
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
    authorization: `Bearer ${world.token}`,
    ...spoilt,
  };
  const lines = Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]));
  return `GET ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`;
}

/** Send a text and take what comes first. */
async function exchange(socket: Socket, text: string): Promise<string> {
  socket.write(text);
  const [answer] = await once(socket, "data");
  socket.destroy();
  return String(answer);
}
