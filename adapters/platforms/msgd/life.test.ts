import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { BOT, DIRECT, type MsgdServer, refused, startMsgd } from "../../../fixtures/servers/msgd/server.js";
import { quiet } from "../../../fixtures/sim/gateway-world.js";
import { type MsgdWorldOptions, msgdWorld, TOKEN } from "../../../fixtures/worlds/msgd-world.js";
import { silentLog } from "../../../lib/base/log/log.js";
import type { BatchAcceptance, Inlet } from "../../../lib/contracts/board/platform-tag.js";
import type { AdapterFault } from "../../../lib/contracts/gateway/platform.js";
import { platformSettings } from "../../../lib/gateway/settings/platform-settings.js";
import { createNet } from "../../../lib/safety/net/net.js";
import { createMsgd } from "./platform.js";

/** An adapter alone, with an inlet of the test. */
async function alone(t: TestContext, acceptBatch: Inlet["acceptBatch"], env: Record<string, string> = {}) {
  const server = await startMsgd({ token: TOKEN });
  const clock = manualClock();
  const net = createNet({ clock, allowPrivate: () => true });
  const cursors: string[] = [];
  const inlet: Inlet = {
    acceptBatch: async (events, cursor) => {
      const answer = await acceptBatch(events, cursor);
      if (answer.result === "stored") cursors.push(cursor.value);
      return answer;
    },
    accept: async () => "busy",
    cursor: async () => cursors.at(-1),
    connected: async () => ({ first: true, at: clock.now() }),
  };
  const given = { MSGD_BOT_TOKEN: TOKEN, MSGD_API_BASE: `${server.url}/api`, ...env };
  const settings = platformSettings("msgd", { env: given, raw: () => undefined });
  const others = (prefix: string) => platformSettings(prefix, { env: {}, raw: () => undefined });
  const platform = createMsgd({ settings, others, inlet, net, clock, chance: () => 0, log: silentLog });
  const lost: AdapterFault[] = [];
  const reports = { lost: (fault: AdapterFault) => void lost.push(fault), polled: () => undefined };
  t.after(async () => {
    await platform.disconnect();
    await net.close();
    await server.close();
  });
  const connect = (signal = new AbortController().signal) => platform.connect(reports, signal);
  return { server, clock, platform, connect, lost, cursors };
}

