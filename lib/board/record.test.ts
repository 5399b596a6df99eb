import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { proves } from "../../fixtures/requirements.js";
import { type BoardWorld, DEFAULT, setupBoard, USER } from "../../fixtures/sim/board-world.js";
import type { TaskId } from "../base/units.js";
import type { Actor, ClaimRef } from "../contracts/board/board.js";

async function make({ board }: BoardWorld, title: string, more: object = {}): Promise<TaskId> {
  return (await board.create(DEFAULT, { title, ...more }, USER)).task.id;
}

async function claimed({ board }: BoardWorld, id: TaskId): Promise<ClaimRef> {
  const outcome = await board.claim(DEFAULT, id, { profile: "alice", lock: "host:1", by: USER });
  assert.ok(outcome.claimed);
  return outcome.claim;
}

const workerOf = (claim: ClaimRef): Actor => ({ kind: "worker", name: "alice", claim });
const statusOf = async ({ board }: BoardWorld, id: TaskId) => (await board.task(DEFAULT, id)).status;

test("a task keeps its id through everything that happens to it", async (t) => {
  proves(t, "board.task.id");
  const world = setupBoard(t);
  const { board } = world;
  const id = await make(world, "one");
  const other = await make(world, "another");
  assert.match(id, /^t_[0-9a-f]{8}$/);
  assert.notEqual(id, other);
  const steps: (() => Promise<unknown>)[] = [
    () => board.assign(DEFAULT, id, "bob", USER),
    () => board.block(DEFAULT, id, { reason: "r" }, USER),
    () => board.unblock(DEFAULT, id, {}, USER),
    () => claimed(world, id),
    () => board.reclaim(DEFAULT, id, "again", USER),
    () => board.complete(DEFAULT, id, { summary: "s" }, USER),
    () => board.reopen(DEFAULT, id, {}, USER),
    () => board.archive(DEFAULT, id, USER),
    () => board.unarchive(DEFAULT, id, {}, USER),
  ];
  for (const step of steps) {
    await step();
    const { task } = await board.show(DEFAULT, id);
    assert.deepEqual([task.id, task.title], [id, "one"]);
  }
});

test("the reserved columns are there and NULL, and skills are stored as a JSON array", async (t) => {
  proves(t, "board.task.reserved-columns", "board.task.skills");
  const world = setupBoard(t);
  const id = await make(world, "one", { skills: ["b", "a"] });
  const task = await world.board.task(DEFAULT, id);
  assert.deepEqual([task.workflow_template_id, task.current_step_key], [null, null]);
  assert.deepEqual(task.skills, ["b", "a"]);
  const store = await world.store();
  const row = await store.read((q) => q.get<{ skills: string }>("SELECT skills FROM tasks WHERE id = ?", [id]));
  assert.equal(row?.skills, '["b","a"]');
});

test("a list shows the tasks of one tenant when asked for it", async (t) => {
  proves(t, "board.task.tenant");
  const world = setupBoard(t);
  const [mine] = [
    await make(world, "mine", { tenant: "acme" }),
    await make(world, "theirs", { tenant: "other" }),
    await make(world, "none"),
  ];
  assert.equal((await world.board.task(DEFAULT, mine)).tenant, "acme");
  const listed = await world.board.list(DEFAULT, { tenant: "acme" });
  assert.deepEqual(
    listed.map(({ task }) => task.id),
    [mine],
  );
  assert.equal((await world.board.list(DEFAULT, {})).length, 3);
});

const ALLOWANCES = [{ allowance: 1 }, { allowance: 3 }];
for (const { allowance } of ALLOWANCES) {
  test(`a task that allows ${allowance} failures is blocked by the last of them, whatever the setting says`, async (t) => {
    proves(t, "board.task.max-retries");
    const world = setupBoard(t, { settings: { "kanban.failure_limit": 2 } });
    const id = await make(world, "one", { max_retries: allowance });
    for (let failure = 1; failure <= allowance; failure++) {
      assert.equal(await statusOf(world, id), "ready");
      const claim = await claimed(world, id);
      await world.board.settle({ board: DEFAULT, task: id, run: claim.run, observed: { how: "exit", code: 1 } });
    }
    const { task, events } = await world.board.show(DEFAULT, id);
    assert.deepEqual([task.status, task.block_kind], ["blocked", "breaker"]);
    assert.equal(events.at(-1)?.payload["limit_source"], "task");
  });
}

