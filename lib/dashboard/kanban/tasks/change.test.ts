import assert from "node:assert/strict";
import { test } from "node:test";
import { type RestWorld, setupRest } from "../../../../fixtures/dashboard/rest.js";
import { DEFAULT, USER } from "../../../../fixtures/sim/board-world.js";
import type { TaskId } from "../../../base/units.js";
import type { Task } from "../../../contracts/board/board.js";

interface Changed {
  readonly task: Task;
  readonly warning?: string;
  readonly detail?: string;
  readonly code?: string;
}

type Rest = Pick<RestWorld, "world" | "ask">;

const make = async ({ world }: Rest, more: object = {}): Promise<TaskId> =>
  (await world.board.create(DEFAULT, { title: "one", ...more }, USER)).task.id;

const claim = async ({ world }: Rest, id: TaskId) =>
  world.board.claim(DEFAULT, id, { profile: "alice", lock: "host:1", by: USER });

const patch = (rest: Rest, id: string, body: object, headers = {}) =>
  rest.ask<Changed>("PATCH", `/tasks/${id}`, body, { headers });

test("todo is held where nothing else would hold it, and the reason of a wait is kept", async (t) => {
  const rest = await setupRest(t);
  const id = await make(rest);
  assert.equal((await patch(rest, id, { status: "todo" })).json.task.hold, true);
  const at = Math.floor(rest.world.clock.now() / 1000) + 60;
  const { task } = (await patch(rest, id, { status: "scheduled", scheduled_at: at, block_reason: "later" })).json;
  assert.deepEqual([task.scheduled_at, task.block_reason], [at, "later"]);
  assert.equal((await patch(rest, id, { scheduled_at: at - 120 })).status, 400);
});

test("done takes the handoff with it, and a done task's handoff can be edited", async (t) => {
  const rest = await setupRest(t);
  const id = await make(rest);
  const given = { status: "done", result: "r", summary: "s", metadata: { n: 1 }, verdict: "rejected" };
  assert.equal((await patch(rest, id, given)).json.task.verdict, "rejected");
  const { task } = (await patch(rest, id, { verdict: "accepted", summary: "s2", metadata: null })).json;
  const [run] = await rest.world.board.runs(DEFAULT, id);
  assert.deepEqual([task.result, task.verdict, run?.summary, run?.metadata], ["r", "accepted", "s2", null]);
});

test("every field that can be edited is edited, and null or an empty text clears", async (t) => {
  const rest = await setupRest(t);
  const id = await make(rest, { body: "b" });
  const fields = {
    title: "t",
    body: "b2",
    assignee: "Bob",
    priority: -3,
    tenant: "acme",
    skills: ["x", "y"],
    max_runtime_seconds: 90,
    max_retries: 4,
    model_override: "m",
    goal_mode: true,
    goal_max_turns: 7,
    auto_decompose: false,
    external: true,
    workspace_kind: "dir",
    workspace_path: "/srv/x",
  };
  const changed = (await patch(rest, id, fields)).json.task;
  const want = { ...fields, assignee: "bob" };
  assert.deepEqual(Object.fromEntries(Object.keys(want).map((key) => [key, Reflect.get(changed, key)])), want);
  const clear = {
    body: "",
    assignee: "",
    tenant: null,
    skills: [],
    max_runtime: null,
    max_retries: null,
    model_override: "",
    goal_max_turns: null,
  };
  const { task } = (await patch(rest, id, clear)).json;
  assert.deepEqual(
    [task.body, task.assignee, task.tenant, task.skills, task.max_retries],
    [null, null, null, [], null],
  );
  assert.deepEqual([task.max_runtime_seconds, task.model_override, task.goal_max_turns], [null, null, null]);
  assert.equal((await patch(rest, id, { max_runtime: "1.5h" })).json.task.max_runtime_seconds, 5400);
});

