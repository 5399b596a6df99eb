import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../fixtures/ports/clock.js";
import { cuttingProxy } from "../../fixtures/servers/cutting-proxy.js";
import { startBackplane } from "../../fixtures/sim/backplane.js";
import { testSignal } from "../base/process/signal.js";
import type { SubItem } from "./client.js";
import { createReconnectingClient } from "./reconnecting-client.js";

const SCHEDULES = 100;
const OPTIONS = { kind: "test", version: "1" };

test(`events arrive exactly once and in order over cut connections, in ${SCHEDULES} schedules`, async (t) => {
  const owner = await startBackplane(t);
  let cuts = 0;
  for (let seed = 1; seed <= SCHEDULES; seed++) cuts += await schedule(owner, seed);
  assert.ok(cuts > SCHEDULES, `only ${cuts} connections were cut`);
});

/** Random commits, random cuts, a reader of random pace; from a random cursor. */
async function schedule({ home, log }: Awaited<ReturnType<typeof startBackplane>>, seed: number): Promise<number> {
  const random = seeded(seed);
  const proxy = await cuttingProxy(
    join(home.dir, `proxy-${seed}.sock`),
    home.socket,
    () => 100 + Math.floor(random() * 6000),
  );
  const client = createReconnectingClient({ ...home, socket: proxy.path }, OPTIONS);
  const control = new AbortController();
  const start = await log.lastSeq();
  const after = Math.max(start - Math.floor(random() * 200), 0);
  const end = start + 20 + Math.floor(random() * 80);
  const seen: number[] = [];
  const commit = async () => {
    const now = await log.lastSeq();
    const count = Math.min(Math.floor(random() * 12), end - now);
    log.emit(...Array.from({ length: count }, () => ({ payload: { text: "x".repeat(Math.floor(random() * 400)) } })));
    if (now + count < end) setImmediate(() => pending.push(commit()));
    else proxy.calm();
  };
  const pending: Promise<void>[] = [commit()];
  for await (const item of client.subscribe("board:x", { after, signal: control.signal })) {
    assert.equal(item.kind, "events", `seed ${seed}: a reset without reason`);
    if (item.kind === "events") seen.push(...item.events.map(({ seq }) => seq ?? 0));
    if (random() < 0.3) await new Promise((resolve) => setImmediate(resolve));
    if ((seen.at(-1) ?? 0) >= end) control.abort();
  }
  await Promise.all(pending);
  client.close();
  await proxy.close();
  assert.deepEqual(
    seen,
    Array.from({ length: end - after }, (_, at) => after + 1 + at),
    `seed ${seed}`,
  );
  return proxy.cuts;
}

test("a lasting client with a pruned or future cursor is told to read afresh, and goes on from there", async (t) => {
  const { home, log } = await startBackplane(t);
  log.emit({}, {}, {}, {});
  log.prune(2);
  const client = lasting(t, home);
  for (const after of [1, 99]) {
    const control = new AbortController();
    const items = client.subscribe("board:x", { after, signal: control.signal })[Symbol.asyncIterator]();
    const last = await log.lastSeq();
    assert.deepEqual((await items.next()).value, { kind: "reset", lastSeq: last });
    log.emit({});
    const next: SubItem = (await items.next()).value;
    assert.deepEqual(next.kind === "events" && next.events.map(({ seq }) => seq), [last + 1]);
    control.abort();
    assert.equal((await items.next()).done, true);
  }
});

test("a reader that is slower than the events loses none", async (t) => {
  const { client, log } = await startBackplane(t);
  const control = new AbortController();
  const one = await client();
  const seen: number[] = [];
  log.emit({});
  for await (const item of one.subscribe("board:x", { after: 0, signal: control.signal })) {
    if (item.kind === "events") seen.push(...item.events.map(({ seq }) => seq ?? 0));
    if (seen.length === 1) for (let n = 0; n < 1000; n++) await commitAlone(log, one);
    if (seen.length >= 1001) control.abort();
  }
  assert.deepEqual(
    seen,
    seen.map((_, at) => at + 1),
  );
});

test("a lasting client waits for the first owner, and finds the next one after 0.1 s, then after twice as long, up to 5 s", async (t) => {
  const clock = manualClock();
  const first = await startBackplane(t);
  const client = lasting(t, first.home, clock);
  assert.deepEqual(await client.call("echo", { text: "one" }), { text: "one" });
  const lost = testSignal();
  client.onClose(() => lost.emit());
  await first.server.stop(0);
  await lost.next();
  for (const wait of [100, 200, 400, 800, 1600, 3200, 5000]) {
    await clock.waits();
    clock.advance(wait - 1);
    assert.equal(clock.waiting, 1, `tried again before ${wait} ms`);
    clock.advance(1);
  }
  const met = testSignal();
  client.onConnect(() => met.emit());
  await clock.waits();
  await first.server.start();
  clock.advance(5000);
  await met.next();
  assert.equal(client.connected, true);
});

