import assert from "node:assert/strict";
import { test } from "node:test";
import { proves } from "../../../fixtures/requirements.js";
import { graphAnswer, setupPlanner } from "../../../fixtures/sim/board-aux.js";
import { type BoardWorld, DEFAULT, USER } from "../../../fixtures/sim/board-world.js";
import type { TaskId } from "../../base/units.js";
import type { NewTask } from "../../contracts/board/api.js";

const make = async (world: BoardWorld, more: Partial<NewTask> = {}) =>
  (await world.board.create(DEFAULT, { title: "big", triage: true, ...more }, USER)).task.id;

const split = async (world: BoardWorld, id: TaskId) => {
  const outcome = await world.board.decompose(DEFAULT, id, {}, USER);
  assert.ok(outcome.ok, outcome.reason);
  return outcome.child_ids ?? [];
};

test("a chain of two: the first may start, the second waits for it, and the root for the second", async (t) => {
  proves(t, "board.decompose.graph", "board.decompose.one-transaction", "orchestration.specify-or-decompose");
  const { world, aux } = setupPlanner(t, {
    said: [
      graphAnswer(
        { title: "first", assignee: "Alice", body: "B1" },
        { title: "second", assignee: "nobody", parents: [0] },
      ),
    ],
    settings: { "kanban.default_assignee": "bob", "kanban.orchestrator_profile": "alice" },
  });
  const id = await make(world, { assignee: "bob" });
  const outcome = await world.board.decompose(DEFAULT, id, {}, USER);
  const [one, two] = outcome.child_ids ?? [];
  assert.ok(one && two);
  const told = {
    task_id: id,
    ok: true,
    reason: "decomposed into 2 children",
    new_title: null,
    fanout: true,
    child_ids: [one, two],
  };
  assert.deepEqual(outcome, told);
  assert.deepEqual(Object.keys(outcome).slice(0, 4), ["task_id", "ok", "reason", "new_title"]);
  const root = await world.board.show(DEFAULT, id);
  assert.deepEqual(
    [root.task.status, root.task.assignee, root.task.parents, root.task.title],
    ["todo", "alice", [two], "big"],
  );
  const first = await world.board.task(DEFAULT, one);
  const second = await world.board.task(DEFAULT, two);
  assert.deepEqual(
    [first.status, first.assignee, first.body, first.created_by, first.decomposed_from],
    ["ready", "alice", "B1", "decomposer", id],
  );
  assert.deepEqual([second.status, second.assignee, second.parents, second.children], ["todo", "bob", [one], [id]]);
  const kinds = root.events.map((event) => event.kind);
  assert.deepEqual(kinds, ["created", "commented", "decomposed", "linked"]);
  assert.deepEqual(root.events[2]?.payload, {
    child_ids: [one, two],
    root_assignee: "alice",
    previous_assignee: "bob",
    from: "triage",
    to: "todo",
  });
  const { events } = await world.board.show(DEFAULT, two);
  assert.deepEqual(
    [events[0]?.payload["by"], events[0]?.payload["from_decompose_of"], events[1]?.kind],
    ["decomposer", id, "linked"],
  );
  const [audit] = root.comments;
  for (const word of [one, two, "@alice", "@bob", "because"]) assert.ok(audit?.text.includes(word), word);
  const [question] = aux.questions;
  assert.deepEqual(
    [question?.slot, question?.temperature, question?.maxOutputTokens],
    ["kanban_decomposer", 0.3, 4000],
  );
  assert.ok(
    question?.user.includes("- default (no description)\n- alice: writes code\n") &&
      question.user.includes("goes to: bob"),
  );
});

test("children done, the root wakes for the orchestrator", async (t) => {
  proves(t, "board.decompose.unknown-assignee", "board.task.assignee", "config.kanban.default-assignee");
  const { world } = setupPlanner(t, {
    said: [graphAnswer({ title: "a", assignee: null }, { title: "b", assignee: "zoe" })],
  });
  const id = await make(world);
  const children = await split(world, id);
  for (const child of children) assert.equal((await world.board.task(DEFAULT, child)).assignee, "default");
  for (const child of children) await world.board.complete(DEFAULT, child, {}, USER);
  const root = await world.board.task(DEFAULT, id);
  assert.deepEqual([root.status, root.assignee], ["ready", "default"]);
});

