import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { type TestContext, test } from "node:test";
import { fakeServer, returnsHeld } from "../../fixtures/mcp/door.js";
import { manualClock } from "../../fixtures/ports/clock.js";
import { bench, configOf } from "../../fixtures/worlds/tool-context.js";
import { nextTurn } from "../base/async/next-turn.js";
import { silentLog } from "../base/log/log.js";
import type { SessionId } from "../base/units.js";
import type { Config } from "../contracts/config/config.js";
import { MCP_SERVERS } from "../contracts/mcp/keys.js";
import type { McpPoolParts } from "./parts.js";
import { createPool } from "./pool.js";
import { createSessionServers } from "./session-servers.js";

/** Sessions whose connections are kept. */
const KEPT = 32;

/** Settings with these servers, on a server that holds its end back where a test wants it to. */
function setup(t: TestContext, servers: Readonly<Record<string, unknown>>) {
  const fake = fakeServer();
  const made = bench(t);
  let entries = servers;
  const fixed = configOf({});
  const config: Config = {
    ...fixed,
    get: (key) => (key.key === MCP_SERVERS.key ? (entries as typeof key.default) : fixed.get(key)), // a value of that key's kind
  };
  const parts: McpPoolParts = {
    home: made.context.home,
    clock: manualClock(),
    log: silentLog,
    config,
    env: {},
    door: fake.door,
    redact: (text) => text,
  };
  const configure = (next: Readonly<Record<string, unknown>>) => {
    entries = next;
  };
  return { fake, made, parts, configure };
}

test("a session's connection that made room for another one has ended when stop returns", async (t) => {
  const { fake, made, parts } = setup(t, { own: { command: "own", shared: false } });
  const pool = createPool(parts);
  await pool.reload();
  await pool.find("own")?.begin();
  const tool = await pool.tools()[0]?.load();
  assert.ok(tool);
  const callFrom = (session: string) => made.run(tool, {}, { session: session as SessionId }); // any text is one here
  for (let n = 0; n < KEPT; n++) await callFrom(`s${n}`);
  fake.closing.hold();
  await callFrom("one more");
  const [first] = fake.closing.waiting;
  assert.ok(first);
  let stopped = false;
  const stopping = pool.stop().then(() => {
    stopped = true;
  });
  await nextTurn();
  for (const end of fake.closing.waiting.slice(1)) end();
  await nextTurn();
  assert.equal(stopped, false);
  assert.equal(fake.open(), 1);
  first();
  await stopping;
  assert.equal(fake.open(), 0);
});

test("a server that has left the settings has ended when stop returns", async (t) => {
  const { fake, parts, configure } = setup(t, { gone: { command: "gone" } });
  const pool = createPool(parts);
  await pool.reload();
  await pool.find("gone")?.begin();
  configure({});
  fake.closing.hold();
  const reloading = pool.reload();
  assert.equal(await returnsHeld(pool.stop(), fake.closing), false);
  assert.deepEqual(await reloading, { added: [], removed: ["gone"], changed: [] });
  assert.equal(fake.open(), 0);
});

test("the servers of a front end that has just gone have ended when stop returns", async (t) => {
  const { fake, parts } = setup(t, {});
  const servers = createSessionServers(parts, () => false);
  const front = new AbortController();
  const lineage = "20260329_003000_000001" as SessionId; // the format is what the brand stands for
  await servers.start(lineage, new Map([["brought", { command: "brought" }]]), front.signal);
  await servers.ready(new AbortController().signal);
  assert.equal(fake.open(), 1);
  fake.closing.hold();
  front.abort();
  assert.equal(await returnsHeld(servers.stop(), fake.closing), false);
  assert.equal(fake.open(), 0);
});

test("a turn that has waited for the tools of servers leaves nothing behind at its signal", async (t) => {
  const { parts } = setup(t, { one: { command: "one" } });
  const pool = createPool(parts);
  await pool.reload();
  const { signal } = new AbortController();
  for (let n = 0; n < 2; n++) await pool.ready(signal);
  assert.equal(getEventListeners(signal, "abort").length, 0);
  await pool.ready(AbortSignal.abort(new Error("the turn was interrupted")));
  await pool.stop();
});
