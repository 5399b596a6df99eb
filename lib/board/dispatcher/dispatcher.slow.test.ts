import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { countingIds } from "../../../fixtures/ports/ids.js";
import { simSpawner } from "../../../fixtures/ports/spawn.js";
import { proves } from "../../../fixtures/requirements.js";
import { type SimWorker, simRunner } from "../../../fixtures/sim/runner.js";
import {
  DEFAULT_BOARD as BOARD,
  type BoardOwner,
  type OwnerOptions,
  openBoardOwner,
} from "../../../fixtures/worlds/board-owner.js";
import { testSignal } from "../../base/process/signal.js";
import type { BoardSlug, TaskId } from "../../base/units.js";
import type { Actor, ClaimRef } from "../../contracts/board/board.js";

const HUMAN: Actor = { kind: "human", name: "user" };

test("a ready task without an assignee goes to the default profile and is started", async (t) => {
  proves(t, "board.claim.spawns");
  const { owner, create, workers } = await setup(t);
  const id = await create("one");
  const result = await owner.dispatcher.pass({});
  assert.deepEqual(result.auto_assigned_default, [id]);
  assert.deepEqual(
    result.spawned.map((one) => [one.task_id, one.assignee]),
    [[id, "default"]],
  );
  const { order } = await workers.next();
  assert.deepEqual(order.args.slice(0, 3), ["-p", "default", "--accept-hooks"]);
  assert.deepEqual(order.args.slice(-2), ["worker", id]);
  const task = await owner.board.task(BOARD, id);
  assert.equal(task.status, "running");
  assert.equal(task.worker_pid, 1000);
});

interface Settling {
  readonly title: string;
  readonly end: (one: SimWorker) => void;
  readonly status: string;
  readonly outcome: string;
  readonly counted: number;
}

const settlings: Settling[] = [
  { title: "exit 1", end: (one) => one.exit(1), status: "ready", outcome: "crashed", counted: 1 },
  {
    title: "exit 0 without a terminal call",
    end: (one) => one.exit(0),
    status: "blocked",
    outcome: "protocol_violation",
    counted: 1,
  },
  { title: "exit 64", end: (one) => one.exit(64), status: "ready", outcome: "spawn_failed", counted: 1 },
  { title: "exit 75", end: (one) => one.exit(75), status: "ready", outcome: "rate_limited", counted: 0 },
  { title: "exit 76", end: (one) => one.exit(76), status: "ready", outcome: "reclaimed", counted: 0 },
  { title: "a signal", end: (one) => one.worker.die("SIGSEGV"), status: "ready", outcome: "crashed", counted: 1 },
  {
    title: "the loss of its runner without a record",
    end: (one) => {
      one.worker.deaf = true;
      one.runner.die("SIGKILL");
    },
    status: "ready",
    outcome: "crashed",
    counted: 1,
  },
];

for (const { title, end, status, outcome, counted } of settlings) {
  test(`a worker that ends by ${title} is settled as ${outcome}`, async (t) => {
    const { owner, create, workers, clock, spawner } = await setup(t, {
      "kanban.max_in_progress": 1,
      "kanban.kill_grace_seconds": 0,
    });
    const id = await create("one");
    await owner.dispatcher.pass({});
    end(await workers.next());
    await timePassing(clock, owner.dispatcher.pass({ max: 0 }));
    const task = await owner.board.task(BOARD, id);
    const [run] = await owner.board.runs(BOARD, id);
    assert.deepEqual([run?.outcome, task.status, task.consecutive_failures], [outcome, status, counted]);
    assert.deepEqual(spawner.living(), [], "nothing of the attempt is left");
  });
}

test("a program that cannot be started is a spawn failure, the second one blocks the task", async (t) => {
  const { owner, create } = await setup(t, {}, { startError: "cannot start /nonexistent" });
  const id = await create("one");
  assert.deepEqual((await owner.dispatcher.pass({})).spawned, []);
  assert.equal((await owner.board.task(BOARD, id)).status, "ready");
  assert.deepEqual((await owner.dispatcher.pass({})).auto_blocked, [id]);
  const task = await owner.board.task(BOARD, id);
  assert.deepEqual(
    [task.status, task.block_kind, task.last_failure_error],
    ["blocked", "breaker", "cannot start /nonexistent"],
  );
});