/** Something to wait for. */
function gate<T>() {
  let open: (value: T) => void = () => undefined;
  const opened = new Promise<T>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

const stored = (count: number): BatchAcceptance => ({
  result: "stored",
  events: Array.from({ length: count }, () => "accepted" as const),
});

/** Numbers that the connection went on behind. */
const resumedBehind = (server: MsgdServer) =>
  server.sockets.frames.flatMap(({ op, d }) =>
    op === 6 && typeof d === "object" && d !== null && "seq" in d ? [d.seq] : [],
  );

/** Resolves when the adapter has been told everything so far: it answers in the order in which it is told. */
async function heard(server: MsgdServer) {
  server.sockets.send({ op: 1, d: null });
  await server.until(() => server.sockets.frames.some(({ op }) => op === 1));
}

/** Let the connection be renewed: its first wait is short, and moved by hand. */
async function renewed(clock: ReturnType<typeof manualClock>, what: () => boolean) {
  while (!what()) {
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(100);
  }
}

test("an event that is not stored yet is reported again by a connection that is renewed", async (t) => {
  const came = gate<void>();
  const answer = gate<BatchAcceptance>();
  const seen: string[] = [];
  const { server, connect, clock, lost } = await alone(t, async (events) => {
    if (events.length === 0) return stored(0);
    seen.push(...events.map(({ text }) => text));
    came.open();
    return seen.length === 1 ? answer.opened : stored(events.length);
  });
  assert.deepEqual(await connect(), { connected: true });
  await quiet();
  server.say({ content: "one" });
  await came.opened;
  server.sockets.drop(4000);
  await renewed(clock, () => resumedBehind(server).length === 1);
  // READY and the server were handled; the message was not.
  assert.deepEqual(resumedBehind(server), [2]);
  answer.open(stored(1));
  await renewed(clock, () => seen.length >= 2);
  assert.deepEqual([seen.slice(0, 2), lost], [["one", "one"], []]);
});

test("an inbox that is full loses nothing: the same events are stored after five seconds, in order", async (t) => {
  const answers: BatchAcceptance[] = [{ result: "busy" }, { result: "busy" }];
  const seen: string[][] = [];
  const { server, connect, clock } = await alone(t, async (events) => {
    if (events.length === 0) return stored(0);
    seen.push(events.map(({ text }) => text));
    return answers.shift() ?? stored(events.length);
  });
  await connect();
  server.say({ content: "one" });
  await server.until(() => server.sockets.live() === 1);
  while (seen.length < 1) await new Promise((resolve) => setImmediate(resolve));
  server.say({ content: "two" });
  await heard(server);
  assert.deepEqual(seen, [["one"]]);
  for (let busy = 0; busy < 2; busy++) {
    await clock.waitsFor(5000);
    clock.advance(5000);
  }
  while (seen.length < 3) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(seen.at(-1)?.slice(0, 2), ["one", "two"]);
});

const FATAL: readonly (readonly [code: number, fatal: string, says: RegExp])[] = [
  [4004, "auth_failed", /MSGD_BOT_TOKEN/],
  [4014, "missing_intents", /Message Content Intent/],
  [4013, "platform_error", /intents/],
];

for (const [code, fatal, says] of FATAL) {
  test(`${code === 4014 ? "GW-67 " : ""}a websocket that is closed with ${code} at the beginning is ${fatal}`, async (t) => {
    const { server, connect } = await alone(t, async (events) => stored(events.length));
    server.sockets.refuse.code = code;
    const answer = await connect();
    assert.ok(!answer.connected);
    assert.deepEqual([answer.code, says.test(answer.message)], [fatal, true]);
    await server.until(() => server.sockets.live() === 0);
  });

  test(`a websocket that is closed with ${code} later is ${fatal}, and is not opened again`, async (t) => {
    const { server, connect, lost, platform } = await alone(t, async (events) => stored(events.length));
    await connect();
    server.sockets.drop(code);
    await server.until(() => server.sockets.live() === 0);
    while (lost.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await quiet();
    assert.deepEqual(
      lost.map((fault) => fault.code),
      [fatal],
    );
    await platform.disconnect();
    assert.equal(server.sockets.opened(), 1);
  });
}

test("intents that the application lacks are named, those of members where roles are used", async (t) => {
  const { server, connect } = await alone(t, async (events) => stored(events.length), { MSGD_ALLOWED_ROLES: "5" });
  server.sockets.refuse.intents = 1 << 1;
  const answer = await connect();
  assert.ok(!answer.connected);
  assert.match(answer.message, /Message Content Intent and Server Members Intent/);
});

for (const code of [0, 1000, 1001, 4000, 4009]) {
  test(`a connection that ends with ${code === 0 ? "nothing" : code} is renewed, and nothing is lost`, async (t) => {
    const seen: string[] = [];
    const { server, connect, clock, lost } = await alone(t, async (events) => {
      seen.push(...events.map(({ text }) => text));
      return stored(events.length);
    });
    await connect();
    server.say({ content: "before" });
    while (seen.length < 1) await new Promise((resolve) => setImmediate(resolve));
    server.sockets.drop(code);
    await server.until(() => server.sockets.live() === 0);
    if (code !== 1000) server.say({ content: "meanwhile" });
    await renewed(
      clock,
      () => server.sockets.live() === 1 && server.sockets.frames.some(({ op }) => op === (code === 1000 ? 2 : 6)),
    );
    await renewed(clock, () => server.sockets.frames.filter(({ op }) => op === 2 || op === 6).length === 2);
    server.say({ content: "after" });
    while (seen.at(-1) !== "after") await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(seen, code === 1000 ? ["before", "after"] : ["before", "meanwhile", "after"]);
    assert.deepEqual(lost, []);
  });
}

test("a storm of broken connections is met with growing waits, and given up after eight", async (t) => {
  const { server, connect, clock, lost } = await alone(t, async (events) => stored(events.length));
  await connect();
  server.sockets.refuse.connections = true;
  server.sockets.drop(0);
  await renewed(clock, () => lost.length > 0);
  assert.deepEqual(
    lost.map(({ code }) => code),
    ["network"],
  );
});

test("the platform's wish to connect again is followed, and a session that it forgot begins again", async (t) => {
  const { server, connect, clock } = await alone(t, async (events) => stored(events.length));
  await connect();
  server.sockets.send({ op: 7, d: null });
  await renewed(clock, () => resumedBehind(server).length === 1);
  server.sockets.forget();
  server.sockets.send({ op: 9, d: false });
  await renewed(clock, () => server.sockets.frames.filter(({ op }) => op === 2).length === 2);
});

const NONSENSE: readonly unknown[] = [{ op: 10 }, { op: 9 }, { op: 0, t: "READY", s: 1 }, { op: 10, d: null }];

for (const frame of NONSENSE) {
  test(`a frame ${JSON.stringify(frame)} ends the connection and nothing else`, async (t) => {
    const { server, connect, lost } = await alone(t, async (events) => stored(events.length));
    await connect();
    server.sockets.send(frame);
    while (lost.length === 0) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(
      lost.map((fault) => fault.code),
      ["platform_error"],
    );
  });
}

test("frames that say little are passed over", async (t) => {
  const seen: string[] = [];
  const { server, connect, lost } = await alone(t, async (events) => {
    seen.push(...events.map(({ text }) => text));
    return stored(events.length);
  });
  await connect();
  for (const frame of [{}, { op: 0 }, { op: 99 }, { op: 0, t: "MESSAGE_CREATE", s: "x", d: 5 }])
    server.sockets.send(frame);
  server.say({ content: "fine" });
  while (seen.length < 1) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([seen, lost], [["fine"], []]);
});

test("the next process goes on behind what was stored", async (t) => {
  const seen: string[] = [];
  const { server, connect, platform } = await alone(t, async (events) => {
    seen.push(...events.map(({ text }) => text));
    return stored(events.length);
  });
  await connect();
  server.say({ content: "one" });
  while (seen.length < 1) await new Promise((resolve) => setImmediate(resolve));
  await platform.disconnect();
  server.say({ content: "while nobody was there" });
  assert.deepEqual(await connect(), { connected: true });
  while (seen.length < 2) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([seen, resumedBehind(server)], [["one", "while nobody was there"], [3]]);
});

test("an adapter that is let go leaves no socket and no timer, whenever that is", async (t) => {
  const { server, connect, platform } = await alone(t, async (events) => stored(events.length));
  const busy = () => process.getActiveResourcesInfo().filter((one) => one === "Timeout").length;
  const before = busy();
  for (const wait of [0, 1, 3, 6, 10, 20]) {
    const connecting = connect();
    for (let turns = 0; turns < wait; turns++) await new Promise((resolve) => setImmediate(resolve));
    await platform.disconnect();
    await connecting;
    await platform.disconnect();
  }
  await server.until(() => server.sockets.live() === 0);
  assert.equal(busy(), before);
});

test("a connect that is given up ends, and can be made again", async (t) => {
  const { server, connect } = await alone(t, async (events) => stored(events.length));
  server.next("bot", { do: "hang", after: true });
  const control = new AbortController();
  const connecting = connect(control.signal);
  await server.until(() => server.of("bot").length === 1);
  control.abort(new Error("timeout"));
  assert.equal((await connecting).connected, false);
  assert.equal((await connect()).connected, true);
});

const NOT: readonly (readonly [what: string, code: string, prepare: (server: MsgdServer) => void])[] = [
  ["a token that is refused", "auth_failed", (server) => server.next("bot", refused(401, 0, "401: Unauthorized"))],
  ["a platform that is down", "network", (server) => server.next("bot", { do: "drop", after: false })],
  [
    "a platform that answers nonsense",
    "platform_error",
    (server) => server.next("bot", { do: "answer", status: 200, body: "hello" }),
  ],
  [
    "a websocket without encryption elsewhere",
    "platform_error",
    (server) => server.next("bot", gatewayAt("ws://example.org")),
  ],
  [
    "a bot that was connected too often",
    "platform_error",
    (server) => server.next("bot", gatewayAt("wss://example.org", 0)),
  ],
  ["a websocket that is not there", "network", (server) => server.next("bot", gatewayAt("ws://127.0.0.1:1"))],
];

function gatewayAt(url: string, remaining = 9) {
  const session_start_limit = { total: 10, remaining, reset_after: 60_000, max_concurrency: 1 };
  return { do: "answer", status: 200, body: { url, shards: 1, session_start_limit } } as const;
}

for (const [what, code, prepare] of NOT) {
  test(`${what} is ${code}`, async (t) => {
    const { server, connect } = await alone(t, async (events) => stored(events.length));
    prepare(server);
    const answer = await connect();
    assert.deepEqual([answer.connected, !answer.connected && answer.code], [false, code]);
    assert.equal(JSON.stringify(answer).includes("signature"), false);
  });
}

test("a missing package is said with its version and the command that installs it", async (t) => {
  const options: MsgdWorldOptions = { load: () => Promise.reject(new Error("Cannot find module 'discord.js'")) };
  const { reaches } = await msgdWorld(t, options);
  const { error_code, error_message } = await reaches("fatal");
  assert.equal(error_code, "sdk_missing");
  assert.match(error_message ?? "", /discord\.js 14\.28\.1.*npm install discord\.js@14\.28\.1/);
});

test("after a new session the messages of chats that were used lately are read", async (t) => {
  const first = await msgdWorld(t);
  const { server, disk } = first;
  await first.reaches("connected");
  server.say({ content: "one" });
  const [row] = await first.received(1);
  await first.gateway.inbox.admit(row?.seq ?? 0, { sessionKey: "k", joins: false, quietMs: 0 });
  await first.stop();
  server.sockets.forget();
  server.say({ content: "two" });
  server.say({ content: "three" });
  const second = await msgdWorld(t, { disk, server });
  await renewed(second.clock, () => server.sockets.frames.filter(({ op }) => op === 2).length === 2);
  const rows = await second.received(3);
  assert.deepEqual(
    rows.map(({ payload }) => JSON.parse(payload ?? "{}").text),
    ["one", "two", "three"],
  );
  assert.deepEqual(
    server.of("history").map(({ path }) => path),
    [`/channels/${DIRECT}/messages`],
  );
  assert.equal(second.platform.account, BOT);
});
