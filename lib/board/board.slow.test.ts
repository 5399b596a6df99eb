import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { proves } from "../../fixtures/requirements.js";
import { type BoardWorld, DEFAULT, setupBoard, USER } from "../../fixtures/sim/board-world.js";
import { AppError } from "../base/errors.js";
import type { TaskId } from "../base/units.js";
import type { Actor, ClaimRef } from "../contracts/board/board.js";
import type { Observed } from "./core/kernel.js";

async function rejectsWith(code: string, call: () => Promise<unknown>, message?: string | RegExp): Promise<void> {
  await assert.rejects(call, (error) => {
    assert.ok(error instanceof AppError, String(error));
    assert.equal(error.code, code, error.message);
    if (typeof message === "string") assert.equal(error.message, message);
    else if (message !== undefined) assert.match(error.message, message);
    return true;
  });
}

const kinds = async ({ board }: BoardWorld, id: TaskId) =>
  (await board.show(DEFAULT, id)).events.map((event) => event.kind);

async function claimed(world: BoardWorld, id: TaskId): Promise<ClaimRef> {
  const outcome = await world.board.claim(DEFAULT, id, { profile: "default", lock: "host:1", by: USER });
  assert.ok(outcome.claimed);
  return outcome.claim;
}

const workerOf = (claim: ClaimRef): Actor => ({ kind: "worker", name: "default", claim });

async function make(world: BoardWorld, title = "one", more: object = {}): Promise<TaskId> {
  return (await world.board.create(DEFAULT, { title, ...more }, USER)).task.id;
}

const settle = (world: BoardWorld, claim: ClaimRef, observed: Observed) =>
  world.board.settle({ board: DEFAULT, task: claim.task, run: claim.run, observed });

test("a verb that only reads leaves nothing on disk", async (t) => {
  const { board, root } = setupBoard(t);
  assert.deepEqual(await board.list(DEFAULT, {}), []);
  assert.equal((await board.stats(DEFAULT)).by_status.ready, 0);
  await rejectsWith("E_NOT_FOUND", () => board.find(DEFAULT, "t_123"));
  assert.equal(existsSync(join(root, "kanban.db")), false);
  assert.equal(existsSync(join(root, "kanban")), false);
});

test("a created task has the keys in their order, a trimmed title and is ready", async (t) => {
  proves(t, "board.create.todo-or-ready", "board.task.columns-decided");
  const { board } = setupBoard(t);
  const { task, created } = await board.create(DEFAULT, { title: "  padded  " }, USER);
  assert.equal(created, true);
  const first20 =
    "id title body assignee status priority tenant workspace_kind workspace_path branch_name created_by created_at started_at";
  const rest = "completed_at result skills max_retries session_id workflow_template_id current_step_key";
  assert.deepEqual(Object.keys(task).slice(0, 20), `${first20} ${rest}`.split(" "));
  assert.match(task.id, /^t_[0-9a-f]{8}$/);
  assert.equal(task.title, "padded");
  assert.equal(task.status, "ready");
  assert.equal(task.created_by, "user");
  assert.deepEqual(await board.task(DEFAULT, task.id), task);
});

test("a child waits for its parent and becomes ready in the commit that completes it", async (t) => {
  proves(t, "board.create.todo-or-ready");
  const world = setupBoard(t);
  const { board } = world;
  const parent = await make(world, "parent");
  const child = await make(world, "child", { parents: [parent] });
  assert.equal((await board.task(DEFAULT, child)).status, "todo");
  await board.complete(DEFAULT, parent, { summary: "did a", metadata: { n: 1 } }, USER);
  assert.equal((await board.task(DEFAULT, child)).status, "ready");
  assert.deepEqual(await kinds(world, child), ["created", "promoted"]);
  const [run] = await board.runs(DEFAULT, parent);
  assert.equal(run?.outcome, "completed");
  assert.equal(run?.started_at, run?.ended_at);
  assert.deepEqual(run?.metadata, { n: 1 });
});