test("caps hold: all boards together, and per profile", async (t) => {
  const { owner, create } = await setup(t, { "kanban.max_in_progress": 3, "kanban.max_in_progress_per_profile": 1 });
  const coder = await create("a", { assignee: "coder", priority: 3 });
  const second = await create("b", { assignee: "coder", priority: 2 });
  const critic = await create("c", { assignee: "critic", priority: 1 });
  await create("d", { assignee: "default" });
  await create("e", { assignee: "default" });
  const result = await owner.dispatcher.pass({});
  assert.deepEqual(result.spawned.map((one) => one.task_id).slice(0, 2), [coder, critic]);
  assert.deepEqual(result.skipped_per_profile_capped, [{ task_id: second, assignee: "coder", current: 1 }]);
  assert.equal(result.spawned.length, 3);
  assert.equal(result.skipped_capped, 1);
});

test("a dry run tells what would be started and changes nothing", async (t) => {
  const { owner, create, spawner } = await setup(t);
  const id = await create("one");
  const before = await owner.board.lastEvent(BOARD);
  const result = await owner.dispatcher.pass({ dryRun: true });
  assert.deepEqual(result.spawned, [
    { task_id: id, assignee: "default", workspace: owner.board.places(BOARD).scratch(id) },
  ]);
  assert.ok(result.dry_run);
  assert.equal(await owner.board.lastEvent(BOARD), before);
  assert.deepEqual(spawner.all, []);
});

test("an unknown assignee and an outside task are left alone", async (t) => {
  const { owner, create } = await setup(t, { "kanban.external_assignees": ["desk"] });
  const nobody = await create("a", { assignee: "nosuch", priority: 1 });
  const desk = await create("b", { assignee: "desk" });
  assert.deepEqual((await owner.dispatcher.pass({})).skipped_nonspawnable, [nobody, desk]);
});

test("a task is found at once behind any number of tasks that are left to others, and no one reads those", async (t) => {
  const { owner, create } = await setup(t, { "kanban.external_assignees": ["desk"] });
  for (let at = 0; at < 30; at++)
    await create("theirs", { priority: 5, ...(at % 2 ? { assignee: "desk" } : { external: true }) });
  await create("nobody's", { assignee: "nosuch", priority: 5 });
  const ours = await create("ours");
  const found = await owner.board.startable(BOARD, [null, "default", "coder"], 20);
  assert.deepEqual(
    found.map((task) => task.id),
    [ours],
  );
});

test("a task is claimed as soon as it is ready, and its child as soon as the parent is done", async (t) => {
  const { owner, create, workers } = await setup(t);
  await owner.dispatcher.start();
  const parent = await create("parent");
  const child = await create("child", { parents: [parent] });
  const first = await workers.next();
  assert.equal(first.order.args.at(-1), parent);
  await owner.board.complete(BOARD, parent, { summary: "ok" }, HUMAN);
  assert.equal((await workers.next()).order.args.at(-1), child);
});

test("a live worker whose lease ran out keeps its task", async (t) => {
  const { owner, create, clock, spawner } = await setup(t, { "kanban.claim_ttl_seconds": 1 });
  const id = await create("one");
  await owner.dispatcher.pass({});
  clock.advance(2_000);
  await owner.dispatcher.pass({});
  const { events, runs } = await owner.board.show(BOARD, id);
  const extended = events.find((event) => event.kind === "claim_extended");
  assert.equal(extended?.payload["reason"], "worker_alive");
  assert.equal(runs.length, 1);
  assert.deepEqual(spawner.signals, []);
});

test("a run over its runtime is stopped and counted", async (t) => {
  const { owner, create, clock } = await setup(t);
  const id = await create("one", { max_runtime_seconds: 60 });
  await owner.dispatcher.pass({});
  clock.advance(61_000);
  const result = await timePassing(clock, owner.dispatcher.pass({ max: 0 }));
  assert.deepEqual(result.timed_out, [id]);
  assert.equal((await owner.board.task(BOARD, id)).consecutive_failures, 1);
});

