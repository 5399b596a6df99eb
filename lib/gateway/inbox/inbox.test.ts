import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { SimDisk } from "../../../fixtures/ports/disk.js";
import { countingIds } from "../../../fixtures/ports/ids.js";
import { gatewayWorld } from "../../../fixtures/sim/gateway-world.js";
import { simMessage } from "../../../fixtures/sim/platform.js";
import { autocommit } from "../../../storage/alone.js";
import type { Store } from "../../../storage/store.js";
import { newestGrant } from "../../../storage/tables/gateway/grants.js";
import { AppError } from "../../base/errors.js";
import { LIMITS } from "../../base/limits.js";
import { silentLog } from "../../base/log/log.js";
import type { Inbound } from "../../contracts/board/platform-tag.js";
import type { NewSend } from "../../contracts/gateway/outbox.js";
import { createOutbox } from "../outbox/outbox.js";
import { DEFAULT_RULES, type GatewayRules } from "../settings/delivery-rules.js";
import { createInbox } from "./inbox.js";

async function setup(t: TestContext, rules: Partial<GatewayRules> = {}) {
  const disk = new SimDisk();
  const clock = manualClock();
  const world = await gatewayWorld({ platforms: [], disk, clock, rules, route: undefined });
  t.after(() => world.stop());
  const take = async (event: Inbound, session = "s", joins = false) => {
    await world.inbox.accept(event);
    const seq = (await world.inbox.received(10)).at(-1)?.seq ?? 0;
    await world.inbox.admit(seq, { sessionKey: session, joins, quietMs: joins ? 600 : 0 });
    return seq;
  };
  return { ...world, disk, clock, take };
}

const event = (id: string, text = "hi") => simMessage("msgt", id, text);
const cursor = (value: string) => ({ platform: "msgt", account: "bot", name: "offset", value }) as const;
const BOT = { platform: "msgt", account: "bot" } as const;

test("an event that comes again is a duplicate, whatever became of it", async (t) => {
  const { inbox } = await setup(t);
  assert.equal(await inbox.accept(event("1")), "accepted");
  assert.equal(await inbox.accept(event("1")), "duplicate");
  const [row] = await inbox.received(10);
  await inbox.finish(row?.seq ?? 0, { state: "ignored" });
  assert.equal(await inbox.accept(event("1")), "duplicate");
  assert.equal(await inbox.accept({ ...event("1"), account: "other" }), "accepted");
  assert.equal(await inbox.accept(simMessage("msgd", "1", "hi")), "accepted");
});

test("a message from its acceptance to its answer keeps no one else out of the store", async (t) => {
  const { store, clock } = await setup(t);
  const bodies: string[] = [];
  const counted: Store = {
    ...store,
    read: (body) => store.read(body).finally(() => bodies.push("read")),
    write: (label, body) => store.write(label, body).finally(() => bodies.push(label)),
  };
  const parts = { store: counted, clock, ids: countingIds(7), rules: DEFAULT_RULES, log: silentLog };
  const outbox = createOutbox(parts);
  const inbox = createInbox({ ...parts, outbox });
  await inbox.accept(event("1"));
  assert.deepEqual(bodies.splice(0), ["inbox.accept"], "the first one of a platform is counted with those before it");
  const target = { platform: "msgt", account: "bot", chatId: "c", threadId: null, replyTo: null } as const;
  const said = (key: string) =>
    ({ kind: "answer", target, payload: { text: "ok", format: "plain", silent: false }, sourceKey: key }) as const;
  await inbox.accept(event("2"));
  const [first, second] = await inbox.received(10);
  assert.equal(await inbox.finish(first?.seq ?? 0, { state: "answered" }, [said("a")]), true);
  assert.equal(await inbox.admit(second?.seq ?? 0, { sessionKey: "s", joins: false, quietMs: 0 }), "waiting");
  const batch = await inbox.next("s");
  assert.ok(batch);
  assert.equal(await inbox.begin(batch, "t1"), true);
  assert.equal(await inbox.end("t1", { state: "answered", reason: null, sends: [said("b")] }), true);
  assert.equal(await outbox.insert([said("a"), said("c")]), 1);
  assert.deepEqual(bodies, []);
});

test("a reply that is stored already takes no right of its chat", async (t) => {
  const { inbox, outbox, store, clock } = await setup(t);
  const target = { platform: "msgt", account: "bot", chatId: "c1", threadId: null, replyTo: null } as const;
  const payload = { text: "ok", format: "plain", silent: false } as const;
  const reply: NewSend = { kind: "reply", via: "reply", target, payload, sourceKey: "command:1" };
  await outbox.insert([reply]);
  await inbox.accept({ ...event("1"), replyGrant: { token: "a", expiresAt: clock.now() + 60_000 } });
  const [row] = await inbox.received(10);
  assert.equal(await inbox.finish(row?.seq ?? 0, { state: "answered" }, [reply]), true);
  const chat = { platform: "msgt", account: "bot", chat_id: row?.chat_id ?? "" };
  assert.equal((await newestGrant(autocommit(store), chat, clock.now()))?.seq, row?.seq);
});

