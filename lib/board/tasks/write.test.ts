import assert from "node:assert/strict";
import { test } from "node:test";
import { proves } from "../../../fixtures/requirements.js";
import { type BoardWorld, DEFAULT, setupBoard, USER } from "../../../fixtures/sim/board-world.js";
import type { TaskId } from "../../base/units.js";
import type { Task } from "../../contracts/board/board.js";
import type { WriteOptions, WriteParams } from "../../contracts/board/records.js";

const make = async ({ board }: BoardWorld, title: string, more: object = {}): Promise<TaskId> =>
  (await board.create(DEFAULT, { title, ...more }, USER)).task.id;

async function claim({ board }: BoardWorld, id: TaskId) {
  const outcome = await board.claim(DEFAULT, id, { profile: "alice", lock: "host:1", by: USER });
  assert.ok(outcome.claimed);
  return outcome.claim;
}

const write = async ({ board }: BoardWorld, id: TaskId, params: WriteParams, options?: WriteOptions): Promise<Task> =>
  (await board.write(DEFAULT, id, { ...params, ...options }, USER)).task;

test("running is never written", async (t) => {
  const world = setupBoard(t);
  const id = await make(world, "one");
  await assert.rejects(write(world, id, { status: "running" }), {
    code: "E_INVALID",
    message: "status running can only be set by a claim",
  });
});

test("a change that expects another status or version changes nothing", async (t) => {
  const world = setupBoard(t);
  const id = await make(world, "one");
  await write(world, id, { title: "two" });
  await assert.rejects(write(world, id, { title: "x" }, { expected_version: 1 }), { code: "E_CONFLICT" });
  await assert.rejects(write(world, id, { status: "blocked", title: "x" }, { expected_status: "todo" }), {
    code: "E_CONFLICT",
  });
  assert.deepEqual(
    [(await world.board.task(DEFAULT, id)).title, (await world.board.task(DEFAULT, id)).status],
    ["two", "ready"],
  );
  assert.equal(
    (await write(world, id, { status: "blocked" }, { expected_status: "ready", expected_version: 2 })).status,
    "blocked",
  );
});

test("fields and status come together or not at all", async (t) => {
  const world = setupBoard(t);
  const parent = await make(world, "parent");
  const id = await make(world, "child", { parents: [parent] });
  await assert.rejects(write(world, id, { title: "t2", status: "ready" }), {
    code: "E_PARENTS_OPEN",
    message: new RegExp(parent),
  });
  assert.equal((await world.board.task(DEFAULT, id)).title, "child");
  const task = await write(world, id, { title: "t2", status: "ready" }, { force: true });
  assert.deepEqual([task.title, task.status, task.ignored_parents], ["t2", "ready", [parent]]);
});

test("a bad field stops no worker", async (t) => {
  const world = setupBoard(t);
  const id = await make(world, "one");
  await claim(world, id);
  await assert.rejects(write(world, id, { status: "done", title: " " }), { code: "E_INVALID" });
  await assert.rejects(write(world, id, { status: "done", workspace_kind: "scratch" }), { code: "E_STATE" });
  assert.equal(world.stopper.stopped.length, 0);
});

test("a running task that is written done keeps the handoff that came with it", async (t) => {
  const world = setupBoard(t);
  const id = await make(world, "one");
  await claim(world, id);
  const given = { summary: "s", result: "r", metadata: { n: 1 }, verdict: "rejected", assignee: "bob" } as const;
  const task = await write(world, id, { status: "done", ...given });
  const [run] = await world.board.runs(DEFAULT, id);
  assert.deepEqual([task.status, task.result, task.verdict, task.assignee], ["done", "r", "rejected", "bob"]);
  assert.deepEqual(
    [run?.summary, run?.metadata, run?.outcome, world.stopper.stopped.length],
    ["s", { n: 1 }, "completed", 1],
  );
});

test("todo from a running task stops the worker and holds the task, which ready lifts", async (t) => {
  const world = setupBoard(t);
  const id = await make(world, "one");
  await claim(world, id);
  const held = await write(world, id, { status: "todo" });
  const [run] = await world.board.runs(DEFAULT, id);
  assert.deepEqual(
    [held.status, held.hold, run?.outcome, run?.end_reason],
    ["todo", true, "reclaimed", "status_write"],
  );
  await world.board.promoteAll(DEFAULT);
  const freed = await write(world, id, { status: "ready" });
  assert.deepEqual([freed.status, freed.hold], ["ready", false]);
});

test("todo with an open parent is not held: it goes on by itself", async (t) => {
  const world = setupBoard(t);
  const parent = await make(world, "parent");
  const id = await make(world, "child", { parents: [parent] });
  await world.board.block(DEFAULT, id, {}, USER);
  const task = await write(world, id, { status: "todo" });
  assert.deepEqual([task.status, task.hold, task.block_kind], ["todo", false, null]);
  await world.board.complete(DEFAULT, parent, {}, USER);
  assert.equal((await world.board.task(DEFAULT, id)).status, "ready");
});

