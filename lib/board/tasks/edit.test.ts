import assert from "node:assert/strict";
import { test } from "node:test";
import { countingIds } from "../../../fixtures/ports/ids.js";
import { type BoardWorld, DEFAULT, setupBoard, USER } from "../../../fixtures/sim/board-world.js";
import type { TaskId } from "../../base/units.js";
import type { Status } from "../../contracts/board/board.js";

const make = async ({ board }: BoardWorld, title: string, more: object = {}): Promise<TaskId> =>
  (await board.create(DEFAULT, { title, ...more }, USER)).task.id;

async function claim({ board }: BoardWorld, id: TaskId) {
  const outcome = await board.claim(DEFAULT, id, { profile: "alice", lock: "host:1", by: USER });
  assert.ok(outcome.claimed);
  return outcome.claim;
}

const statusOf = async ({ board }: BoardWorld, id: TaskId): Promise<Status> => (await board.task(DEFAULT, id)).status;
const lastEvents = async ({ board }: BoardWorld, id: TaskId, count: number) =>
  (await board.show(DEFAULT, id)).events.slice(-count).map(({ kind, payload }) => [kind, payload]);

test("an edit of several fields is one step of the version and one event that names them", async (t) => {
  const world = setupBoard(t);
  const id = await make(world, "one");
  const { task, fields } = await world.board.edit(DEFAULT, id, { title: " t2 ", priority: 3, body: "b" }, USER);
  assert.deepEqual([task.title, task.priority, task.body, task.version], ["t2", 3, "b", 2]);
  assert.deepEqual(fields, ["title", "priority", "body"]);
  assert.deepEqual(await lastEvents(world, id, 2), [
    ["edited", { fields }],
    ["reprioritized", { priority: 3 }],
  ]);
});

test("an edit to what is there already changes nothing, and one without a field is refused", async (t) => {
  const world = setupBoard(t);
  const id = await make(world, "one", { body: "b", skills: ["a"] });
  const { task, fields } = await world.board.edit(
    DEFAULT,
    id,
    { title: "one", body: "b", skills: ["a"], tenant: "" },
    USER,
  );
  assert.deepEqual([fields, task.version], [[], 1]);
  await assert.rejects(world.board.edit(DEFAULT, id, {}, USER), { code: "E_USAGE" });
});

test("empty values clear, and skills are replaced, added and taken away", async (t) => {
  const world = setupBoard(t);
  const { board } = world;
  const more = {
    body: "b",
    tenant: "acme",
    max_retries: 3,
    max_runtime_seconds: 60,
    model_override: "m",
    skills: ["a", "b"],
  };
  const id = await make(world, "one", more);
  const empty = { body: "", tenant: "", max_retries: null, max_runtime_seconds: null, model_override: "" };
  const { task } = await board.edit(DEFAULT, id, { ...empty, add_skills: ["c", "a"], remove_skills: ["b"] }, USER);
  assert.deepEqual(
    [task.body, task.tenant, task.max_retries, task.max_runtime_seconds, task.model_override],
    [null, null, null, null, null],
  );
  assert.deepEqual(task.skills, ["a", "c"]);
  assert.deepEqual((await board.edit(DEFAULT, id, { skills: [] }, USER)).task.skills, []);
  await assert.rejects(board.edit(DEFAULT, id, { add_skills: ["a,b", "terminal"] }, USER), {
    code: "E_INVALID",
    message: /a,b.*terminal/,
  });
});

test("someone else as assignee starts with a clean slate", async (t) => {
  const world = setupBoard(t);
  const id = await make(world, "one", { max_retries: 5 });
  const ref = await claim(world, id);
  await world.board.settle({ board: DEFAULT, task: id, run: ref.run, observed: { how: "exit", code: 1 } });
  const { task, warnings } = await world.board.edit(DEFAULT, id, { assignee: "Nobody-Here" }, USER);
  assert.deepEqual([task.assignee, task.consecutive_failures, task.last_failure_error], ["nobody-here", 0, null]);
  assert.match(warnings.join(), /does not exist/);
  assert.deepEqual((await lastEvents(world, id, 1))[0], ["assigned", { assignee: "nobody-here", previous: null }]);
});

test("while a worker is at it, its assignee and workspace stay and the rest may change", async (t) => {
  const world = setupBoard(t);
  const { board } = world;
  const id = await make(world, "one");
  await claim(world, id);
  await assert.rejects(board.edit(DEFAULT, id, { assignee: "bob" }, USER), { code: "E_RUNNING" });
  await assert.rejects(board.edit(DEFAULT, id, { workspace_kind: "scratch" }, USER), { code: "E_RUNNING" });
  const { task } = await board.edit(DEFAULT, id, { body: "more" }, USER);
  assert.deepEqual([task.status, task.body, world.stopper.stopped.length], ["running", "more", 0]);
});