test("a rejected parent holds its child until it is reopened and accepted", async (t) => {
  const world = setupBoard(t);
  const { board } = world;
  const parent = await make(world, "parent");
  const child = await make(world, "child", { parents: [parent] });
  await board.complete(DEFAULT, parent, { verdict: "rejected" }, USER);
  assert.equal((await board.task(DEFAULT, child)).status, "todo");
  await board.reopen(DEFAULT, parent, {}, USER);
  assert.equal((await board.task(DEFAULT, parent)).status, "ready");
  await board.complete(DEFAULT, parent, {}, USER);
  assert.equal((await board.task(DEFAULT, child)).status, "ready");
});

test("unknown parents refuse the task as a whole", async (t) => {
  const { board } = setupBoard(t);
  const call = () => board.create(DEFAULT, { title: "x", parents: ["t_00000000"] }, USER);
  await rejectsWith("E_NOT_FOUND", call, "unknown parent task(s): t_00000000");
  assert.deepEqual(await board.list(DEFAULT, {}), []);
});

test("links refuse themselves, the unknown and circles, and the second time say nothing", async (t) => {
  const world = setupBoard(t);
  const { board } = world;
  const a = await make(world, "a");
  const b = await make(world, "b");
  const c = await make(world, "c");
  await rejectsWith("E_SELF_LINK", () => board.link(DEFAULT, a, a, USER), "a task cannot depend on itself");
  await rejectsWith("E_NOT_FOUND", () => board.link(DEFAULT, a, "t_ffffffff" as TaskId, USER), /unknown task/);
  assert.equal((await board.link(DEFAULT, a, b, USER)).child.status, "todo");
  await board.link(DEFAULT, b, c, USER);
  await rejectsWith("E_CYCLE", () => board.link(DEFAULT, c, a, USER), `linking ${c} -> ${a} would create a cycle`);
  assert.equal((await board.link(DEFAULT, a, b, USER)).added, false);
  assert.equal((await board.unlink(DEFAULT, a, b, USER)).child.status, "ready");
  await rejectsWith("E_NOT_FOUND", () => board.unlink(DEFAULT, a, b, USER), `No such link: ${a} -> ${b}`);
});

test("a claim opens one run, and the second caller learns who holds it", async (t) => {
  const world = setupBoard(t);
  const id = await make(world);
  const claim = await claimed(world, id);
  const again = await world.board.claim(DEFAULT, id, { profile: "default", lock: "host:2", by: USER });
  assert.deepEqual(again, { claimed: false, why: "not_ready", status: "running", lock: "host:1" });
  const view = await world.board.show(DEFAULT, id);
  assert.equal(view.task.current_run_id, claim.run);
  assert.equal(view.runs.length, 1);
  const other = await make(world, "other");
  const outcome = await world.board.claim(DEFAULT, other, { profile: "default", lock: "host:1", by: USER });
  assert.deepEqual(outcome.claimed && outcome.task, await world.board.task(DEFAULT, other));
  assert.equal(JSON.stringify(view).includes(claim.token), false, "the token is shown nowhere");
});

test("1,000 tasks are claimed exactly once by 8 claimers at once", async (t) => {
  proves(t, "board.claim.atomic");
  const world = setupBoard(t, { rehearse: false });
  const ids = await Promise.all(Array.from({ length: 1000 }, (_, n) => make(world, `task ${n}`)));
  const won = await Promise.all(
    Array.from({ length: 8 }, async (_, who) => {
      let count = 0;
      for (const id of ids) {
        const outcome = await world.board.claim(DEFAULT, id, { profile: "default", lock: `host:${who}`, by: USER });
        if (outcome.claimed) count += 1;
      }
      return count;
    }),
  );
  assert.equal(
    won.reduce((sum, count) => sum + count, 0),
    1000,
  );
  assert.equal((await world.board.openRuns(DEFAULT)).length, 1000);
});