test("a waiting or running task is scheduled by a status write, and set free by one", async (t) => {
  proves(t, "board.scheduled.moves-decided");
  const world = setupBoard(t);
  const parent = await make(world, "parent");
  const ready = await make(world, "a");
  const running = await make(world, "b");
  const blocked = await make(world, "c");
  const waiting = await make(world, "d", { parents: [parent] });
  await claim(world, running);
  await world.board.block(DEFAULT, blocked, {}, USER);
  for (const id of [ready, running, blocked, waiting]) {
    assert.equal((await write(world, id, { status: "scheduled" })).status, "scheduled");
  }
  assert.deepEqual(
    [(await write(world, ready, { status: "ready" })).status, (await write(world, blocked, { status: "todo" })).status],
    ["ready", "todo"],
  );
  assert.equal((await write(world, waiting, { status: "todo" })).status, "todo");
});

test("a task out of triage becomes ready only when its parents let it", async (t) => {
  const world = setupBoard(t);
  const parent = await make(world, "parent");
  const id = await make(world, "child", { parents: [parent], triage: true });
  await assert.rejects(write(world, id, { status: "ready" }), { code: "E_PARENTS_OPEN" });
  assert.equal((await write(world, id, { status: "todo" })).status, "todo");
  await write(world, id, { status: "triage" });
  await world.board.complete(DEFAULT, parent, {}, USER);
  assert.equal((await write(world, id, { status: "todo" })).status, "ready");
});

test("a done task with a child at work is reopened by a status only with force, and its child waits again", async (t) => {
  const world = setupBoard(t);
  const parent = await make(world, "parent");
  const child = await make(world, "child", { parents: [parent] });
  await world.board.complete(DEFAULT, parent, {}, USER);
  await claim(world, child);
  await assert.rejects(write(world, parent, { status: "todo" }), { code: "E_CHILD_RUNNING" });
  const { task, demoted } = await world.board.write(DEFAULT, parent, { status: "triage", force: true }, USER);
  assert.deepEqual(
    [task.status, demoted, (await world.board.task(DEFAULT, child)).status],
    ["triage", [child], "todo"],
  );
});

test("out of the archive a task is what it was, and another wish is refused", async (t) => {
  const world = setupBoard(t);
  const id = await make(world, "one");
  await world.board.block(DEFAULT, id, { reason: "why" }, USER);
  await write(world, id, { status: "archived" });
  await assert.rejects(write(world, id, { status: "ready" }), { code: "E_STATE", message: /blocked/ });
  const task = await write(world, id, { status: "blocked", title: "t2" });
  assert.deepEqual([task.status, task.block_reason, task.title], ["blocked", "why", "t2"]);
});

test("the time and the reason of a waiting task may change without a status", async (t) => {
  const world = setupBoard(t);
  const now = world.clock.now() / 1000;
  const id = await make(world, "one");
  await assert.rejects(write(world, id, { scheduled_at: now + 5 }), { code: "E_STATE" });
  await assert.rejects(write(world, id, { block_reason: "x" }), { code: "E_STATE" });
  await write(world, id, { status: "scheduled", scheduled_at: now + 5, block_reason: "later" });
  const moved = await write(world, id, { scheduled_at: now + 50 });
  assert.deepEqual([moved.scheduled_at, moved.block_reason], [now + 50, "later"]);
  const said = await write(world, id, { block_reason: "much later" });
  assert.deepEqual([said.scheduled_at, said.block_reason, said.status], [now + 50, "much later", "scheduled"]);
  await assert.rejects(write(world, id, { status: "scheduled", scheduled_at: now - 5 }), { code: "E_INVALID" });
});

test("a worker writes no status", async (t) => {
  const world = setupBoard(t);
  const id = await make(world, "one");
  const outcome = await world.board.claim(DEFAULT, id, { profile: "alice", lock: "host:1", by: USER });
  assert.ok(outcome.claimed);
  const by = { kind: "worker", name: "alice", claim: outcome.claim } as const;
  await assert.rejects(world.board.write(DEFAULT, id, { status: "done" }, by), { code: "E_NOT_OWNER" });
});

test("when one of two children cannot be stopped, the other is ready again and no failure is counted", async (t) => {
  const world = setupBoard(t);
  const { board, stopper } = world;
  const parent = await make(world, "parent");
  const children = [
    await make(world, "a", { parents: [parent] }),
    await make(world, "b", { parents: [parent] }),
  ].toSorted();
  await board.complete(DEFAULT, parent, {}, USER);
  const claims = [await claim(world, children[0] ?? parent), await claim(world, children[1] ?? parent)];
  stopper.onStop = async () => {
    if (stopper.stopped.length > 1) stopper.answer = "stuck";
  };
  await assert.rejects(board.reopen(DEFAULT, parent, { force: true }, USER), { code: "E_WORKER_STUCK" });
  const [first, second] = await Promise.all(children.map((id) => board.task(DEFAULT, id)));
  assert.deepEqual([first?.status, first?.consecutive_failures, second?.status], ["ready", 0, "running"]);
  assert.equal((await board.task(DEFAULT, parent)).status, "done");
  const left = claims.find((ref) => ref.task === second?.id);
  assert.ok(left !== undefined);
  await board.complete(DEFAULT, left.task, { summary: "s" }, { kind: "worker", name: "alice", claim: left });
});