test("an event that comes again soon is a duplicate without a look at the store, and its cursor is stored anyway", async (t) => {
  const { store, clock } = await setup(t);
  const asked: string[] = [];
  const counted: Store = {
    ...store,
    script: (label, steps, events) =>
      store.script(label, steps, events).finally(() => asked.push(`${label} ${steps.length}`)),
  };
  const parts = { store: counted, clock, ids: countingIds(7), rules: DEFAULT_RULES, log: silentLog };
  const inbox = createInbox({ ...parts, outbox: createOutbox(parts) });
  await inbox.accept(event("1"));
  assert.equal(await inbox.accept(event("1")), "duplicate");
  assert.deepEqual(asked.splice(0), []);
  const again = await inbox.acceptBatch([event("1"), event("2"), event("1")], cursor("3"));
  assert.deepEqual(again, { result: "stored", events: ["duplicate", "accepted", "duplicate"] });
  assert.deepEqual(asked.splice(0), ["inbox.accept 2"]);
  assert.deepEqual(await inbox.acceptBatch([event("1")], cursor("4")), { result: "stored", events: ["duplicate"] });
  assert.deepEqual(asked.splice(0), ["inbox.accept 1"]);
  assert.equal(await inbox.cursor(BOT, "offset"), "4");
});

test("an event whose acceptance failed is not known", async (t) => {
  const { store, clock } = await setup(t);
  let full = true;
  const refusing: Store = {
    ...store,
    write: (label, body) => (full ? Promise.reject(new AppError("E_STORE_FULL", "full")) : store.write(label, body)),
  };
  const parts = { store: refusing, clock, ids: countingIds(7), rules: DEFAULT_RULES, log: silentLog };
  const inbox = createInbox({ ...parts, outbox: createOutbox(parts) });
  assert.equal(await inbox.accept(event("1")), "busy");
  full = false;
  assert.equal(await inbox.accept(event("1")), "accepted");
});

test("new rows are told of in the order in which they were given in", async (t) => {
  const { inbox } = await setup(t);
  const told: number[] = [];
  inbox.onArrival((rows) => told.push(...rows.map(({ seq }) => seq)));
  await Promise.all(["1", "2", "3", "2", "4"].map((id) => inbox.accept(event(id))));
  assert.deepEqual(told, [1, 2, 3, 4]);
});

test("fifty copies at once are one row", async (t) => {
  const { inbox, rows } = await setup(t);
  const answers = await Promise.all(Array.from({ length: 50 }, () => inbox.accept(event("1"))));
  assert.equal(answers.filter((answer) => answer === "accepted").length, 1);
  assert.equal((await rows()).inbox.length, 1);
});

test("what can never be taken is refused, and stored nowhere", async (t) => {
  const { inbox, rows } = await setup(t);
  assert.equal(await inbox.accept(event("")), "refused");
  assert.equal(await inbox.accept(event("x".repeat(LIMITS.eventIdChars + 1))), "refused");
  assert.equal(await inbox.accept(event("a\0b")), "refused");
  assert.equal(await inbox.accept(event("a\ud800")), "refused");
  assert.equal(await inbox.accept(event("1", "x".repeat(LIMITS.inboundChars))), "refused");
  assert.equal((await rows()).inbox.length, 0);
});

test("a poll is stored with its cursor, and its events are told apart", async (t) => {
  const { inbox } = await setup(t);
  const events = [event("1"), event("2"), event("1"), event("")];
  assert.deepEqual(await inbox.acceptBatch(events, cursor("3")), {
    result: "stored",
    events: ["accepted", "accepted", "duplicate", "refused"],
  });
  assert.equal(await inbox.cursor(BOT, "offset"), "3");
  assert.deepEqual(await inbox.acceptBatch([], cursor("4")), { result: "stored", events: [] });
  assert.equal(await inbox.cursor(BOT, "offset"), "4");
});

test("a full disk confirms nothing, keeps the old cursor, and takes everything when there is room", async (t) => {
  const { inbox, disk, rows } = await setup(t);
  await inbox.acceptBatch([], cursor("1"));
  disk.faults.fail = (op) => (op.kind === "write" ? "ENOSPC" : undefined);
  assert.equal(await inbox.accept(event("1")), "busy");
  assert.deepEqual(await inbox.acceptBatch([event("1")], cursor("2")), { result: "busy" });
  disk.faults.fail = undefined;
  assert.equal(await inbox.cursor(BOT, "offset"), "1");
  assert.deepEqual(await inbox.acceptBatch([event("1")], cursor("2")), { result: "stored", events: ["accepted"] });
  assert.equal((await rows()).inbox.length, 1);
});