test("a worker that cannot be ended keeps its task: the verb fails, nothing else is started, it may still finish", async (t) => {
  const { owner, create, workers, clock, spawner } = await setup(t);
  const id = await create("one");
  await owner.dispatcher.pass({});
  const { runner } = await workers.next();
  runner.immortal = true;
  await assert.rejects(timePassing(clock, owner.board.reclaim(BOARD, id, "x", HUMAN)), { code: "E_WORKER_STUCK" });
  assert.equal((await owner.board.task(BOARD, id)).status, "running");
  const { events } = await owner.board.show(BOARD, id);
  assert.equal(events.filter((event) => event.kind === "stuck").length, 1);
  await timePassing(clock, owner.dispatcher.pass({}));
  assert.equal(spawner.all.filter((one) => one.spec).length, 2, "the runner and its worker, no second ones");
});

test("the next owner adopts what lives: same process, same run", async (t) => {
  const { owner, create, reopen, spawner } = await setup(t);
  const id = await create("one");
  await owner.dispatcher.pass({});
  await owner.close();
  const next = await reopen();
  await next.dispatcher.start();
  const { events, runs, task } = await next.board.show(BOARD, id);
  assert.ok(events.some((event) => event.kind === "adopted"));
  assert.deepEqual([runs.length, task.worker_pid, spawner.signals.length], [1, 1000, 0]);
});

test("after a restart of the system runs are reclaimed uncounted, and a process with the old pid is left alone", async (t) => {
  const { owner, create, reopen, spawner } = await setup(t);
  const id = await create("one");
  await owner.dispatcher.pass({});
  await owner.close();
  spawner.reboot();
  const foreign = spawner.foreign(1000);
  const next = await reopen({ "kanban.dispatch_in_gateway": false });
  await next.dispatcher.start();
  const [run] = await next.board.runs(BOARD, id);
  assert.deepEqual([run?.outcome, run?.end_reason], ["reclaimed", "host_restart"]);
  assert.equal((await next.board.task(BOARD, id)).consecutive_failures, 0);
  assert.deepEqual([spawner.signals, foreign.state], [[], "running"]);
});

test("a worker that is gone without a record while no owner looked is reclaimed uncounted", async (t) => {
  const { owner, create, workers, reopen, spawner } = await setup(t);
  const id = await create("one");
  await owner.dispatcher.pass({});
  const { runner, worker } = await workers.next();
  await owner.close();
  worker.exit(0);
  runner.die("SIGKILL");
  spawner.foreign(runner.pid);
  const next = await reopen({ "kanban.dispatch_in_gateway": false });
  await next.dispatcher.start();
  const [run] = await next.board.runs(BOARD, id);
  assert.deepEqual([run?.end_reason, spawner.signals.length], ["lost_with_owner", 0]);
});

test("a worker that stays after its run was closed is ended 30 s later, and its task waits for that", async (t) => {
  const { owner, create, workers, clock, spawner } = await setup(t);
  await owner.dispatcher.start();
  const id = await create("one");
  const { worker } = await workers.next();
  const claim = await claimOf(owner, id);
  await owner.board.complete(BOARD, id, { summary: "ok" }, { kind: "worker", name: "default", claim });
  await clock.waitsFor(30_000);
  const state = (): string => worker.state;
  clock.advance(29_000);
  assert.equal(state(), "running");
  assert.deepEqual(spawner.signals, []);
  clock.advance(2_000);
  while (state() !== "gone") {
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(50);
  }
});

test("a day that the wall clock jumps ahead takes no task from a live worker", async (t) => {
  const { owner, create, clock, spawner } = await setup(t);
  const id = await create("one", { max_runtime_seconds: 3600 });
  await owner.dispatcher.pass({});
  clock.jumpWall(86_400_000);
  await owner.dispatcher.pass({});
  assert.equal((await owner.board.runs(BOARD, id)).length, 1);
  assert.deepEqual(spawner.signals, []);
});