test("a lasting client keeps to the waits that it was given, and to the last of them for ever", async (t) => {
  const clock = manualClock();
  const { home } = await startBackplane(t);
  const nobody = { ...home, socket: `${home.socket}.none` };
  const client = createReconnectingClient(nobody, { kind: "workspace", version: "1", clock, waits: [100, 300, 1_000] });
  t.after(() => client.close());
  for (const wait of [100, 300, 1_000, 1_000]) {
    await clock.waits();
    clock.advance(wait - 1);
    assert.equal(clock.waiting, 1, `tried again before ${wait} ms`);
    clock.advance(1);
  }
});

test("a lost call is sent again only when it cannot happen twice", async (t) => {
  const { home, server, waiting, release } = await startBackplane(t);
  const client = lasting(t, home);
  const calls = [client.call("wait"), client.call("wait", {}, { key: "k" }), client.call("wait", {}, { repeat: true })];
  const settled = Promise.allSettled(calls);
  for (const _call of calls) await waiting.next();
  const stopped = server.stop(0);
  await assert.rejects(calls[0] ?? Promise.resolve(), { code: "E_OWNER_LOST" });
  await stopped;
  await server.start();
  await waiting.next();
  release();
  const results = await settled;
  assert.deepEqual(
    results.map(({ status }) => status),
    ["rejected", "fulfilled", "fulfilled"],
  );
});

test("a greeting comes before every other call of a new connection, one that was lost among them", async (t) => {
  const { home, server, waiting, release } = await startBackplane(t);
  const client = lasting(t, home);
  const lost = client.call("wait", {}, { repeat: true });
  await waiting.next();
  const said: unknown[] = [];
  client.greet(async (call) => said.push(await call("echo", { text: "hello" })));
  client.greet(() => Promise.reject(new Error("its own business")));
  await server.stop(0);
  await server.start();
  await waiting.next();
  assert.deepEqual(said, [{ text: "hello" }]);
  release();
  assert.equal(await lost, "released");
});

test("topics are followed again at the next owner", async (t) => {
  const { home, server, bus } = await startBackplane(t);
  const client = lasting(t, home);
  const heard = testSignal<string>();
  const forget = await client.topics(["session:s"], (delta) => heard.emit(delta.event));
  const met = testSignal();
  await client.call("echo", { text: "" });
  client.onConnect(() => met.emit());
  bus.delta("session:s", { event: "before", at: "", data: {} });
  assert.equal(await heard.next(), "before");
  await server.stop(0);
  await server.start();
  await met.next();
  bus.delta("session:s", { event: "after", at: "", data: {} });
  assert.equal(await heard.next(), "after");
  forget();
});

test("a closed lasting client ends everything that waits for it", async (t) => {
  const { home, server } = await startBackplane(t);
  await server.stop(0);
  const client = lasting(t, home);
  const call = assert.rejects(client.call("echo", { text: "" }), { code: "E_OWNER_LOST" });
  const items = client.subscribe("board:x", { after: 0, signal: new AbortController().signal })[Symbol.asyncIterator]();
  const event = assert.rejects(items.next(), { code: "E_OWNER_LOST" });
  client.close();
  await Promise.all([call, event]);
});

test("a waiting call is given up by its signal", async (t) => {
  const { home, server } = await startBackplane(t);
  await server.stop(0);
  const client = lasting(t, home);
  const control = new AbortController();
  const call = assert.rejects(client.call("echo", { text: "" }, { signal: control.signal }), /enough/);
  control.abort(new Error("enough"));
  await call;
});

function lasting(
  t: TestContext,
  home: Parameters<typeof createReconnectingClient>[0],
  clock?: ReturnType<typeof manualClock>,
) {
  const client = createReconnectingClient(home, clock ? { ...OPTIONS, clock } : OPTIONS);
  t.after(() => client.close());
  return client;
}

async function commitAlone(
  log: { emit(...events: object[]): void },
  client: { call(method: string, params: object): Promise<unknown> },
): Promise<void> {
  log.emit({});
  if ((await client.call("echo", { text: "" })) === undefined) assert.fail("no answer");
}

function seeded(seed: number): () => number {
  let state = seed * 2_654_435_761;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}
