import assert from "node:assert/strict";
import { test } from "node:test";
import { proves } from "../../../fixtures/requirements.js";
import { type BoardWorld, DEFAULT, mapConfig, setupBoard, USER } from "../../../fixtures/sim/board-world.js";
import type { SessionId, TaskId } from "../../base/units.js";
import type { Actor } from "../../contracts/board/board.js";
import { boardTools } from "../core/tool-rules.js";
import { boardPort } from "./tool-methods.js";

const VISIBLE: readonly [string, string | undefined, readonly string[], string, string][] = [
  ["a chat session with the toolset", undefined, ["kanban"], "false", "show create link list unblock"],
  ["a chat session without it", undefined, ["file"], "true", ""],
  ["a worker", "alice", [], "false", "show complete block comment heartbeat"],
  ["every worker, when they may create", "alice", [], "true", "show complete block comment heartbeat create link"],
  ["the orchestrator as worker", "boss", [], "orchestrator", "show complete block comment heartbeat create link list"],
  ["another worker beside the orchestrator", "alice", [], "orchestrator", "show complete block comment heartbeat"],
];

for (const [who, profile, toolsets, rule, expected] of VISIBLE) {
  test(`board tools of ${who}`, (t) => {
    proves(t, "tool.kanban.worker-gate", "tool.kanban.orchestrator-gate");
    const config = mapConfig(new Map([["kanban.worker_can_create", rule]]));
    const worker = profile === undefined ? undefined : { profile };
    const names = boardTools({ worker, toolsets, config, orchestrator: "boss" });
    assert.deepEqual(names, expected === "" ? [] : expected.split(" ").map((name) => `kanban_${name}`));
  });
}

const ALL = ["show", "list", "complete", "block", "heartbeat", "comment", "create", "unblock", "link"].map(
  (name) => `kanban_${name}`,
);

async function workerPort(world: BoardWorld, id: TaskId, tools: readonly string[] = ALL) {
  const outcome = await world.board.claim(DEFAULT, id, { profile: "alice", lock: "h:1", by: USER });
  assert.ok(outcome.claimed);
  const actor: Actor = { kind: "worker", name: "whatever it says", claim: outcome.claim };
  return boardPort(world.board, { actor, board: DEFAULT, task: id, tools });
}

