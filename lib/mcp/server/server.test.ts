import assert from "node:assert/strict";
import { test } from "node:test";
import { fakeServer, returnsHeld } from "../../../fixtures/mcp/door.js";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { nextTurn } from "../../base/async/next-turn.js";
import { silentLog } from "../../base/log/log.js";
import { McpConnectError } from "../../contracts/mcp/connection.js";
import { mcpEntrySchema } from "../../contracts/mcp/entry.js";
import { createServer } from "./server.js";

/** Servers report one change several times; this long after the last report, the lists are read. */
const SETTLE_MS = 200;
const IDLE_MS = 60_000;

/** A server that is stopped when no one has called it for a minute. */
function setup() {
  const clock = manualClock();
  const fake = fakeServer();
  const server = createServer({
    name: "one",
    entry: mcpEntrySchema.parse({ command: "one", idle_minutes: 1 }),
    clock,
    log: silentLog,
    door: fake.door,
    asked: { elicit: async () => ({ action: "decline" }) },
    listed: () => undefined,
  });
  const open = () => server.open(new AbortController().signal);
  const tools = () => server.lists()?.tools.map(({ name }) => name);
  /** The server has other tools, says so, and says nothing more. */
  const change = async (...names: readonly string[]) => {
    fake.setTools(...names);
    fake.connections.at(-1)?.hooks.changed();
    clock.advance(SETTLE_MS);
    await nextTurn();
  };
  const answer = async (at: number) => {
    fake.reading.waiting[at]?.();
    await nextTurn();
  };
  const call = () => {
    const { signal } = new AbortController();
    return server.request({ method: "tools/call", params: {}, signal, timeoutMs: 1_000, maxMs: 1_000 }, false);
  };
  return { clock, fake, server, open, tools, change, answer, call };
}

test("an answer with older tools that comes late does not replace the newer tools", async () => {
  const { fake, server, open, tools, change, answer } = setup();
  await open();
  fake.reading.hold();
  await change("older");
  await change("newer");
  await answer(1); // where both are asked for at once, the newer answer comes first
  await answer(0);
  await answer(1);
  assert.deepEqual(tools(), ["newer"]);
  assert.deepEqual(fake.written(), ["newer"]);
  await server.stop();
});

test("tools that change during a reading that fails are read again", async () => {
  const { fake, server, open, tools, change, answer } = setup();
  await open();
  fake.reading.hold();
  fake.failLists(new Error("reloading"));
  await change("older");
  fake.failLists(undefined);
  await change("newer");
  await answer(0);
  await answer(1);
  assert.deepEqual(tools(), ["newer"]);
  await server.stop();
});

test("tools that change while they are read for the first time are read again", async () => {
  const { fake, server, open, tools, change, answer } = setup();
  fake.reading.hold();
  const opening = open();
  await nextTurn();
  await change("newer");
  await answer(0);
  await opening;
  assert.deepEqual(tools(), ["first"]);
  await answer(1);
  assert.deepEqual(tools(), ["newer"]);
  await server.stop();
});

test("a server that is stopped while it is closed as unused has ended when stop returns", async () => {
  const { clock, fake, server, open } = setup();
  await open();
  fake.closing.hold();
  clock.advance(IDLE_MS);
  assert.equal(server.status().state, "idle");
  assert.equal(await returnsHeld(server.stop(), fake.closing), false);
  assert.equal(fake.open(), 0);
});

test("a server that is stopped after it ended its connection by itself has ended whole when stop returns", async () => {
  const { fake, server, open } = setup();
  await open();
  fake.closing.hold();
  fake.connections[0]?.end("it ended with exit code 3");
  await nextTurn();
  assert.equal(server.status().state, "reconnecting");
  assert.equal(await returnsHeld(server.stop(), fake.closing), false);
  assert.equal(fake.open(), 0);
});

test("a call that ends after its server was stopped leaves no timer behind", async () => {
  const { clock, fake, server, call } = setup();
  fake.sending.hold();
  const calling = call();
  await nextTurn();
  await server.stop();
  fake.sending.waiting[0]?.();
  await calling;
  assert.equal(clock.waiting, 0);
});

test("a server that cannot be started is shown as failed as long as nothing uses it", async () => {
  const { clock, fake, server, call } = setup();
  fake.refuse(new McpConnectError("missing", "one is not installed"));
  await assert.rejects(call(), /not installed/);
  assert.equal(server.status().state, "failed");
  clock.advance(IDLE_MS);
  assert.equal(server.status().state, "failed");
  await server.stop();
});