test("above ten thousand open rows of a platform it is busy, a duplicate is not, and another platform neither", async (t) => {
  const { inbox, store } = await setup(t);
  await store.write("fill", async (tx) => {
    const sql = `INSERT INTO inbox (platform, account, event_id, kind, chat_type, received_at, state, updated_at)
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
      SELECT 'msgt', 'bot', 'f' || i, 'message', 'dm', 0, 'received', 0 FROM n`;
    await tx.run(sql, [LIMITS.inboxOpen - 1]);
  });
  assert.equal(await inbox.accept(event("1")), "accepted");
  assert.equal(await inbox.accept(event("2")), "busy");
  assert.deepEqual(await inbox.acceptBatch([event("1"), event("2")], cursor("9")), { result: "busy" });
  assert.equal(await inbox.cursor(BOT, "offset"), undefined);
  assert.equal(await inbox.accept(event("1")), "duplicate");
  assert.equal(await inbox.accept(simMessage("msgd", "2", "hi")), "accepted");
  await inbox.finish(1, { state: "ignored" });
  assert.equal(await inbox.accept(event("2")), "accepted");
  assert.equal(await inbox.accept(event("3")), "busy");
});

test("a session has one turn at a time, and its messages begin in order", async (t) => {
  const { inbox, take } = await setup(t);
  await take(event("1", "one"));
  await take(event("2", "two"));
  const first = await inbox.next("s");
  assert.ok(first);
  assert.equal(first.text, "one");
  assert.equal(await inbox.begin(first, "t1"), true);
  assert.deepEqual(await inbox.ready(10), []);
  const second = await inbox.next("s");
  assert.ok(second);
  assert.equal(await inbox.begin(second, "t2"), false);
  assert.equal(await inbox.end("t1", { state: "answered", reason: null, sends: [] }), true);
  assert.equal(await inbox.begin(first, "t1"), false);
  assert.equal(await inbox.begin(second, "t2"), true);
});

test("messages that belong together wait for the quiet and become one", async (t) => {
  const { inbox, take, clock } = await setup(t);
  await take(event("1", "one"), "s", true);
  clock.advance(500);
  await take(event("2", "two"), "s", true);
  await take({ ...event("3", "three"), source: { ...event("3").source, userId: "else" } }, "s", true);
  const batch = await inbox.next("s");
  assert.equal(batch?.text, "one\ntwo");
  assert.equal(batch?.dueAt, clock.now() + 600);
});

test("the end of a turn stores its messages once, however often it is told", async (t) => {
  const { inbox, take, rows } = await setup(t);
  await take(event("1"));
  const batch = await inbox.next("s");
  assert.ok(batch);
  await inbox.begin(batch, "t1");
  const send: NewSend = {
    kind: "answer",
    target: { ...BOT, chatId: "c1", threadId: null, replyTo: null },
    turn: { id: "t1", seq: 0 },
    payload: { text: "PONG", format: "plain", silent: false },
  };
  assert.equal(await inbox.end("t1", { state: "answered", reason: null, sends: [send] }), true);
  assert.equal(await inbox.end("t1", { state: "failed", reason: "again", sends: [send, send] }), false);
  const { inbox: taken, outbox } = await rows();
  assert.deepEqual([taken[0]?.state, outbox.length], ["answered", 1]);
});

test("the thirty-third message of a session is not admitted", async (t) => {
  const { inbox, take } = await setup(t);
  for (let n = 0; n < LIMITS.waitingPerSession; n++) await take(event(`${n}`));
  await inbox.accept(event("one more"));
  const [row] = await inbox.received(1);
  assert.equal(await inbox.admit(row?.seq ?? 0, { sessionKey: "s", joins: false, quietMs: 0 }), "full");
  assert.equal(await inbox.finish(row?.seq ?? 0, { state: "refused", reason: "queue full" }), true);
});

test("what waited before the first connect is given up only where the user wants it", async (t) => {
  const { inbox, rows, clock } = await setup(t, { backlog: () => "drop" });
  assert.deepEqual(await inbox.connected(BOT), { first: true, at: clock.now() });
  const at = clock.now();
  await inbox.accept({ ...event("old"), backlog: true });
  await inbox.accept(event("new"));
  clock.advance(1000);
  assert.deepEqual(await inbox.connected(BOT), { first: false, at });
  assert.deepEqual(
    (await rows()).inbox.map((row) => row.state),
    ["expired", "received"],
  );
});

test("what is finished is forgotten in time, its key last, and what is open never", async (t) => {
  const { inbox, rows, clock } = await setup(t);
  await inbox.accept(event("1"));
  await inbox.accept(event("2"));
  await inbox.finish(1, { state: "ignored" });
  clock.advance(25 * 3_600_000);
  await inbox.prune();
  assert.deepEqual(
    (await rows()).inbox.map((row) => row.payload === null),
    [true, false],
  );
  assert.equal(await inbox.accept(event("1")), "duplicate");
  clock.advance(30 * 86_400_000);
  await inbox.prune();
  assert.deepEqual(
    (await rows()).inbox.map((row) => row.event_id),
    ["2"],
  );
});