test("a workspace may change until the first attempt, and another kind keeps nothing of the old one", async (t) => {
  const world = setupBoard(t);
  const { board } = world;
  const id = await make(world, "one", { workspace_kind: "dir", workspace_path: "/tmp/x" });
  await assert.rejects(board.edit(DEFAULT, id, { branch_name: "b" }, USER), { code: "E_INVALID" });
  await assert.rejects(board.edit(DEFAULT, id, { workspace_path: "relative" }, USER), { code: "E_INVALID" });
  await assert.rejects(board.edit(DEFAULT, id, { workspace_kind: "dir" }, USER), {
    code: "E_WORKSPACE",
    message: /no default directory/,
  });
  const { task, fields } = await board.edit(DEFAULT, id, { workspace_kind: "scratch" }, USER);
  assert.deepEqual([task.workspace_kind, task.workspace_path, fields], ["scratch", null, ["workspace"]]);
  await claim(world, id);
  await board.reclaim(DEFAULT, id, undefined, USER);
  await assert.rejects(board.edit(DEFAULT, id, { workspace_kind: "dir", workspace_path: "/tmp/y" }, USER), {
    code: "E_STATE",
  });
});

test("the handoff of a done task may be corrected, and of no other", async (t) => {
  const world = setupBoard(t);
  const { board } = world;
  const id = await make(world, "one");
  await assert.rejects(board.edit(DEFAULT, id, { summary: "s" }, USER), { code: "E_STATE" });
  await board.complete(DEFAULT, id, { summary: "old", metadata: { n: 1 } }, USER);
  const { task, fields } = await board.edit(DEFAULT, id, { summary: "new", metadata: null, result: "r" }, USER);
  const [run, ...others] = await board.runs(DEFAULT, id);
  assert.deepEqual([run?.summary, run?.metadata, task.result, others.length], ["new", null, "r", 0]);
  assert.deepEqual(fields, ["result", "summary", "metadata"]);
});

test("a verdict that turns to rejected takes ready children back, and turned to accepted lets them go", async (t) => {
  const world = setupBoard(t);
  const { board } = world;
  const parent = await make(world, "parent");
  const child = await make(world, "child", { parents: [parent] });
  await board.complete(DEFAULT, parent, {}, USER);
  assert.equal(await statusOf(world, child), "ready");
  const { demoted } = await board.edit(DEFAULT, parent, { verdict: "rejected" }, USER);
  assert.deepEqual([demoted, await statusOf(world, child)], [[child], "todo"]);
  const [kind, payload] = (await lastEvents(world, child, 1))[0] ?? [];
  assert.deepEqual(
    [kind, payload],
    ["status", { status: "todo", reason: "parent_reopened", parent, from: "ready", to: "todo" }],
  );
  assert.equal((await board.runs(DEFAULT, parent))[0]?.verdict, "rejected");
  await board.edit(DEFAULT, parent, { verdict: "accepted" }, USER);
  assert.equal(await statusOf(world, child), "ready");
});

test("a verdict does not take a child from its worker unless it is forced to", async (t) => {
  const world = setupBoard(t);
  const { board } = world;
  const parent = await make(world, "parent");
  const child = await make(world, "child", { parents: [parent] });
  await board.complete(DEFAULT, parent, {}, USER);
  await claim(world, child);
  await assert.rejects(board.edit(DEFAULT, parent, { verdict: "rejected" }, USER), {
    code: "E_CHILD_RUNNING",
    message: new RegExp(child),
  });
  await board.edit(DEFAULT, parent, { verdict: "rejected", force: true }, USER);
  assert.deepEqual([await statusOf(world, child), world.stopper.stopped.length], ["todo", 1]);
  assert.deepEqual((await board.runs(DEFAULT, child))[0]?.outcome, "reclaimed");
});

test("a hold keeps a task where it is until it is lifted", async (t) => {
  const world = setupBoard(t);
  const { board } = world;
  const parent = await make(world, "parent");
  const child = await make(world, "child", { parents: [parent] });
  await board.edit(DEFAULT, child, { hold: true }, USER);
  await board.complete(DEFAULT, parent, {}, USER);
  assert.equal(await statusOf(world, child), "todo");
  await board.edit(DEFAULT, child, { hold: false }, USER);
  assert.equal(await statusOf(world, child), "ready");
});