test("a child becomes ready with the last of its parents, not before", async (t) => {
  proves(t, "board.links.parents-first", "board.promote.parents-done");
  const world = setupBoard(t);
  const one = await make(world, "one");
  const two = await make(world, "two");
  const child = await make(world, "child", { parents: [one, two] });
  await world.board.complete(DEFAULT, one, {}, USER);
  await world.board.promoteAll(DEFAULT);
  assert.equal(await statusOf(world, child), "todo");
  const early = await world.board.claim(DEFAULT, child, { profile: "alice", lock: "host:1", by: USER });
  assert.equal(early.claimed, false);
  await world.board.complete(DEFAULT, two, {}, USER);
  assert.equal(await statusOf(world, child), "ready");
});

test("every attempt has a row of its own, with lock, lease, process and heartbeat", async (t) => {
  proves(t, "board.run.one-row-per-attempt");
  const world = setupBoard(t);
  const { board, clock } = world;
  const id = await make(world, "one");
  const first = await claimed(world, id);
  await board.bind(DEFAULT, first, { pid: 77, start: "5", boot: "b", host: "host-1" });
  clock.advance(5_000);
  await board.heartbeat(DEFAULT, id, undefined, workerOf(first));
  const now = clock.now() / 1000;
  const [run] = await board.runs(DEFAULT, id);
  assert.deepEqual([run?.id, run?.claim_lock, run?.worker_pid, run?.last_heartbeat_at], [first.run, "host:1", 77, now]);
  assert.equal(run?.claim_expires, now + board.leaseSeconds());
  await board.reclaim(DEFAULT, id, "again", USER);
  const second = await claimed(world, id);
  const runs = await board.runs(DEFAULT, id);
  assert.deepEqual(
    runs.map((one) => [one.id, one.outcome, one.worker_pid]),
    [
      [first.run, "reclaimed", 77],
      [second.run, null, null],
    ],
  );
});

test("times of a run are whole seconds, its metadata an object, and its status its outcome once it has ended", async (t) => {
  proves(t, "board.run.formats-decided", "board.run.handoff", "board.complete.closes-run");
  const world = setupBoard(t);
  const { board, clock } = world;
  const id = await make(world, "one");
  const claim = await claimed(world, id);
  const [open] = await board.runs(DEFAULT, id);
  assert.deepEqual([open?.status, open?.outcome, open?.ended_at], ["running", null, null]);
  clock.advance(1_500);
  await board.complete(DEFAULT, id, { summary: "did it", metadata: { files: ["a"], n: 2 } }, workerOf(claim));
  const [run] = await board.runs(DEFAULT, id);
  assert.deepEqual([run?.status, run?.outcome, run?.summary], ["completed", "completed", "did it"]);
  assert.deepEqual(run?.metadata, { files: ["a"], n: 2 });
  assert.equal(run?.ended_at, Math.floor(clock.now() / 1000));
  assert.ok(Number.isInteger(run?.started_at));
  assert.deepEqual([run?.claim_lock, run?.claim_expires], [null, null]);
  assert.equal(await statusOf(world, id), "done");
});

test("a worker that blocks its task ends its run and leaves the reason", async (t) => {
  proves(t, "board.block.reason");
  const world = setupBoard(t);
  const id = await make(world, "one");
  const claim = await claimed(world, id);
  await world.board.block(DEFAULT, id, { reason: "which colour?" }, workerOf(claim));
  const { task, runs, events } = await world.board.show(DEFAULT, id);
  assert.deepEqual([task.status, task.block_reason, task.current_run_id], ["blocked", "which colour?", null]);
  assert.equal(runs[0]?.outcome, "blocked");
  assert.equal(events.at(-1)?.payload["reason"], "which colour?");
});