test("a running task keeps its assignee, and the answer says when its worker sees other changes", async (t) => {
  const rest = await setupRest(t);
  const id = await make(rest);
  await claim(rest, id);
  assert.deepEqual((await patch(rest, id, { assignee: "bob" })).status, 409);
  assert.match((await patch(rest, id, { body: "new" })).json.warning ?? "", /sees the change/);
  assert.equal(rest.world.stopper.stopped.length, 0);
});

test("a change with a stale If-Match is answered with 412 and changes nothing (acceptance 94)", async (t) => {
  const rest = await setupRest(t);
  const id = await make(rest);
  const { headers } = await rest.ask("GET", `/tasks/${id}`);
  await patch(rest, id, { title: "two" });
  const before = await rest.world.board.task(DEFAULT, id);
  for (const tag of [headers.etag, `W/"${before.version}"`, '"abc"', `${before.version}`, ""]) {
    const answer = await patch(rest, id, { title: "x", status: "blocked" }, { "if-match": tag });
    assert.deepEqual([answer.status, answer.json.code], [412, "E_CONFLICT"]);
    assert.equal((await rest.ask("DELETE", `/tasks/${id}`, undefined, { headers: { "if-match": tag } })).status, 412);
  }
  assert.deepEqual(await rest.world.board.task(DEFAULT, id), before);
  for (const tag of ["*", `"0", "${before.version + 1}"`])
    assert.equal((await patch(rest, id, { title: tag }, { "if-match": tag })).status, 200);
});

test("of two changes with the same If-Match one is made and the other answered with 412", async (t) => {
  const rest = await setupRest(t);
  const id = await make(rest);
  const { version } = await rest.world.board.task(DEFAULT, id);
  for (let round = version; round < version + 5; round++) {
    const both = ["a", "b"].map((title) =>
      patch(rest, id, { title: `${title}${round}` }, { "if-match": `"${round}"` }),
    );
    assert.deepEqual((await Promise.all(both)).map(({ status }) => status).toSorted(), [200, 412]);
  }
});

test("of two calls with the same If-Match that give a task away or promote it one is made", async (t) => {
  const rest = await setupRest(t);
  const id = await make(rest);
  const post = (path: string, body: object, version: number) =>
    rest.ask("POST", `/tasks/${id}/${path}`, body, { headers: { "if-match": `"${version}"` } });
  const { version } = await rest.world.board.task(DEFAULT, id);
  const given = await Promise.all(["alice", "bob"].map((profile) => post("reassign", { profile }, version)));
  assert.deepEqual(given.map(({ status }) => status).toSorted(), [200, 412]);
  const { task } = (await patch(rest, id, { status: "todo" })).json;
  const promoted = await Promise.all([0, 1].map(() => post("promote", {}, task.version)));
  assert.deepEqual(promoted.map(({ status }) => status).toSorted(), [200, 412]);
  assert.equal((await post("reclaim", {}, 1)).status, 412);
});

test("a change that expects another status is answered with 409 and changes nothing", async (t) => {
  const rest = await setupRest(t);
  const id = await make(rest);
  const before = await rest.world.board.task(DEFAULT, id);
  const answer = await patch(rest, id, { title: "x", expected_status: "todo" });
  assert.deepEqual([answer.status, answer.json.code], [409, "E_CONFLICT"]);
  assert.deepEqual(await rest.world.board.task(DEFAULT, id), before);
  assert.equal((await patch(rest, id, { title: "x", expected_status: "ready" })).status, 200);
});

test("a running task is deleted when its worker is gone, and stays when it cannot be ended", async (t) => {
  const rest = await setupRest(t);
  const id = await make(rest);
  await claim(rest, id);
  rest.world.stopper.answer = "stuck";
  const stuck = await rest.ask("DELETE", `/tasks/${id}`);
  assert.deepEqual([stuck.status, stuck.json.code], [409, "E_WORKER_STUCK"]);
  rest.world.stopper.answer = "ended";
  assert.equal((await rest.ask("DELETE", `/tasks/${id}`)).status, 200);
});