test("new words for a triage task let automatic decomposition begin again", async (t) => {
  const world = setupBoard(t);
  const id = await make(world, "one", { triage: true });
  const store = await world.store();
  await store.write("test.tried", (tx) =>
    tx.run("UPDATE tasks SET decompose_attempts = 3, decompose_next_at = 99 WHERE id = ?", [id]),
  );
  const { task } = await world.board.edit(DEFAULT, id, { body: "clearer" }, USER);
  assert.deepEqual([task.decompose_attempts, task.decompose_next_at], [0, null]);
});

test("a task is given to someone else in one step, its worker stopped before", async (t) => {
  const world = setupBoard(t);
  const { board } = world;
  const id = await make(world, "one", { assignee: "alice" });
  await claim(world, id);
  await assert.rejects(board.reassign(DEFAULT, id, { assignee: "bob" }, USER), {
    code: "E_RUNNING",
    message: `cannot reassign ${id}: currently running`,
  });
  const { task, reclaimed } = await board.reassign(
    DEFAULT,
    id,
    { assignee: "bob", reclaim: true, reason: "busy" },
    USER,
  );
  assert.deepEqual([task.status, task.assignee, reclaimed, world.stopper.stopped.length], ["ready", "bob", true, 1]);
  const [run] = await board.runs(DEFAULT, id);
  assert.deepEqual([run?.outcome, run?.end_reason], ["reclaimed", "reassigned"]);
});

test("held children of a decomposition are let go together, and those with open parents go on waiting", async (t) => {
  const world = setupBoard(t);
  const { board } = world;
  const root = await make(world, "root");
  const first = await make(world, "first");
  const second = await make(world, "second", { parents: [first] });
  const store = await world.store();
  const held = "UPDATE tasks SET decomposed_from = ?, status = 'todo', hold = 1 WHERE id IN (?, ?)";
  await store.write("test.held", (tx) => tx.run(held, [root, first, second]));
  const dry = await board.promoteChildren(DEFAULT, root, { dryRun: true }, USER);
  assert.deepEqual([dry.released.length, dry.promoted, await statusOf(world, first)], [2, [first], "todo"]);
  const { released, promoted } = await board.promoteChildren(DEFAULT, root, { reason: "go" }, USER);
  assert.deepEqual([new Set(released), promoted], [new Set([first, second]), [first]]);
  assert.deepEqual([await statusOf(world, first), await statusOf(world, second)], ["ready", "todo"]);
  await board.complete(DEFAULT, first, {}, USER);
  assert.equal(await statusOf(world, second), "ready");
});

test("skills that the assignee lacks are said when they are given, and are no obstacle", async (t) => {
  const profiles = {
    exists: () => true,
    names: () => ["alice"],
    toolsets: () => [],
    hasSkill: (_who: string, skill: string) => skill === "maps",
  };
  const world = setupBoard(t, { deps: { profiles } });
  const made = await world.board.create(DEFAULT, { title: "one", assignee: "alice", skills: ["maps", "csv"] }, USER);
  assert.deepEqual(made.warnings, ["profile alice does not have skill csv; its worker starts without it"]);
  const { warnings, task } = await world.board.edit(
    DEFAULT,
    made.task.id,
    { add_skills: ["sql"], remove_skills: ["csv"] },
    USER,
  );
  assert.deepEqual(
    [warnings, task.skills],
    [["profile alice does not have skill sql; its worker starts without it"], ["maps", "sql"]],
  );
});

test("a link that is there is no change, also while the child runs", async (t) => {
  const world = setupBoard(t);
  const parent = await make(world, "parent");
  const child = await make(world, "child", { parents: [parent] });
  await world.board.complete(DEFAULT, parent, {}, USER);
  await claim(world, child);
  assert.equal((await world.board.link(DEFAULT, parent, child, USER)).added, false);
});

test("a list keeps the order of creation within a second, and finds letters of any alphabet whatever their case", async (t) => {
  const world = setupBoard(t, { deps: { ids: { ...countingIds(1), task: descending() } } });
  const made = [
    await make(world, "Über den Wolken"),
    await make(world, "unter"),
    await make(world, "ÜBERALL", { body: "x" }),
  ];
  const listed = async (filter: object) => (await world.board.list(DEFAULT, filter)).map(({ task }) => task.id);
  assert.deepEqual(await listed({}), made);
  assert.deepEqual(await listed({ sort: "created-desc" }), made.toReversed());
  assert.deepEqual(await listed({ search: "über" }), [made[0], made[2]]);
  assert.deepEqual(await listed({ search: "über", limit: 1 }), [made[0]]);
  assert.deepEqual(await listed({ search: "UNTER" }), [made[1]]);
});

/** Ids that grow smaller: their order is not that of creation. */
function descending(): () => TaskId {
  let next = 0x100;
  return () => {
    next -= 1;
    return `t_${next.toString(16).padStart(8, "0")}` as TaskId;
  };
}
