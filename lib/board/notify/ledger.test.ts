import assert from "node:assert/strict";
import { test } from "node:test";
import { proves } from "../../../fixtures/requirements.js";
import { type BoardWorld, DEFAULT, setupBoard, USER } from "../../../fixtures/sim/board-world.js";
import { forgetDeliveries, inheritSubscriptions } from "../../../storage/tables/board/subscriptions.js";
import type { TaskId } from "../../base/units.js";
import type { Actor } from "../../contracts/board/board.js";
import type { Subscribing } from "../../contracts/board/notify.js";

const CHAT = { platform: "msgt", chat_id: "5" };

const make = async ({ board }: BoardWorld, more: object = {}): Promise<TaskId> =>
  (await board.create(DEFAULT, { title: "one", ...more }, USER)).task.id;

const subscribe = async ({ board }: BoardWorld, params: Partial<Subscribing>) =>
  (await board.subscribe(DEFAULT, { ...CHAT, ...params }, USER)).subscription;

/** Kinds of the events that are owed, in order. */
async function owed({ board }: BoardWorld, subscription?: number): Promise<readonly string[]> {
  const events = await board.eventsAfter(DEFAULT, 0, 1000);
  return (await board.deliveries(DEFAULT, subscription)).map(
    (row) => events.find((event) => event.id === row.event_id)?.kind ?? "?",
  );
}

async function fail({ board }: BoardWorld, id: TaskId, code = 1): Promise<void> {
  const outcome = await board.claim(DEFAULT, id, { profile: "default", lock: "h:1", by: USER });
  assert.ok(outcome.claimed);
  await board.settle({ board: DEFAULT, task: id, run: outcome.claim.run, observed: { how: "exit", code } });
}

test("a subscription hears of what comes and of nothing that was", async (t) => {
  proves(t, "board.notify.subscription");
  const world = setupBoard(t);
  const id = await make(world);
  await world.board.block(DEFAULT, id, { reason: "before" }, USER);
  const { last_event_id } = await subscribe(world, { task: id });
  assert.equal(last_event_id, await world.board.lastEvent(DEFAULT));
  assert.deepEqual(await owed(world), []);
  await world.board.unblock(DEFAULT, id, {}, USER);
  await world.board.block(DEFAULT, id, { reason: "after" }, USER);
  assert.deepEqual(await owed(world), ["blocked"]);
});

test("a crash below the limit is owed, and the one that blocks the task is owed as giving up alone", async (t) => {
  const world = setupBoard(t);
  const id = await make(world);
  await subscribe(world, { task: id });
  await fail(world, id);
  assert.deepEqual(await owed(world), ["crashed"]);
  await fail(world, id);
  assert.deepEqual(await owed(world), ["crashed", "gave_up"]);
});

test("who asked for crashes alone hears of the last one too", async (t) => {
  const world = setupBoard(t);
  const id = await make(world);
  await subscribe(world, { task: id, kinds: ["crashed"] });
  await fail(world, id);
  await fail(world, id);
  assert.deepEqual(await owed(world), ["crashed", "crashed"]);
});

test("a worker that ends without a word is owed as a protocol violation", async (t) => {
  const world = setupBoard(t);
  const id = await make(world);
  await subscribe(world, { task: id });
  await fail(world, id, 0);
  assert.deepEqual(await owed(world), ["protocol_violation"]);
});

test("archiving what is not finished is owed, archiving what is done is not", async (t) => {
  const world = setupBoard(t);
  const open = await make(world);
  const done = await make(world);
  const { id } = await subscribe(world, {});
  await world.board.complete(DEFAULT, done, {}, USER);
  for (const task of [open, done]) await world.board.archive(DEFAULT, task, USER);
  assert.deepEqual(await owed(world, id), ["completed", "archived"]);
});

test("a subscription to the board hears of every task, one to a tenant of its tasks alone", async (t) => {
  const world = setupBoard(t);
  const all = await subscribe(world, { chat_id: "all" });
  const some = await subscribe(world, { chat_id: "some", tenant: "blue" });
  const tasks = [await make(world), await make(world, { tenant: "blue" }), await make(world, { tenant: "red" })];
  for (const id of tasks) await world.board.complete(DEFAULT, id, {}, USER);
  assert.deepEqual(await owed(world, all.id), ["completed", "completed", "completed"]);
  assert.deepEqual(await owed(world, some.id), ["completed"]);
  assert.deepEqual(
    (await world.board.subscriptions(DEFAULT)).map((one) => one.ended),
    [false, false],
  );
});

test("kinds of its own take the place of the usual set, creation included", async (t) => {
  const world = setupBoard(t);
  await subscribe(world, { kinds: ["created", "commented"] });
  const id = await make(world);
  await world.board.comment(DEFAULT, id, "hi", USER);
  await world.board.complete(DEFAULT, id, {}, USER);
  assert.deepEqual(await owed(world), ["created", "commented"]);
});

test("a subscription ends with its task and waits only for what is owed; reopening does not bring it back", async (t) => {
  const world = setupBoard(t);
  const told = await make(world);
  const silent = await make(world);
  await subscribe(world, { task: told });
  await subscribe(world, { task: silent, kinds: ["blocked"] });
  for (const id of [told, silent]) await world.board.complete(DEFAULT, id, {}, USER);
  const [left, ...more] = await world.board.subscriptions(DEFAULT);
  assert.deepEqual([left?.task_id, left?.ended, left?.waiting, more.length], [told, true, 1, 0]);
  await world.board.reopen(DEFAULT, told, {}, USER);
  await world.board.complete(DEFAULT, told, {}, USER);
  assert.deepEqual(await owed(world), ["completed"]);
});