test("20 creates at once with one key make one task", async (t) => {
  proves(t, "board.task.idempotency-key");
  const { board } = setupBoard(t);
  const all = await Promise.all(
    Array.from({ length: 20 }, () => board.create(DEFAULT, { title: "dup", idempotency_key: "k1" }, USER)),
  );
  assert.equal(new Set(all.map((one) => one.task.id)).size, 1);
  assert.equal(all.filter((one) => one.created).length, 1);
  const [first] = all;
  assert.ok(first);
  await board.archive(DEFAULT, first.task.id, USER);
  assert.equal((await board.create(DEFAULT, { title: "dup", idempotency_key: "k1" }, USER)).created, true);
});

test("a worker completes with its claim, and a second time has lost it", async (t) => {
  const world = setupBoard(t);
  const id = await make(world);
  const by = workerOf(await claimed(world, id));
  await world.board.complete(DEFAULT, id, { summary: "done with sk-secret" }, by);
  const view = await world.board.show(DEFAULT, id);
  assert.equal(view.task.status, "done");
  assert.equal(view.latest_summary, "done with [secret]");
  await rejectsWith(
    "E_CLAIM_LOST",
    () => world.board.complete(DEFAULT, id, { summary: "again" }, by),
    `you no longer own ${id}; stop now`,
  );
});

test("a late worker cannot finish the run of its successor", async (t) => {
  const world = setupBoard(t);
  const id = await make(world);
  const late = await claimed(world, id);
  await world.board.reclaim(DEFAULT, id, "took too long", USER);
  const current = await claimed(world, id);
  const before = JSON.stringify(await world.board.show(DEFAULT, id));
  await rejectsWith("E_CLAIM_LOST", () => world.board.complete(DEFAULT, id, { summary: "old" }, workerOf(late)));
  await rejectsWith("E_CLAIM_LOST", () => world.board.heartbeat(DEFAULT, id, "old", workerOf(late)));
  await rejectsWith("E_CLAIM_LOST", () =>
    world.board.complete(DEFAULT, id, { summary: "x" }, workerOf({ ...late, run: current.run })),
  );
  assert.equal(JSON.stringify(await world.board.show(DEFAULT, id)), before, "a lost claim changes nothing");
});

test("a worker may comment on other tasks, and nothing else", async (t) => {
  const world = setupBoard(t);
  const mine = await make(world, "mine");
  const other = await make(world, "other");
  const by = workerOf(await claimed(world, mine));
  await world.board.comment(DEFAULT, other, "look at this", by);
  await rejectsWith(
    "E_NOT_OWNER",
    () => world.board.complete(DEFAULT, other, { summary: "x" }, by),
    /comment on .* instead/,
  );
  await rejectsWith("E_NOT_OWNER", () => world.board.block(DEFAULT, other, { reason: "x" }, by));
  await rejectsWith("E_NOT_OWNER", () => world.board.heartbeat(DEFAULT, other, undefined, by));
  await rejectsWith("E_NOT_OWNER", () => world.board.archive(DEFAULT, other, by));
});

test("someone else's complete stops the worker first, and the worker is refused meanwhile", async (t) => {
  const world = setupBoard(t);
  const id = await make(world);
  const by = workerOf(await claimed(world, id));
  let refused = "";
  world.stopper.onStop = async () => {
    await world.board.heartbeat(DEFAULT, id, undefined, by).catch((error: AppError) => {
      refused = error.code;
    });
  };
  await world.board.complete(DEFAULT, id, { summary: "by-hand" }, USER);
  assert.equal(refused, "E_CLAIM_LOST");
  assert.equal(world.stopper.stopped.length, 1);
  const view = await world.board.show(DEFAULT, id);
  assert.equal(view.task.status, "done");
  assert.equal(view.runs[0]?.summary, "by-hand");
});

test("a worker that cannot be ended keeps its task and may still finish", async (t) => {
  const world = setupBoard(t);
  const id = await make(world);
  const by = workerOf(await claimed(world, id));
  world.stopper.answer = "stuck";
  await rejectsWith("E_WORKER_STUCK", () => world.board.archive(DEFAULT, id, USER));
  await rejectsWith("E_WORKER_STUCK", () => world.board.archive(DEFAULT, id, USER));
  assert.equal((await kinds(world, id)).filter((kind) => kind === "stuck").length, 1, "stuck is said once per run");
  await world.board.complete(DEFAULT, id, { summary: "after all" }, by);
  assert.equal((await world.board.task(DEFAULT, id)).status, "done");
});

