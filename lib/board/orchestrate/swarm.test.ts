import assert from "node:assert/strict";
import { test } from "node:test";
import { setupPlanner } from "../../../fixtures/sim/board-aux.js";
import { rowsOf, violationsIn } from "../../../fixtures/sim/board-facts.js";
import { DEFAULT, USER } from "../../../fixtures/sim/board-world.js";
import { AppError } from "../../base/errors.js";
import type { SwarmParams } from "../../contracts/board/orchestration.js";

const PARAMS: SwarmParams = {
  goal: "Find the best name",
  workers: [
    { profile: "Alice", title: "one", skills: ["s1", "s2"] },
    { profile: "bob", title: "two", skills: [] },
  ],
  verifier: "alice",
  synthesizer: "bob",
  tenant: "t",
  priority: 3,
};

test("a swarm: workers start at once, the verifier waits for them, the synthesizer for its verdict", async (t) => {
  const { world } = setupPlanner(t, { skills: ["alice:requesting-code-review", "alice:humanizer"] });
  const { board } = world;
  const { swarm, warnings } = await board.swarm(DEFAULT, PARAMS, USER);
  assert.deepEqual([swarm.created, warnings, swarm.worker_ids.length], [true, [], 2]);
  const root = await board.show(DEFAULT, swarm.root_id);
  assert.deepEqual(
    [root.task.title, root.task.status, root.task.verdict],
    ["Swarm: Find the best name", "done", "accepted"],
  );
  const [one, two] = await Promise.all(swarm.worker_ids.map((id) => board.task(DEFAULT, id)));
  assert.deepEqual(
    [one?.status, one?.assignee, one?.skills, one?.tenant, one?.priority],
    ["ready", "alice", ["s1", "s2"], "t", 3],
  );
  assert.deepEqual([two?.status, two?.parents], ["ready", [swarm.root_id]]);
  assert.ok(one?.body?.includes("Find the best name") && one.body.includes(`kanban_comment on ${swarm.root_id}`));
  const verifier = await board.task(DEFAULT, swarm.verifier_id);
  const synthesizer = await board.task(DEFAULT, swarm.synthesizer_id);
  assert.deepEqual(
    [verifier.status, verifier.parents, verifier.skills],
    ["todo", [...swarm.worker_ids].sort(), ["requesting-code-review"]],
  );
  assert.deepEqual([synthesizer.status, synthesizer.parents, synthesizer.skills], ["todo", [swarm.verifier_id], []]);
  const [topology] = root.comments;
  assert.ok(topology?.text.startsWith("[swarm:blackboard] "));
  assert.deepEqual(JSON.parse(topology?.text.slice("[swarm:blackboard] ".length) ?? ""), {
    key: "topology",
    value: {
      root_id: swarm.root_id,
      worker_ids: swarm.worker_ids,
      verifier_id: swarm.verifier_id,
      synthesizer_id: swarm.synthesizer_id,
    },
  });
  assert.deepEqual(violationsIn(await rowsOf(world)), []);
  for (const id of swarm.worker_ids) await board.complete(DEFAULT, id, {}, USER);
  await board.complete(DEFAULT, swarm.verifier_id, { verdict: "rejected" }, USER);
  assert.equal((await board.task(DEFAULT, swarm.synthesizer_id)).status, "todo");
});

test("the same key gives the same swarm, whoever writes on its blackboard, until its root is archived", async (t) => {
  const { world } = setupPlanner(t);
  const { board } = world;
  const params = { ...PARAMS, idempotency_key: "k" };
  const first = (await board.swarm(DEFAULT, params, USER)).swarm;
  await board.comment(
    DEFAULT,
    first.root_id,
    '[swarm:blackboard] {"key": "topology", "value": {"worker_ids": []}}',
    USER,
  );
  assert.deepEqual((await board.swarm(DEFAULT, params, USER)).swarm, { ...first, created: false });
  assert.equal((await board.list(DEFAULT, {})).length, 5);
  await board.archive(DEFAULT, first.root_id, USER);
  assert.notEqual((await board.swarm(DEFAULT, params, USER)).swarm.root_id, first.root_id);
});

/** What is wrong with the parameters, and the code of the refusal. */
const BAD: readonly [Partial<SwarmParams>, string][] = [
  [{ goal: "  " }, "E_INVALID"],
  [{ workers: [] }, "E_INVALID"],
  [{ workers: [{ profile: "alice", title: " ", skills: [] }] }, "E_INVALID"],
  [{ workers: [{ profile: "alice", title: "x", skills: ["terminal"] }] }, "E_INVALID"],
  [{ workers: [{ profile: "none", title: "x", skills: [] }] }, "E_INVALID"],
  [{ workers: Array.from({ length: 100 }, () => ({ profile: "alice", title: "x", skills: [] })) }, "E_TOO_LARGE"],
  [{ verifier: "two words" }, "E_INVALID"],
  [{ synthesizer: "" }, "E_INVALID"],
];

test("a swarm with a bad part is refused before anything is made", async (t) => {
  const { world } = setupPlanner(t);
  for (const [bad, code] of BAD) {
    const answer = await world.board.swarm(DEFAULT, { ...PARAMS, ...bad }, USER).then(
      () => "made",
      (error: unknown) => (error instanceof AppError ? error.code : String(error)),
    );
    assert.equal(answer, code, JSON.stringify(bad).slice(0, 100));
  }
  assert.equal((await world.board.list(DEFAULT, {})).length, 0);
});

test("a key of an ordinary task is not taken over, and missing profiles are reported", async (t) => {
  const { world } = setupPlanner(t);
  await world.board.create(DEFAULT, { title: "x", idempotency_key: "k" }, USER);
  const taken = world.board.swarm(DEFAULT, { ...PARAMS, idempotency_key: "k" }, USER);
  await assert.rejects(taken, (error: unknown) => error instanceof AppError && error.code === "E_CONFLICT");
  const { warnings } = await world.board.swarm(DEFAULT, { ...PARAMS, verifier: "zoe" }, USER);
  assert.deepEqual(warnings, ["profile zoe does not exist; the task will wait (use --external for external work)"]);
});

test("a swarm made in a chat tells it the result, and not that its root is done from the beginning", async (t) => {
  const { world } = setupPlanner(t);
  const origin = { platform: "msgt", chat_id: "5", user_id: "u" };
  const params = { ...PARAMS, origin, idempotency_key: "k" };
  const { swarm } = await world.board.swarm(DEFAULT, params, USER);
  await world.board.swarm(DEFAULT, params, USER);
  const store = await world.store();
  const told = await store.read((q) => q.all<{ task_id: string }>("SELECT task_id FROM subscriptions ORDER BY id"));
  assert.deepEqual(
    told.map((row) => row.task_id),
    [swarm.root_id, swarm.synthesizer_id],
  );
  assert.deepEqual(await store.read((q) => q.all("SELECT * FROM deliveries")), []);
});