test("a paused board starts nothing, and everything at once when it is resumed", async (t) => {
  const { owner, create, workers } = await setup(t);
  await owner.dispatcher.start();
  await owner.board.pause(BOARD, {}, HUMAN);
  const id = await create("one");
  assert.equal((await owner.dispatcher.pass({})).skipped_paused, 1);
  await owner.board.resume(BOARD, HUMAN);
  assert.equal((await workers.next()).order.args.at(-1), id);
});

test("a task whose failed attempt still lives is not started again before that is gone", async (t) => {
  const { owner, create, workers, clock, spawner } = await setup(t, {
    "kanban.kill_grace_seconds": 0,
    "kanban.retry_backoff_seconds": 0,
  });
  await create("one");
  await owner.dispatcher.pass({});
  const { runner, worker } = await workers.next();
  worker.immortal = true;
  runner.die("SIGKILL");
  await timePassing(clock, owner.dispatcher.pass({}));
  assert.equal(spawner.all.filter((one) => one.group === one.pid).length, 1, "no second attempt beside the first");
  worker.immortal = false;
  await timePassing(clock, owner.dispatcher.pass({}));
  assert.equal(spawner.all.filter((one) => one.group === one.pid).length, 2);
});

test("boards take turns, beginning after the one that was served last", async (t) => {
  const { owner, create } = await setup(t, { "kanban.max_in_progress": 3 });
  const { board } = await owner.board.createBoard({ slug: "other" }, HUMAN);
  const other = board.slug as BoardSlug; // the slug of a listed board
  await create("a1", { priority: 9 });
  await create("a2", { priority: 9 });
  await owner.board.create(other, { title: "b1" }, HUMAN);
  await owner.board.create(other, { title: "b2" }, HUMAN);
  await owner.dispatcher.pass({ max: 1 });
  assert.equal((await owner.board.openRuns(BOARD)).length, 1);
  await owner.dispatcher.pass({ max: 1 });
  assert.equal((await owner.board.openRuns(other)).length, 1);
});

interface World {
  readonly startError?: string;
}

async function setup(t: TestContext, config: Record<string, unknown> = {}, world: World = {}) {
  const root = mkdtempSync(join(tmpdir(), "dispatch-"));
  const clock = manualClock("2026-03-29T00:30:00Z");
  const spawner = simSpawner(clock);
  const workers = testSignal<SimWorker>();
  spawner.programs.set(
    "runner",
    simRunner(
      (one) => workers.emit(one),
      () => world.startError,
    ),
  );
  const ids = countingIds();
  const open = async (settings: Record<string, unknown>) => {
    const runner = { file: "runner", args: [] };
    const options: OwnerOptions = {
      root,
      clock,
      ids,
      spawner,
      runner,
      worker: { file: "worker", args: [] },
      config: settings,
    };
    const owner = await openBoardOwner(options);
    t.after(() => timePassing(clock, owner.close()));
    return owner;
  };
  const owner = await open(config);
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const create = async (title: string, more: object = {}): Promise<TaskId> =>
    (await owner.board.create(BOARD, { title, ...more }, HUMAN)).task.id;
  return { owner, clock, spawner, workers, create, reopen: (settings = config) => open(settings) };
}

async function claimOf(owner: BoardOwner, id: TaskId): Promise<ClaimRef> {
  const { current_run_id } = await owner.board.task(BOARD, id);
  assert.ok(current_run_id !== null);
  const claim: ClaimRef = JSON.parse(readFileSync(owner.board.places(BOARD).claim(id, current_run_id), "utf8"));
  return claim;
}

/** Lets every wait of `work` come to its end. */
async function timePassing<T>(clock: ReturnType<typeof manualClock>, work: Promise<T>): Promise<T> {
  let done = false;
  const result = work.finally(() => {
    done = true;
  });
  result.catch(() => undefined);
  while (!done) {
    await new Promise((resolve) => setImmediate(resolve));
    if (!done) clock.advance(50);
  }
  return result;
}
