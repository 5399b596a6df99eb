import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { proves } from "../../../fixtures/requirements.js";
import { type BoardWorld, DEFAULT, setupBoard, USER } from "../../../fixtures/sim/board-world.js";
import { bench } from "../../../fixtures/worlds/tool-context.js";
import type { TaskId } from "../../base/units.js";
import type { Actor } from "../../contracts/board/board.js";
import { TOOLS } from "../../tools/index.gen.js";
import { boardPort } from "./tool-methods.js";

const WORKER = ["show", "complete", "block", "heartbeat", "comment"].map((name) => `kanban_${name}`);
const SESSION = ["show", "create", "link", "list", "unblock"].map((name) => `kanban_${name}`);

type Call = (name: string, args?: Readonly<Record<string, unknown>>) => Promise<Record<string, unknown>>;

/** The board tools as a model calls them: found by name, with arguments of their own schema. */
function caller(t: TestContext, board: ReturnType<typeof boardPort>): Call {
  const { run } = bench(t);
  return async (name, args = {}) => {
    const tool = await TOOLS.find((entry) => entry.name === name)?.load();
    assert.ok(tool, name);
    return JSON.parse((await run(tool, args, { board })).text);
  };
}

/** A worker of a new task. */
async function worker(t: TestContext, world: BoardWorld, title = "mine") {
  const { task } = await world.board.create(DEFAULT, { title }, USER);
  const outcome = await world.board.claim(DEFAULT, task.id, { profile: "alice", lock: "h:1", by: USER });
  assert.ok(outcome.claimed);
  const actor: Actor = { kind: "worker", name: "alice", claim: outcome.claim };
  return {
    id: task.id,
    call: caller(t, boardPort(world.board, { actor, board: DEFAULT, task: task.id, tools: WORKER })),
  };
}

/** A conversation that has the board tools and no task. */
const session = (t: TestContext, world: BoardWorld) =>
  caller(t, boardPort(world.board, { actor: { kind: "agent", name: "boss" }, board: DEFAULT, tools: SESSION }));

test("a worker sees its own task, with the comments of others, without naming it", async (t) => {
  proves(t, "tool.kanban-show", "board.comment.shown-to-worker");
  const world = setupBoard(t);
  const { id, call } = await worker(t, world);
  await world.board.comment(DEFAULT, id, "use the blue one", { kind: "human", name: "carol" });
  const shown = await call("kanban_show");
  assert.match(String(shown["worker_context"]), new RegExp(`^# Kanban task ${id}: mine`));
  assert.match(String(shown["worker_context"]), /carol[^\n]*\n+use the blue one/);
  assert.match(JSON.stringify(shown["comments"]), /"author":"carol".*"text":"use the blue one"/);
});

test("a worker completes its task with summary and metadata", async (t) => {
  proves(t, "tool.kanban-complete");
  const world = setupBoard(t);
  const { id, call } = await worker(t, world);
  assert.equal((await call("kanban_complete", { summary: "did it", metadata: { n: 1 } }))["ok"], true);
  const [run] = await world.board.runs(DEFAULT, id);
  assert.deepEqual([run?.outcome, run?.summary, run?.metadata], ["completed", "did it", { n: 1 }]);
  assert.equal((await world.board.task(DEFAULT, id)).status, "done");
});

test("a worker blocks its task with a reason", async (t) => {
  proves(t, "tool.kanban-block");
  const world = setupBoard(t);
  const { id, call } = await worker(t, world);
  await call("kanban_block", { reason: "which colour?" });
  const task = await world.board.task(DEFAULT, id);
  assert.deepEqual([task.status, task.block_reason], ["blocked", "which colour?"]);
});

test("a worker says that it lives, with a note, and its lease is longer", async (t) => {
  proves(t, "tool.kanban-heartbeat");
  const world = setupBoard(t);
  const { id, call } = await worker(t, world);
  const before = (await world.board.task(DEFAULT, id)).claim_expires ?? 0;
  world.clock.advance(60_000);
  await call("kanban_heartbeat", { note: "half way" });
  const { task, events } = await world.board.show(DEFAULT, id);
  assert.equal(task.claim_expires, before + 60);
  assert.deepEqual([events.at(-1)?.kind, events.at(-1)?.payload["note"]], ["heartbeat", "half way"]);
});

test("a worker comments on its task", async (t) => {
  proves(t, "tool.kanban-comment");
  const world = setupBoard(t);
  const { id, call } = await worker(t, world);
  await call("kanban_comment", { text: "found two" });
  const { comments } = await world.board.show(DEFAULT, id);
  assert.deepEqual(
    comments.map(({ author, text }) => [author, text]),
    [["alice", "found two"]],
  );
});

test("a conversation makes tasks with title, body, assignee, parents and skills", async (t) => {
  proves(t, "tool.kanban-create");
  const world = setupBoard(t);
  const call = session(t, world);
  const parent = await call("kanban_create", { title: "first", assignee: "alice" });
  const given = { title: "second", body: "all of it", assignee: "bob", parents: [parent["task_id"]], skills: ["maps"] };
  const made = await call("kanban_create", given);
  const task = await world.board.task(DEFAULT, made["task_id"] as TaskId); // the tool answers with ids
  assert.deepEqual([task.title, task.body, task.assignee, task.parents, task.skills], Object.values(given));
  assert.equal(task.status, "todo");
});

test("a conversation links a parent and a child", async (t) => {
  proves(t, "tool.kanban-link");
  const world = setupBoard(t);
  const call = session(t, world);
  const parent = await call("kanban_create", { title: "a", assignee: "bob" });
  const child = await call("kanban_create", { title: "b", assignee: "bob" });
  await call("kanban_link", { parent_id: parent["task_id"], child_id: child["task_id"] });
  const task = await world.board.task(DEFAULT, child["task_id"] as TaskId); // the tool answers with ids
  assert.deepEqual([task.parents, task.status], [[parent["task_id"]], "todo"]);
});

test("a conversation lists and unblocks tasks, a worker does neither", async (t) => {
  proves(t, "tool.kanban-list-unblock");
  const world = setupBoard(t);
  const call = session(t, world);
  const { task_id } = await call("kanban_create", { title: "stuck", assignee: "bob", initial_status: "blocked" });
  const listed = await call("kanban_list", { status: ["blocked"] });
  assert.match(JSON.stringify(listed["tasks"]), new RegExp(`"id":"${task_id}"`));
  const { call: asWorker } = await worker(t, world);
  for (const name of ["kanban_list", "kanban_unblock"])
    assert.equal((await asWorker(name, { task_id }))["code"], "E_NOT_OWNER");
  await call("kanban_unblock", { task_id });
  assert.equal((await world.board.task(DEFAULT, task_id as TaskId)).status, "ready"); // the tool answers with ids
});
