import assert from "node:assert/strict";
import { appendFileSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { test } from "node:test";
import { type RestWorld, setupRest } from "../../../../fixtures/dashboard/rest.js";
import { proves } from "../../../../fixtures/requirements.js";
import { DEFAULT, USER } from "../../../../fixtures/sim/board-world.js";
import type { TaskId } from "../../../base/units.js";
import type { LogPart } from "../../../contracts/board/api.js";
import type { Comment, Run, Task } from "../../../contracts/board/board.js";
import type { Card, WaitReason, Why } from "../../../contracts/board/explain.js";
import type { Subscription } from "../../../contracts/board/notify.js";
import type { WorkspaceState } from "../../../contracts/board/workspace.js";

const make = async ({ world }: RestWorld, more: object = {}): Promise<TaskId> =>
  (await world.board.create(DEFAULT, { title: "one", ...more }, USER)).task.id;

const claim = ({ world }: RestWorld, id: TaskId) =>
  world.board.claim(DEFAULT, id, { profile: "alice", lock: "host:1", by: USER });

test("a new task takes every field, tells what no one will work on, and one key makes one task", async (t) => {
  const rest = await setupRest(t);
  const parent = await make(rest);
  const fields = {
    title: "t",
    body: "b",
    assignee: "nobody",
    tenant: "acme",
    priority: 4,
    skills: ["x"],
    max_runtime_seconds: 60,
    max_retries: 3,
    model_override: "m",
    goal_mode: true,
    goal_max_turns: 5,
    auto_decompose: false,
    idempotency_key: "k",
    parents: [parent],
    workspace_kind: "dir",
    workspace_path: "/srv/x",
  };
  const made = await rest.ask<{ task: Task; created: boolean; warning?: string }>("POST", "/tasks", {
    ...fields,
    unknown_key: 1,
  });
  const { task } = made.json;
  assert.deepEqual(Object.fromEntries(Object.keys(fields).map((key) => [key, Reflect.get(task, key)])), fields);
  assert.match(made.json.warning ?? "", /profile nobody does not exist/);
  assert.equal(task.status, "todo");
  const many = await Promise.all(
    [1, 2, 3].map(() => rest.ask<{ task: Task; created: boolean }>("POST", "/tasks", fields)),
  );
  for (const { json } of many) assert.deepEqual([json.created, json.task.id], [false, task.id]);
  const other = { title: "x", max_runtime: "15m", triage: true, initial_status: "normal", external: true };
  const second = (await rest.ask<{ task: Task }>("POST", "/tasks", other)).json.task;
  assert.deepEqual([second.max_runtime_seconds, second.status, second.external], [900, "triage", true]);
});

const BAD_TASKS = [
  { name: "a blank title", body: { title: "  " }, status: 400 },
  { name: "a title that is too long", body: { title: "x".repeat(301) }, status: 413 },
  { name: "a body of 257 KiB", body: { title: "x", body: "b".repeat(257 << 10) }, status: 413 },
  { name: "an unknown parent", body: { title: "x", parents: ["t_00000000"] }, status: 404 },
  { name: "a skill with a comma", body: { title: "x", skills: ["a,b"] }, status: 400 },
  { name: "a toolset as a skill", body: { title: "x", skills: ["Terminal"] }, status: 400 },
  {
    name: "a directory that is not absolute",
    body: { title: "x", workspace_kind: "dir", workspace_path: "x" },
    status: 400,
  },
  { name: "a branch without a worktree", body: { title: "x", branch_name: "b" }, status: 400 },
  { name: "a time in the past", body: { title: "x", scheduled_at: 1 }, status: 400 },
  { name: "a length of time that is none", body: { title: "x", max_runtime: "soon" }, status: 400 },
  { name: "a name with blanks", body: { title: "x", assignee: "a b" }, status: 400 },
];
for (const { name, body, status } of BAD_TASKS)
  test(`a task with ${name} is answered with ${status} and not made`, async (t) => {
    const { world, ask } = await setupRest(t);
    const answer = await ask("POST", "/tasks", body);
    assert.deepEqual([answer.status, typeof answer.json.detail], [status, "string"]);
    assert.deepEqual(await world.board.list(DEFAULT, {}), []);
  });

test("texts that cannot be stored as they are become ones that can, and names of objects are only names", async (t) => {
  const { ask } = await setupRest(t);
  const raw =
    '{"title":"a\\u0000b","body":"x\\ud800y","assignee":"__proto__","tenant":"constructor","__proto__":{"priority":9}}';
  const { task } = (await ask<{ task: Task }>("POST", "/tasks", undefined, { raw })).json;
  assert.deepEqual([task.title, task.body, task.assignee, task.priority], ["a\ufffdb", "x\ufffdy", "__proto__", 0]);
  assert.deepEqual((await ask<{ task: Card }>("GET", `/tasks/${task.id}`)).json.task.title, task.title);
  assert.equal((await ask("GET", "/assignees")).status, 200);
  assert.equal((await ask("GET", "/stats")).status, 200);
});

test("a task is shown with its neighbours, its runs by state, its reasons and its log", async (t) => {
  const rest = await setupRest(t);
  const parent = await make(rest, { title: "parent" });
  const id = await make(rest, { title: "child", parents: [parent] });
  interface Shown {
    readonly task: Card;
    readonly links: { readonly parents: readonly { title: string }[]; readonly children: readonly { title: string }[] };
    readonly runs: readonly Run[];
    readonly reasons: readonly WaitReason[];
  }
  const shown = (await rest.ask<Shown>("GET", `/tasks/${id}`)).json;
  assert.deepEqual(
    [shown.task.waits_for, shown.links.parents.map(({ title }) => title), shown.reasons[0]?.code],
    [[parent], ["parent"], "parent_open"],
  );
  const why = (await rest.ask<Why>("GET", `/tasks/${id}/why`)).json;
  assert.deepEqual([why.runnable, why.reasons[0]?.code], [false, "parent_open"]);
  await rest.world.board.complete(DEFAULT, parent, { summary: "s".repeat(900) }, USER);
  const done = (await rest.ask<Shown>("GET", `/tasks/${parent}`)).json;
  assert.deepEqual([done.task.latest_summary?.length, done.runs.length], [900, 1]);
  const runs = async (query: string) => (await rest.ask<Shown>("GET", `/tasks/${parent}?${query}`)).json.runs?.length;
  assert.deepEqual(
    [
      await runs("run_state_type=outcome&run_state_name=completed"),
      await runs("run_state_type=status&run_state_name=running"),
    ],
    [1, 0],
  );
  for (const half of ["run_state_type=outcome", "run_state_name=completed"])
    assert.equal((await rest.ask("GET", `/tasks/${parent}?${half}`)).status, 400);
  const { context } = (await rest.ask<{ context: string }>("GET", `/tasks/${id}/context`)).json;
  assert.ok(context.startsWith(`# Kanban task ${id}: child`));
  const state = (await rest.ask<WorkspaceState>("GET", `/tasks/${id}/workspace`)).json;
  assert.deepEqual([state.kind, state.exists], ["scratch", false]);
});

test("the end of a log is given as far as it was asked for", async (t) => {
  const rest = await setupRest(t);
  const id = await make(rest);
  const log = async (query = "") => (await rest.ask<LogPart>("GET", `/tasks/${id}/log${query}`)).json;
  const none = await log();
  assert.deepEqual([none.exists, none.content, none.truncated], [false, "", false]);
  mkdirSync(dirname(none.path), { recursive: true });
  appendFileSync(none.path, "first line\nlast line\n");
  assert.deepEqual(
    [(await log()).content, (await log("?tail=10")).content],
    ["first line\nlast line\n", "last line\n"],
  );
  assert.deepEqual([(await log("?tail=10")).truncated, (await log("?tail=10")).size_bytes], [true, 21]);
});

test("what people say stands under their name, as text or as body", async (t) => {
  const rest = await setupRest(t);
  const id = await make(rest);
  const say = async (body: object) =>
    (await rest.ask<{ ok: boolean; comment: Comment }>("POST", `/tasks/${id}/comments`, body)).json.comment;
  const plain = await say({ text: "a" });
  const named = await say({ body: "b", author: " ann " });
  const other = await say({ text: "c", author: "" });
  assert.deepEqual(
    [plain.author, plain.author_kind, named.author, named.text, other.author],
    ["user", "human", "ann", "b", "user"],
  );
  assert.equal((await rest.ask("POST", `/tasks/${id}/comments`, {})).status, 400);
  assert.equal((await rest.ask("POST", `/tasks/${id}/comments`, { text: "x".repeat((64 << 10) + 1) })).status, 413);
});

test("links are made once and removed once, and what is no link is refused", async (t) => {
  proves(t, "dashboard.others-decided");
  const rest = await setupRest(t);
  const a = await make(rest);
  const b = await make(rest);
  const link = (parent_id: string, child_id: string) => rest.ask("POST", "/links", { parent_id, child_id });
  assert.deepEqual([(await link(a, b)).json, (await link(a, b)).json], [{ ok: true }, { ok: true }]);
  assert.equal((await rest.world.board.task(DEFAULT, b)).status, "todo");
  assert.deepEqual([(await link(b, a)).json.code, (await link(a, a)).json.code], ["E_CYCLE", "E_SELF_LINK"]);
  assert.deepEqual(
    [(await link(b, a)).status, (await link("t_00000000", a)).status, (await link("x", a)).status],
    [400, 404, 404],
  );
  assert.deepEqual((await rest.ask("DELETE", `/links?parent_id=${a}&child_id=${b}`)).json, { ok: true });
  assert.equal((await rest.ask("DELETE", `/links?parent_id=${a}&child_id=${b}`)).status, 404);
  assert.equal((await rest.world.board.task(DEFAULT, b)).status, "ready");
  await claim(rest, b);
  assert.deepEqual([(await link(a, b)).status, (await link(a, b)).json.code], [409, "E_RUNNING"]);
});

test("a task is reclaimed, given away and promoted by its own calls", async (t) => {
  const rest = await setupRest(t);
  const parent = await make(rest);
  const id = await make(rest);
  const post = (path: string, body?: object) =>
    rest.ask(
      "POST",
      `/tasks/${id}/${path}`,
      body,
      body === undefined ? { headers: { "content-type": undefined } } : {},
    );
  assert.equal((await post("reclaim")).status, 409);
  await claim(rest, id);
  assert.deepEqual(
    [(await post("reassign", { profile: "bob" })).json.code, (await post("promote")).status],
    ["E_RUNNING", 409],
  );
  const given = await post("reassign", { profile: "Bob", reclaim_first: true, reason: "better" });
  assert.deepEqual(given.json, { ok: true, task_id: id, assignee: "bob" });
  await claim(rest, id);
  assert.deepEqual((await post("reclaim", { reason: "stop" })).json, { ok: true, task_id: id });
  assert.deepEqual((await post("reassign", { profile: null })).json["assignee"], null);
  await rest.ask("POST", "/links", { parent_id: parent, child_id: id });
  const refused = await post("promote", {});
  assert.deepEqual([refused.status, refused.json.detail?.includes(parent)], [409, true]);
  assert.equal((await post("promote", { force: true, dry_run: true })).json["status"], "todo");
  assert.equal((await post("promote", { force: true })).json["status"], "ready");
  assert.equal((await rest.ask("POST", `/tasks/${id}/reclaim`, {}, { headers: { "if-match": '"1"' } })).status, 412);
});

test("a chat is told of a task once, can change its wish, and is forgotten", async (t) => {
  const rest = await setupRest(t);
  const id = await make(rest);
  const path = `/tasks/${id}/subscriptions`;
  interface Rows {
    readonly subscriptions: readonly Subscription[];
    readonly created?: boolean;
  }
  const place = { platform: "MSGX", chat_id: "42" };
  const first = (await rest.ask<Rows>("POST", path, place)).json;
  const second = (
    await rest.ask<Rows>("POST", path, { ...place, kinds: ["blocked"], artifacts: false, thread_id: null })
  ).json;
  assert.deepEqual(
    [first.created, second.created, second.subscriptions.length, second.subscriptions[0]?.kinds],
    [true, false, 1, ["blocked"]],
  );
  assert.equal((await rest.ask("POST", path, { ...place, kinds: ["nonsense"] })).status, 400);
  assert.equal((await rest.ask<Rows>("GET", path)).json.subscriptions.length, 1);
  assert.deepEqual((await rest.ask<Rows>("DELETE", `${path}?platform=msgx&chat_id=42`)).json.subscriptions, []);
  assert.equal((await rest.ask("DELETE", `${path}?platform=msgx&chat_id=42`)).status, 404);
});