test("the circuit breaker blocks at the limit, after the event of the failure itself", async (t) => {
  proves(t, "limit.failures", "board.failure-limit.status-decided");
  const world = setupBoard(t);
  const id = await make(world);
  const first = await settle(world, await claimed(world, id), { how: "exit", code: 1 });
  assert.ok(first.settled && first.status === "ready" && !first.gaveUp);
  const second = await settle(world, await claimed(world, id), { how: "signal", signal: "SIGKILL" });
  assert.ok(second.settled && second.status === "blocked" && second.gaveUp);
  const view = await world.board.show(DEFAULT, id);
  assert.equal(view.task.block_kind, "breaker");
  assert.equal(view.task.consecutive_failures, 2);
  assert.deepEqual(view.events.map((event) => event.kind).slice(-2), ["crashed", "gave_up"]);
  const payload = view.events.at(-1)?.payload;
  assert.equal(payload?.["failures"], 2);
  assert.equal(payload?.["limit_source"], "default");
  assert.equal(payload?.["trigger_outcome"], "crashed");
  await world.board.unblock(DEFAULT, id, {}, USER);
  assert.equal((await world.board.task(DEFAULT, id)).consecutive_failures, 0);
});

test("the second failure in a row defers the next attempt, the first does not", async (t) => {
  const world = setupBoard(t);
  const id = await make(world, "x", { max_retries: 10 });
  await settle(world, await claimed(world, id), { how: "exit", code: 1 });
  assert.equal((await world.board.task(DEFAULT, id)).not_before, null);
  await settle(world, await claimed(world, id), { how: "exit", code: 1 });
  assert.equal((await world.board.task(DEFAULT, id)).not_before, world.clock.now() / 1000 + 30);
  assert.equal(await world.board.guarded(DEFAULT, id, "retry_backoff", 5), true);
  assert.equal(await world.board.guarded(DEFAULT, id, "retry_backoff", 5), false, "said once per change");
});

const ENDINGS: readonly { name: string; observed: Observed; outcome: string; status: string; counted: number }[] = [
  { name: "exit 0", observed: { how: "exit", code: 0 }, outcome: "protocol_violation", status: "blocked", counted: 1 },
  { name: "exit 1", observed: { how: "exit", code: 1 }, outcome: "crashed", status: "ready", counted: 1 },
  { name: "exit 64", observed: { how: "exit", code: 64 }, outcome: "spawn_failed", status: "ready", counted: 1 },
  { name: "exit 75", observed: { how: "exit", code: 75 }, outcome: "rate_limited", status: "ready", counted: 0 },
  { name: "exit 76", observed: { how: "exit", code: 76 }, outcome: "reclaimed", status: "ready", counted: 0 },
  { name: "a signal", observed: { how: "signal", signal: "SIGSEGV" }, outcome: "crashed", status: "ready", counted: 1 },
  {
    name: "gone, seen alive",
    observed: { how: "vanished", seenAlive: true },
    outcome: "crashed",
    status: "ready",
    counted: 1,
  },
  {
    name: "gone with its owner",
    observed: { how: "vanished", seenAlive: false },
    outcome: "reclaimed",
    status: "ready",
    counted: 0,
  },
  { name: "another boot", observed: { how: "host_restart" }, outcome: "reclaimed", status: "ready", counted: 0 },
  { name: "an old lease", observed: { how: "lease_expired" }, outcome: "reclaimed", status: "ready", counted: 0 },
  {
    name: "no sign of life",
    observed: { how: "stale", timeoutSeconds: 9 },
    outcome: "stale",
    status: "ready",
    counted: 0,
  },
  {
    name: "max runtime",
    observed: { how: "max_runtime", limitSeconds: 9 },
    outcome: "timed_out",
    status: "ready",
    counted: 1,
  },
  {
    name: "no start",
    observed: { how: "not_started", error: "no such file", errorClass: "start" },
    outcome: "spawn_failed",
    status: "ready",
    counted: 1,
  },
];

