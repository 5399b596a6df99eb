import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { countingIds } from "../../../fixtures/ports/ids.js";
import { simSpawner } from "../../../fixtures/ports/spawn.js";
import { simRunner } from "../../../fixtures/sim/runner.js";
import { DEFAULT_BOARD as BOARD, type BoardOwner, openBoardOwner } from "../../../fixtures/worlds/board-owner.js";
import type { TaskId } from "../../base/units.js";
import type { Actor, Run } from "../../contracts/board/board.js";

const HUMAN: Actor = { kind: "human", name: "user" };
const DISPATCHER: Actor = { kind: "system", name: "dispatcher" };

test("a task that was claimed but not started before the owner died is set free uncounted", async (t) => {
  const { open, create } = setup(t);
  const first = await open();
  const id = await create(first);
  await first.board.claim(BOARD, id, { profile: "default", lock: "test:1", by: DISPATCHER });
  await first.close();
  const run = await firstRun(await started(await open()), id);
  assert.deepEqual([run?.outcome, run?.end_reason], ["reclaimed", "lost_with_owner"]);
});

test("an outside claim without a process outlives the owner", async (t) => {
  const { open, create } = setup(t);
  const first = await open();
  const id = await create(first);
  await first.board.claimOutside(BOARD, id, {}, HUMAN);
  await first.close();
  const run = await firstRun(await started(await open()), id);
  assert.equal(run?.outcome, null);
});

test("a worker that is still leaving its closed run is ended by the next owner 30 s later", async (t) => {
  const { open, create, clock, spawner } = setup(t);
  const first = await open();
  const id = await create(first);
  await first.dispatcher.pass({});
  const { current_run_id } = await first.board.task(BOARD, id);
  assert.ok(current_run_id !== null);
  await first.close();
  const second = await open();
  // The worker completed its task while its owner was going down.
  await second.board.settle({ board: BOARD, task: id, run: current_run_id, observed: { how: "board_paused" } });
  await started(second);
  assert.equal(spawner.living().length, 2);
  clock.advance(31_000);
  await until(clock, () => spawner.living().length === 0, 50);
});

test("a record that a runner writes when its run has ended already goes with the next pass, and those of open runs stay", async (t) => {
  const { open, create } = setup(t, true);
  const owner = await open();
  const ended = await create(owner);
  await owner.board.complete(BOARD, ended, {}, HUMAN);
  const going = await create(owner);
  const claim = await owner.board.claimOutside(BOARD, going, {}, HUMAN);
  const places = owner.board.places(BOARD);
  const run = await firstRun(owner, ended);
  assert.ok(run);
  writeFileSync(places.exit(ended, run.id), "{}");
  await owner.dispatcher.pass({});
  assert.deepEqual(readdirSync(places.runs), [basename(places.claim(going, claim.run_id))]);
});

test("a scheduled task starts at its time, not at the next tick", async (t) => {
  const { open, clock, spawner } = setup(t, true);
  const owner = await started(await open());
  const at = Math.floor(clock.now() / 1000) + 10;
  const { task } = await owner.board.create(BOARD, { title: "later", scheduled_at: at }, HUMAN);
  assert.equal(task.status, "scheduled");
  await moments();
  clock.advance(9_000);
  await moments();
  assert.deepEqual(spawner.all, []);
  clock.advance(1_001);
  await until(clock, () => spawner.living().length === 2);
  assert.equal((await owner.board.task(BOARD, task.id)).status, "running");
});

test("tasks that no one can start do not hide those behind them", async (t) => {
  const { open, clock, spawner } = setup(t, true);
  const owner = await open();
  for (let n = 0; n < 210; n++)
    await owner.board.create(BOARD, { title: `x${n}`, assignee: "nosuch", priority: 1 }, HUMAN);
  const { task } = await owner.board.create(BOARD, { title: "last" }, HUMAN);
  await started(owner);
  await until(clock, () => spawner.living().length === 2);
  assert.equal((await owner.board.task(BOARD, task.id)).status, "running");
});

function setup(t: TestContext, dispatch = false) {
  const root = mkdtempSync(join(tmpdir(), "adopt-"));
  const clock = manualClock();
  const spawner = simSpawner(clock);
  const ids = countingIds();
  spawner.programs.set(
    "runner",
    simRunner(() => undefined),
  );
  const owners: BoardOwner[] = [];
  t.after(async () => {
    for (const owner of owners) await owner.close();
    rmSync(root, { recursive: true, force: true });
  });
  return {
    clock,
    spawner,
    create: async (owner: BoardOwner): Promise<TaskId> =>
      (await owner.board.create(BOARD, { title: "one" }, HUMAN)).task.id,
    open: async () => {
      const programs = { runner: { file: "runner", args: [] }, worker: { file: "worker", args: [] } };
      const config = { "kanban.dispatch_in_gateway": dispatch };
      const owner = await openBoardOwner({ root, clock, ids, spawner, config, ...programs });
      owners.push(owner);
      return owner;
    },
  };
}

async function started(owner: BoardOwner): Promise<BoardOwner> {
  await owner.dispatcher.start();
  return owner;
}

async function firstRun(owner: BoardOwner, id: TaskId): Promise<Run | undefined> {
  return (await owner.board.runs(BOARD, id))[0];
}

/** Lets what was begun go on until `seen`. No time passes but `step` milliseconds at each look. */
async function until(clock: ReturnType<typeof manualClock>, seen: () => boolean, step = 0): Promise<void> {
  while (!seen()) {
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(step);
  }
}

/** Lets what was begun go on while no time passes. */
async function moments(): Promise<void> {
  for (let n = 0; n < 60; n++) await new Promise((resolve) => setImmediate(resolve));
}