test("one task is enough: it is specified, and given to someone when it has no one", async (t) => {
  proves(t, "board.decompose.no-fanout");
  const answer = JSON.stringify({ fanout: false, rationale: "small", title: "T", body: "B", assignee: "alice" });
  const { world } = setupPlanner(t, { said: [answer] });
  const id = await make(world);
  const outcome = {
    task_id: id,
    ok: true,
    reason: "single task (no fanout)",
    new_title: "T",
    fanout: false,
    child_ids: null,
  };
  assert.deepEqual(await world.board.decompose(DEFAULT, id, {}, USER), outcome);
  const task = await world.board.task(DEFAULT, id);
  assert.deepEqual(
    [task.status, task.assignee, task.title, task.body, task.children],
    ["ready", "alice", "T", "B", []],
  );
  const kept = await make(world, { assignee: "bob" });
  await world.board.decompose(DEFAULT, kept, {}, USER);
  assert.equal((await world.board.task(DEFAULT, kept)).assignee, "bob");
  const { events } = await world.board.show(DEFAULT, id);
  assert.deepEqual(events.find((event) => event.kind === "specified")?.payload["changed_fields"], [
    "title",
    "body",
    "assignee",
  ]);
});

test("children take over what the root had, wait for its open parents, and hold when they are told to", async (t) => {
  const { world } = setupPlanner(t, {
    said: [graphAnswer({ title: "a" }, { title: "b", parents: [0] })],
    settings: { "kanban.auto_promote_children": false },
  });
  const open = await make(world, { triage: false });
  const done = await make(world, { triage: false });
  await world.board.complete(DEFAULT, done, {}, USER);
  const same = { tenant: "t", priority: 4, max_runtime_seconds: 60, max_retries: 3, model_override: "m" };
  const place = { workspace_kind: "dir", workspace_path: "/tmp/shared" } as const;
  const id = await make(world, { ...same, ...place, parents: [open, done] });
  const [a, b] = await split(world, id);
  assert.ok(a && b);
  const first = await world.board.task(DEFAULT, a);
  const second = await world.board.task(DEFAULT, b);
  for (const child of [first, second]) {
    const { tenant, priority, max_runtime_seconds, max_retries, model_override, workspace_kind, workspace_path } =
      child;
    const got = { tenant, priority, max_runtime_seconds, max_retries, model_override, workspace_kind, workspace_path };
    assert.deepEqual(got, { ...same, ...place });
    assert.deepEqual([child.status, child.hold], ["todo", true]);
  }
  assert.deepEqual([first.parents, second.parents], [[open], [a]]);
  assert.deepEqual((await world.board.task(DEFAULT, id)).parents, [open, done, b].sort());
  await world.board.complete(DEFAULT, open, {}, USER);
  assert.equal((await world.board.task(DEFAULT, a)).status, "todo");
});

test("a worktree root gives each child a worktree of its own", async (t) => {
  const { world } = setupPlanner(t, { said: [graphAnswer({ title: "a" }, { title: "b", parents: [0] })] });
  const id = await make(world);
  const store = await world.store();
  const set =
    "UPDATE tasks SET workspace_kind = 'worktree', repo_path = '/repo', base_name = 'main', branch_name = 'mine' WHERE id = ?";
  await store.write("test.worktree", (tx) => tx.run(set, [id]));
  const [a, b] = await split(world, id);
  assert.ok(a && b);
  const first = await world.board.task(DEFAULT, a);
  const second = await world.board.task(DEFAULT, b);
  assert.deepEqual(
    [first.repo_path, first.workspace_path, first.branch_name, first.base_name],
    ["/repo", null, null, "main"],
  );
  // It begins where its parent ends.
  assert.deepEqual(
    [second.repo_path, second.workspace_path, second.branch_name, second.base_name],
    ["/repo", null, null, null],
  );
});

/** Answer of the model; what is told, or how many children there are and which links between them. */
const GRAPHS = [
  { name: "text that is no JSON", said: "Let us split it.", reason: "LLM returned malformed JSON" },
  { name: "a list", said: "[]", reason: "LLM returned malformed JSON" },
  { name: "an empty object", said: "{}", reason: "LLM response missing title and body" },
  { name: "nothing", said: " ", reason: "LLM returned an empty response" },
  { name: "fanout without tasks", said: '{"fanout": true}', reason: "graph rejected: no tasks" },
  { name: "fanout with no task", said: '{"fanout": true, "tasks": []}', reason: "graph rejected: no tasks" },
  {
    name: "tasks that are no list",
    said: '{"fanout": true, "tasks": {"0": {"title": "a"}}}',
    reason: "graph rejected: no tasks",
  },
  {
    name: "an entry that is text",
    said: '{"fanout": true, "tasks": [{"title": "a"}, "b"]}',
    reason: "graph rejected: task 1 is not an object",
  },
  {
    name: "an entry that is null",
    said: '{"fanout": true, "tasks": [null]}',
    reason: "graph rejected: task 0 is not an object",
  },
  {
    name: "a title of another type",
    said: graphAnswer({ title: { en: "a" } }),
    reason: "graph rejected: task 0 has no title",
  },
  {
    name: "a blank title",
    said: graphAnswer({ title: "a" }, { title: "  " }),
    reason: "graph rejected: task 1 has no title",
  },
  {
    name: "10,000 tasks",
    said: graphAnswer(...Array.from({ length: 10_000 }, (_, n) => ({ title: `t${n}`, parents: [n - 1] }))),
    reason: "graph rejected: 10000 tasks, at most 20",
  },
  {
    name: "a circle of two",
    said: graphAnswer({ title: "a", parents: [1] }, { title: "b", parents: [0] }),
    reason: "graph rejected: cyclic dependency 0 -> 1 -> 0",
  },
  {
    name: "a circle behind a free task",
    said: graphAnswer(
      { title: "a" },
      { title: "b", parents: [0, 3] },
      { title: "c", parents: [1] },
      { title: "d", parents: [2] },
    ),
    reason: "graph rejected: cyclic dependency 1 -> 2 -> 3 -> 1",
  },
] as const;