test("a worker that ends well and has not finished leaves its task blocked, with an event that says so", async (t) => {
  proves(t, "board.protocol-violation");
  const world = setupBoard(t);
  const id = await make(world, "one");
  const claim = await claimed(world, id);
  await world.board.settle({ board: DEFAULT, task: id, run: claim.run, observed: { how: "exit", code: 0 } });
  const { task, runs, events } = await world.board.show(DEFAULT, id);
  assert.deepEqual([task.status, task.block_kind, runs[0]?.outcome], ["blocked", "protocol", "protocol_violation"]);
  assert.equal(events.at(-1)?.kind, "protocol_violation");
});

test("unblocking looks at the parents again and forgets the failures", async (t) => {
  proves(t, "board.unblock.rechecks");
  const world = setupBoard(t);
  const { board } = world;
  const id = await make(world, "child");
  const parent = await make(world, "parent");
  for (let failure = 0; failure < 2; failure++) {
    const claim = await claimed(world, id);
    await board.settle({ board: DEFAULT, task: id, run: claim.run, observed: { how: "exit", code: 1 } });
  }
  assert.deepEqual([await statusOf(world, id), (await board.task(DEFAULT, id)).consecutive_failures], ["blocked", 2]);
  await board.link(DEFAULT, parent, id, USER);
  await board.unblock(DEFAULT, id, {}, USER);
  assert.deepEqual([await statusOf(world, id), (await board.task(DEFAULT, id)).consecutive_failures], ["todo", 0]);
  await board.block(DEFAULT, id, { reason: "r" }, USER);
  await board.complete(DEFAULT, parent, {}, USER);
  assert.equal(await statusOf(world, id), "blocked");
  await board.unblock(DEFAULT, id, {}, USER);
  assert.equal(await statusOf(world, id), "ready");
});

test("unblocking a scheduled task makes it todo while a parent is open, and ready otherwise", async (t) => {
  proves(t, "board.unschedule.rechecks");
  const world = setupBoard(t);
  const later = world.clock.now() / 1000 + 600;
  const parent = await make(world, "parent");
  const waits = await make(world, "waits", { parents: [parent], scheduled_at: later });
  const free = await make(world, "free", { scheduled_at: later });
  for (const id of [waits, free]) {
    assert.equal(await statusOf(world, id), "scheduled");
    await world.board.unblock(DEFAULT, id, {}, USER);
  }
  assert.deepEqual([await statusOf(world, waits), await statusOf(world, free)], ["todo", "ready"]);
});

test("comments have author and text, events a kind and their task", async (t) => {
  proves(t, "board.comment.fields", "board.event.fields");
  const world = setupBoard(t);
  const id = await make(world, "one");
  await world.board.comment(DEFAULT, id, "look here", { kind: "human", name: "carol" });
  const { comments, events } = await world.board.show(DEFAULT, id);
  assert.deepEqual(
    comments.map(({ author, text }) => [author, text]),
    [["carol", "look here"]],
  );
  assert.deepEqual(
    events.map(({ kind, task_id }) => [kind, task_id]),
    [
      ["created", id],
      ["commented", id],
    ],
  );
});

test("each board is one SQLite file under its slug", async (t) => {
  proves(t, "board.file-per-board");
  const world = setupBoard(t, { real: true });
  const { board } = await world.board.createBoard({ slug: "second" }, USER);
  await make(world, "one");
  await world.board.create(board.slug as never, { title: "two" }, USER); // the slug of a listed board
  await world.close();
  for (const path of ["kanban.db", "kanban/boards/second/kanban.db"]) {
    assert.equal(readFileSync(join(world.root, path)).subarray(0, 15).toString(), "SQLite format 3", path);
  }
});