test("a rejected task is not over: its subscription goes on", async (t) => {
  const world = setupBoard(t);
  const id = await make(world);
  await subscribe(world, { task: id });
  await world.board.complete(DEFAULT, id, { verdict: "rejected" }, USER);
  await world.board.reopen(DEFAULT, id, {}, USER);
  await world.board.complete(DEFAULT, id, {}, USER);
  assert.deepEqual(await owed(world), ["completed", "completed"]);
});

test("subscribing again changes the row, and revives one that has ended", async (t) => {
  const world = setupBoard(t);
  const id = await make(world);
  const first = await subscribe(world, { task: id });
  const second = await subscribe(world, { task: id, kinds: ["commented"], user_id: "u", artifacts: false });
  assert.deepEqual([second.id, second.kinds, second.user_id, second.artifacts], [first.id, ["commented"], "u", false]);
  await subscribe(world, { task: id });
  await world.board.complete(DEFAULT, id, {}, USER);
  const again = await world.board.subscribe(DEFAULT, { ...CHAT, task: id }, USER);
  assert.deepEqual([again.created, again.subscription.ended, again.warnings.length], [false, false, 1]);
  assert.equal(again.subscription.last_event_id, await world.board.lastEvent(DEFAULT));
});

test("children inherit the subscriptions of their root, and hear of nothing that was", async (t) => {
  const world = setupBoard(t);
  const root = await make(world);
  const child = await make(world);
  await subscribe(world, { task: root, kinds: ["completed"], user_id: "u" });
  await (await world.store()).write("t", (tx) => inheritSubscriptions(tx, root, [child], 7));
  const [own] = await world.board.subscriptions(DEFAULT, child);
  assert.deepEqual([own?.inherited_from, own?.kinds, own?.user_id, own?.created_at], [root, ["completed"], "u", 7]);
  await world.board.complete(DEFAULT, child, {}, USER);
  assert.deepEqual(await owed(world, own?.id), ["completed"]);
});

test("a deleted task is owed to no one", async (t) => {
  const world = setupBoard(t);
  const gone = await make(world);
  const kept = await make(world);
  const { id } = await subscribe(world, {});
  await subscribe(world, { task: gone });
  for (const task of [gone, kept]) await world.board.block(DEFAULT, task, {}, USER);
  await (await world.store()).write("t", (tx) => forgetDeliveries(tx, gone));
  assert.deepEqual(
    (await world.board.subscriptions(DEFAULT)).map((one) => one.id),
    [id],
  );
  assert.deepEqual(await owed(world), ["blocked"]);
});

test("unsubscribing takes back what is owed; a second time there is nothing", async (t) => {
  const world = setupBoard(t);
  const id = await make(world);
  await subscribe(world, { task: id });
  await world.board.block(DEFAULT, id, {}, USER);
  assert.equal(await world.board.unsubscribe(DEFAULT, { ...CHAT, task: id }, USER), true);
  assert.deepEqual(await owed(world), []);
  assert.equal(await world.board.unsubscribe(DEFAULT, { ...CHAT, task: id }, USER), false);
});

test("the chat that a task is made from hears of it from its first event on, also when a key names an older task", async (t) => {
  const world = setupBoard(t);
  const id = await make(world, { origin: { ...CHAT, user_id: "u" }, idempotency_key: "k" });
  await world.board.block(DEFAULT, id, {}, USER);
  assert.deepEqual(await owed(world), ["blocked"]);
  assert.equal(await make(world, { origin: { ...CHAT, chat_id: "6" }, idempotency_key: "k" }), id);
  assert.deepEqual(
    (await world.board.show(DEFAULT, id)).subscriptions.map((one) => `${one.chat_id} ${one.user_id}`),
    ["5 u", "6 null"],
  );
});

test("a worker may not change who is told", async (t) => {
  const world = setupBoard(t);
  const id = await make(world);
  const outcome = await world.board.claim(DEFAULT, id, { profile: "default", lock: "h:1", by: USER });
  assert.ok(outcome.claimed);
  const by: Actor = { kind: "worker", name: "w", claim: outcome.claim };
  await assert.rejects(world.board.subscribe(DEFAULT, { ...CHAT, task: id }, by), { code: "E_NOT_OWNER" });
  await assert.rejects(world.board.unsubscribe(DEFAULT, { ...CHAT, task: id }, by), { code: "E_NOT_OWNER" });
});

test("commits that no subscription hears of are no reason to look for messages", async (t) => {
  const world = setupBoard(t);
  let told = 0;
  const silence = world.board.onOwed(() => {
    told += 1;
  });
  t.after(silence);
  const during = async (work: () => Promise<unknown>) => {
    const before = told;
    await work();
    return told - before;
  };
  const id = await make(world);
  assert.equal(told, 1); // no one has looked yet, so no one knows
  await subscribe(world, { task: id });
  assert.equal(await world.board.oldestOwed(DEFAULT), undefined);
  assert.equal(await during(() => make(world)), 0);
  assert.equal(await during(() => world.board.block(DEFAULT, id, { reason: "a" }, USER)), 1);
  await world.board.subscribe(DEFAULT, { ...CHAT, kinds: ["created"] }, USER);
  await world.board.oldestOwed(DEFAULT);
  assert.equal(await during(() => make(world)), 1);
});