for (const { name, said, reason } of GRAPHS) {
  test(`decomposing with an answer that is ${name} is refused as a whole`, async (t) => {
    const { world } = setupPlanner(t, { said: [said] });
    const id = await make(world);
    const before = JSON.stringify(await world.board.show(DEFAULT, id));
    const outcome = { task_id: id, ok: false, reason, new_title: null, fanout: false, child_ids: null };
    assert.deepEqual(await world.board.decompose(DEFAULT, id, {}, USER), outcome);
    assert.equal(JSON.stringify(await world.board.show(DEFAULT, id)), before);
    assert.equal((await world.board.list(DEFAULT, {})).length, 1);
  });
}

test("places that are none are dropped, and the rest of the graph holds", async (t) => {
  const odd = { title: "b", parents: [0, 0, 1, 7, -1, 0.5, "0", null, {}, [0]] };
  const { world } = setupPlanner(t, { said: [graphAnswer({ title: "a", parents: "0" }, odd)] });
  const [a, b] = await split(world, await make(world));
  assert.ok(a && b);
  assert.deepEqual((await world.board.task(DEFAULT, b)).parents, [a]);
  assert.deepEqual((await world.board.task(DEFAULT, a)).parents, []);
});

test("huge and odd texts of a graph are brought into bounds", async (t) => {
  const huge = { title: "t".repeat(10_000), body: "ü".repeat(300_000), assignee: ["alice"], parents: null };
  const { world } = setupPlanner(t, { said: [graphAnswer(huge, { title: "b", body: 7, assignee: " @ALICE " })] });
  const [a, b] = await split(world, await make(world));
  assert.ok(a && b);
  const first = await world.board.task(DEFAULT, a);
  const second = await world.board.task(DEFAULT, b);
  assert.equal(first.title.length, 300);
  assert.ok(Buffer.byteLength(first.body ?? "") <= 256 * 1024 && first.body?.endsWith("[cut: the text was too long]"));
  assert.deepEqual([first.assignee, second.assignee, second.body], ["default", "alice", null]);
});

test("fanout may be written as text or left out when there are tasks", async (t) => {
  const { world } = setupPlanner(t, {
    said: ['{"fanout": "True", "tasks": [{"title": "a"}]}', '{"tasks": [{"title": "a"}]}'],
  });
  for (let n = 0; n < 2; n++) assert.equal((await split(world, await make(world))).length, 1);
});

test("a root without a model says so, and an answer that comes too late makes no task", async (t) => {
  proves(t, "board.decompose.no-client");
  const { world, aux } = setupPlanner(t);
  const id = await make(world);
  aux.client = "none";
  assert.equal((await world.board.decompose(DEFAULT, id, {}, USER)).reason, "no auxiliary client configured");
  aux.client = "usable";
  aux.say(async () => {
    await world.board.archive(DEFAULT, id, USER);
    return { ok: true, text: graphAnswer({ title: "a" }) };
  });
  assert.equal(
    (await world.board.decompose(DEFAULT, id, {}, USER)).reason,
    "task moved out of triage before decomposition",
  );
  assert.equal((await world.board.list(DEFAULT, { archived: true })).length, 1);
});

test("a root that would wait for more than a hundred tasks is refused", async (t) => {
  const { world } = setupPlanner(t, { said: [graphAnswer({ title: "a" }, { title: "b" })] });
  const parents: string[] = [];
  for (let n = 0; n < 99; n++) parents.push(await make(world));
  const id = await make(world, { parents });
  const { reason } = await world.board.decompose(DEFAULT, id, {}, USER);
  assert.equal(reason, `graph rejected: ${id} would have more than 100 parents`);
});

test("whoever is told of the root is told of its children", async (t) => {
  const { world } = setupPlanner(t, { said: [graphAnswer({ title: "a" }, { title: "b" })] });
  const id = await make(world, { origin: { platform: "msgt", chat_id: "5" } });
  const children = await split(world, id);
  for (const child of children) {
    const { subscriptions } = await world.board.show(DEFAULT, child);
    assert.deepEqual(
      subscriptions.map((one) => [one.platform, one.chat_id, one.inherited_from]),
      [["msgt", "5", id]],
    );
  }
});