for (const { name, observed, outcome, status, counted } of ENDINGS) {
  test(`a worker that ended by ${name} is settled as ${outcome}`, async (t) => {
    const world = setupBoard(t);
    const id = await make(world, "x", { max_retries: 5 });
    const claim = await claimed(world, id);
    const settled = await settle(world, claim, observed);
    assert.ok(settled.settled);
    assert.equal(settled.outcome, outcome);
    const task = await world.board.task(DEFAULT, id);
    assert.equal(task.status, status);
    assert.equal(task.consecutive_failures, counted);
    assert.deepEqual(await settle(world, claim, observed), { settled: false, why: "closed" });
  });
}

test("the fourth run in a row that was lost with its owner counts as crashed", async (t) => {
  const world = setupBoard(t);
  const id = await make(world);
  const outcomes: string[] = [];
  for (let n = 0; n < 4; n++) {
    const settled = await settle(world, await claimed(world, id), { how: "vanished", seenAlive: false });
    outcomes.push(settled.settled ? settled.outcome : "");
  }
  assert.deepEqual(outcomes, ["reclaimed", "reclaimed", "reclaimed", "crashed"]);
});

test("a task blocked by hand keeps its reason as a comment and stays blocked", async (t) => {
  const world = setupBoard(t);
  const parent = await make(world, "parent");
  const id = await make(world, "child", { parents: [parent] });
  await world.board.block(DEFAULT, id, { reason: "need input", comment: true }, USER);
  await world.board.complete(DEFAULT, parent, {}, USER);
  await world.board.promoteAll(DEFAULT);
  const view = await world.board.show(DEFAULT, id);
  assert.equal(view.task.status, "blocked");
  assert.equal(view.task.block_kind, "human");
  assert.deepEqual(
    view.comments.map((comment) => comment.text),
    ["BLOCKED: need input"],
  );
  assert.equal(view.runs[0]?.outcome, "blocked");
  await rejectsWith("E_STATE", () => world.board.block(DEFAULT, id, { reason: "again", comment: true }, USER));
  assert.equal((await world.board.show(DEFAULT, id)).comments.length, 1, "a refused move leaves no comment");
});

test("a scheduled task becomes ready at its time, and not before", async (t) => {
  const world = setupBoard(t);
  const now = world.clock.now() / 1000;
  const id = await make(world, "later", { scheduled_at: now + 60 });
  assert.deepEqual(await world.board.due(DEFAULT), []);
  assert.equal(await world.board.nextDeadline(DEFAULT), now + 60);
  world.clock.advance(60_000);
  assert.deepEqual(await world.board.due(DEFAULT), [id]);
  assert.deepEqual(await kinds(world, id), ["created", "scheduled", "due"]);
});

test("an archived task releases the children that waited for it, and comes back as it was", async (t) => {
  proves(t, "board.archive.exists");
  const world = setupBoard(t);
  const parent = await make(world, "parent");
  const child = await make(world, "child", { parents: [parent] });
  assert.equal((await world.board.archive(DEFAULT, parent, USER)).released, 1);
  assert.equal((await world.board.task(DEFAULT, child)).status, "ready");
  await world.board.unarchive(DEFAULT, parent, {}, USER);
  assert.equal((await world.board.task(DEFAULT, parent)).status, "ready");
  assert.equal((await world.board.task(DEFAULT, child)).status, "todo");
});

test("the dispatcher is woken by the commit that makes a task ready", async (t) => {
  const world = setupBoard(t);
  const woken: string[] = [];
  world.board.onWake((board, cause) => woken.push(`${board} ${cause}`));
  const id = await make(world);
  assert.deepEqual(woken, ["default ready"]);
  const claim = await claimed(world, id);
  await settle(world, claim, { how: "exit", code: 1 });
  assert.deepEqual(woken.slice(1), ["default ready", "default closed"]);
});