test("a worker shows, comments, beats and completes its own task through the tools", async (t) => {
  const world = setupBoard(t, { settings: { "kanban.worker_can_create": "true" } });
  const { task } = await world.board.create(DEFAULT, { title: "mine", body: "do it" }, USER);
  const port = await workerPort(world, task.id);
  const shown = await port.call("show", {});
  assert.match(String(shown["worker_context"]), /^# Kanban task t_\w+: mine/);
  await port.call("comment", { text: "half way" });
  const [comment] = (await world.board.show(DEFAULT, task.id)).comments;
  assert.deepEqual(
    [comment?.author, comment?.author_kind],
    ["alice", "worker"],
    "the author is the profile of the run",
  );
  assert.equal((await port.call("heartbeat", { note: "on it" }))["ok"], true);
  const made = await port.call("create", { title: "follow-up", assignee: "bob" });
  assert.equal((await world.board.task(DEFAULT, made["task_id"] as TaskId)).created_by, "alice");
  const done = await port.call("complete", { summary: "did it", created_cards: [made["task_id"]] });
  assert.equal(done["ok"], true);
  await assert.rejects(() => port.call("complete", { summary: "again" }), { code: "E_CLAIM_LOST" });
});

test("a worker is refused other tasks, other boards and hidden tools", async (t) => {
  const world = setupBoard(t);
  const { task } = await world.board.create(DEFAULT, { title: "mine" }, USER);
  const { task: other } = await world.board.create(DEFAULT, { title: "other" }, USER);
  const port = await workerPort(world, task.id, ["kanban_show", "kanban_complete", "kanban_block", "kanban_comment"]);
  await assert.rejects(() => port.call("complete", { task_id: other.id, summary: "x" }), { code: "E_NOT_OWNER" });
  await assert.rejects(() => port.call("show", { board: "elsewhere" }), { code: "E_NOT_OWNER" });
  await assert.rejects(() => port.call("create", { title: "x" }), { code: "E_NOT_OWNER" });
  await assert.rejects(() => port.call("block", {}), { code: "E_INVALID_PARAMS" });
  assert.equal((await port.call("comment", { task_id: other.id, text: "see this" }))["ok"], true);
});

test("a worker that may not extend the graph is refused by the board itself, whatever its tools and its name say", async (t) => {
  const settings = { "kanban.worker_can_create": "orchestrator", "kanban.orchestrator_profile": "bob" };
  const world = setupBoard(t, { settings });
  const { task } = await world.board.create(DEFAULT, { title: "mine" }, USER);
  const port = await workerPort(world, task.id); // of profile alice
  await assert.rejects(() => port.call("create", { title: "x", assignee: "bob" }), { code: "E_NOT_OWNER" });
  await assert.rejects(() => port.call("link", { parent_id: task.id, child_id: task.id.replace(/.$/, "0") }), {
    code: "E_NOT_OWNER",
  });
  world.settings.set("kanban.orchestrator_profile", "alice");
  assert.equal((await port.call("create", { title: "x", assignee: "bob" }))["ok"], true);
  world.settings.set("kanban.orchestrator_profile", "nobody");
  await assert.rejects(() => port.call("create", { title: "y", assignee: "bob" }), { code: "E_NOT_OWNER" });
});

test("a run makes at most 50 tasks", async (t) => {
  const world = setupBoard(t, { settings: { "kanban.worker_can_create": "true" } });
  const { task } = await world.board.create(DEFAULT, { title: "mine" }, USER);
  const port = await workerPort(world, task.id);
  for (let n = 0; n < 50; n++) await port.call("create", { title: `${n}`, assignee: "bob" });
  await assert.rejects(() => port.call("create", { title: "one more", assignee: "bob" }), { code: "E_TOO_LARGE" });
});

test("a task made in a chat tells that chat, and is of its conversation, profile and tenant", async (t) => {
  const { board } = setupBoard(t);
  const origin = { platform: "msgt", chat_id: "5", thread_id: "7", user_id: "u1" };
  const caller = {
    actor: { kind: "agent", name: "boss" } as const,
    board: DEFAULT,
    tools: ALL,
    tenant: "acme",
    origin,
  };
  const port = boardPort(board, { ...caller, session: "20260101_000000_abcdef" as SessionId });
  const { task_id } = await port.call("create", { title: "from a chat", assignee: "bob" });
  const { task, subscriptions } = await board.show(DEFAULT, task_id as TaskId); // the tool answers with ids
  assert.deepEqual([task.created_by, task.session_id, task.tenant], ["boss", "20260101_000000_abcdef", "acme"]);
  const [one] = subscriptions;
  assert.deepEqual(
    [subscriptions.length, one?.platform, one?.chat_id, one?.thread_id, one?.user_id],
    [1, "msgt", "5", "7", "u1"],
  );
});

test("a shown task is cut before it pushes its context out of the answer", async (t) => {
  const world = setupBoard(t);
  const { task } = await world.board.create(DEFAULT, { title: "mine", body: "b".repeat(100_000) }, USER);
  for (let n = 0; n < 40; n++) await world.board.comment(DEFAULT, task.id, `${n} ${"c".repeat(20_000)}`, USER);
  const shown = await (await workerPort(world, task.id)).call("show", {});
  assert.ok(JSON.stringify(shown).length < 200_000);
  assert.match(String(shown["worker_context"]), /\(10 older comments omitted\)/);
});

test("a completion that names cards no one made changes nothing but an event", async (t) => {
  const world = setupBoard(t);
  const { task } = await world.board.create(DEFAULT, { title: "mine" }, USER);
  const port = await workerPort(world, task.id);
  await assert.rejects(() => port.call("complete", { summary: "x", created_cards: ["t_00000bad"] }), {
    code: "E_PHANTOM_CARDS",
  });
  const view = await world.board.show(DEFAULT, task.id);
  assert.equal(view.task.status, "running");
  assert.equal(view.events.at(-1)?.kind, "completion_blocked_hallucination");
});