test("a claim from outside makes the workspace and answers with the token", async (t) => {
  const world = setupBoard(t);
  const id = await make(world, "outside", { external: true });
  const answer = await world.board.claimOutside(DEFAULT, id, { ttl: 60 }, USER);
  assert.equal(answer.workspace, join(world.root, "kanban", "workspaces", id));
  const mark: unknown = JSON.parse(readFileSync(join(answer.workspace, ".agent-workspace"), "utf8"));
  assert.deepEqual(mark, { board: "default", task_id: id, created_at: world.clock.now() / 1000 });
  const file = world.board.places(DEFAULT).claim(id, answer.run_id);
  assert.equal(existsSync(file), true);
  const by = workerOf({ task: id, run: answer.run_id, token: answer.token });
  await world.board.complete(DEFAULT, id, { result: "made" }, by);
  await rejectsWith("E_CLAIM_LOST", () => world.board.complete(DEFAULT, id, { result: "made" }, by));
  assert.equal((await world.board.task(DEFAULT, id)).result, "made");
});

test("an id prefix that fits two tasks is refused with both", async (t) => {
  const world = setupBoard(t);
  const a = await make(world, "a");
  const b = await make(world, "b");
  assert.equal(await world.board.find(DEFAULT, a), a);
  await rejectsWith("E_AMBIGUOUS", () => world.board.find(DEFAULT, a.slice(0, 5)), new RegExp(`${a}, ${b}`));
  await rejectsWith("E_NOT_FOUND", () => world.board.find(DEFAULT, "t_1"));
  await rejectsWith("E_NOT_FOUND", () => world.board.find(DEFAULT, "nope"));
});

test("a full disk while a worker is stopped changes nothing, and the run can still be settled", async (t) => {
  const world = setupBoard(t);
  const id = await make(world);
  const claim = await claimed(world, id);
  world.stopper.onStop = async () => {
    world.disk.faults.quota = 0;
  };
  await rejectsWith("E_STORE_FULL", () => world.board.archive(DEFAULT, id, USER));
  world.disk.faults.quota = undefined;
  assert.equal((await world.board.task(DEFAULT, id)).status, "running");
  const settled = await settle(world, claim, { how: "signal", signal: "SIGTERM" });
  assert.ok(settled.settled && settled.outcome === "crashed");
});

test("a task whose token budget is used up is blocked instead of started again", async (t) => {
  const world = setupBoard(t, { settings: { "kanban.max_tokens_per_task": 100 } });
  const id = await make(world);
  const usage = { input_tokens: 60, output_tokens: 40, cached_tokens: 0, api_calls: 2, cost_usd: 0.5 };
  const claim = await claimed(world, id);
  await world.board.reportFailure(DEFAULT, claim, { class: "model_error", error: "boom with sk-secret", usage });
  await settle(world, claim, { how: "exit", code: 1 });
  const view = await world.board.show(DEFAULT, id);
  assert.deepEqual([view.task.status, view.task.block_kind, view.runs[0]?.outcome], ["blocked", "budget", "blocked"]);
  assert.deepEqual(view.task.usage, usage);
  assert.equal(view.runs[0]?.error, "boom with [secret]");
  assert.equal(view.task.consecutive_failures, 0);
});

test("what a worker reported before its end decides how its run is settled", async (t) => {
  const world = setupBoard(t);
  const id = await make(world);
  const until = world.clock.now() / 1000 + 7200;
  const first = await claimed(world, id);
  await world.board.reportFailure(DEFAULT, first, { class: "throttled", until });
  await settle(world, first, { how: "exit", code: 1 });
  const deferred = await world.board.task(DEFAULT, id);
  assert.deepEqual([deferred.status, deferred.not_before, deferred.last_failure_class], ["ready", until, "throttled"]);
  const second = await claimed(world, id);
  await world.board.reportFailure(DEFAULT, second, { class: "iteration_budget", budget_used: 90, budget_max: 90 });
  await settle(world, second, { how: "exit", code: 1 });
  const [, run] = await world.board.runs(DEFAULT, id);
  assert.deepEqual([run?.outcome, run?.error_class], ["timed_out", "iteration_budget"]);
});
