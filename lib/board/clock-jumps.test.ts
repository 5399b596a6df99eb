import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../fixtures/ports/clock.js";
import { countingIds } from "../../fixtures/ports/ids.js";
import { simSpawner } from "../../fixtures/ports/spawn.js";
import { type SimWorker, simRunner } from "../../fixtures/sim/runner.js";
import { DEFAULT_BOARD as BOARD, type BoardOwner, openBoardOwner } from "../../fixtures/worlds/board-owner.js";
import { systemClock } from "../base/time/clock.js";
import type { Ms, TaskId } from "../base/units.js";
import type { Actor } from "../contracts/board/board.js";

/** Real time after which what has not come to pass will not any more. */
const PATIENCE_MS: Ms = 30_000;
const HUMAN: Actor = { kind: "human", name: "user" };
const YEARS = 2 * 365 * 86_400_000;
const jumps = [
  { way: "two years ahead", by: YEARS },
  { way: "two years back", by: -YEARS },
  { way: "an hour ahead", by: 3_600_000 },
  { way: "an hour back", by: -3_600_000 },
];

for (const { way, by } of jumps) {
  test(`a worker within its lease goes on when the clock is set ${way}, and its runtime is what really went by`, async (t) => {
    const { owner, clock, create, until } = await setup(t);
    await owner.dispatcher.start();
    const id = await create({ max_runtime_seconds: 120 });
    await until(async () => (await runOf(owner, id))?.worker_pid != null);
    clock.advance(30_000);
    clock.jumpWall(by);
    for (let n = 0; n < 8; n++) {
      clock.advance(10_000);
      await owner.dispatcher.pass({ max: 0 });
    }
    assert.deepEqual([(await owner.board.runs(BOARD, id)).length, (await runOf(owner, id))?.outcome], [1, null]);
    clock.advance(11_000);
    await until(async () => (await owner.board.runs(BOARD, id))[0]?.outcome === "timed_out");
  });

  test(`a worker that is adopted after the clock was set ${way} is neither stale nor over its time`, async (t) => {
    const { owner, clock, create, until, open } = await setup(t);
    const id = await create({ max_runtime_seconds: 7200 });
    await owner.dispatcher.pass({});
    await owner.close();
    clock.advance(30_000);
    clock.jumpWall(by);
    const next = await open();
    await next.dispatcher.start();
    await until(async () => (await next.board.show(BOARD, id)).events.some(({ kind }) => kind === "adopted"));
    for (let n = 0; n < 3; n++) {
      clock.advance(60_000);
      await next.dispatcher.pass({ max: 0 });
    }
    assert.deepEqual([(await next.board.runs(BOARD, id)).length, (await runOf(next, id))?.outcome], [1, null]);
  });

  test(`a task that waits after failures waits its seconds and no more when the clock is set ${way}`, async (t) => {
    const { owner, clock, create, until, workers } = await setup(t);
    const id = await create({ max_retries: 10 });
    for (let n = 0; n < 2; n++) {
      await owner.dispatcher.pass({});
      workers.at(-1)?.exit(1);
      await until(async () => (await owner.board.task(BOARD, id)).consecutive_failures === n + 1);
    }
    clock.advance(10_000);
    clock.jumpWall(by);
    assert.deepEqual((await owner.dispatcher.pass({})).spawned, [], "20 seconds are left");
    clock.advance(21_000);
    assert.equal((await owner.dispatcher.pass({})).spawned[0]?.task_id, id);
  });

  test(`a task that waits after failures is not forgotten by the owner that comes after the clock was set ${way}`, async (t) => {
    const { owner, clock, create, until, workers, open } = await setup(t);
    const id = await create({ max_retries: 10 });
    for (let n = 0; n < 2; n++) {
      await owner.dispatcher.pass({});
      workers.at(-1)?.exit(1);
      await until(async () => (await owner.board.task(BOARD, id)).consecutive_failures === n + 1);
    }
    await owner.close();
    clock.jumpWall(by);
    const next = await open();
    // What the clock did while no one looked is unknown; the longest deferral of all bounds the wait.
    clock.advance(3_600_000 + 31_000);
    assert.equal((await next.dispatcher.pass({})).spawned[0]?.task_id, id);
  });
}

test("a task is due at its wall time, also when the clock was set past it", async (t) => {
  const { owner, clock, create } = await setup(t);
  const at = Math.floor(clock.now() / 1000) + 3600;
  const id = await create({ scheduled_at: at });
  assert.equal((await owner.dispatcher.pass({})).due, 0);
  clock.jumpWall(YEARS);
  const { due, spawned } = await owner.dispatcher.pass({});
  assert.deepEqual([due, spawned[0]?.task_id], [1, id]);
});

const runOf = async (owner: BoardOwner, id: TaskId) => (await owner.board.runs(BOARD, id)).at(-1);

async function setup(t: TestContext) {
  const root = mkdtempSync(join(tmpdir(), "jumps-"));
  const clock = manualClock();
  const spawner = simSpawner(clock);
  const workers: SimWorker[] = [];
  spawner.programs.set(
    "runner",
    simRunner((one) => workers.push(one)),
  );
  const ids = countingIds();
  const programs = { runner: { file: "runner", args: [] }, worker: { file: "worker", args: [] } };
  const owners: BoardOwner[] = [];
  const open = async () => {
    const owner = await openBoardOwner({ root, clock, spawner, ids, ...programs });
    owners.push(owner);
    return owner;
  };
  const owner = await open();
  t.after(async () => {
    let closed = false;
    const closing = Promise.all(owners.map((one) => one.close())).finally(() => {
      closed = true;
    });
    // Stops look again and again whether a process is gone; files take turns of the loop, not time.
    for (let turn = 0; !closed; turn++) {
      await moment();
      if (turn % 20 === 19) clock.advance(20);
    }
    await closing;
    rmSync(root, { recursive: true, force: true });
  });
  const create = async (more: object) => (await owner.board.create(BOARD, { title: "one", ...more }, HUMAN)).task.id;
  /** Small steps of time: stops look again and again whether a process is gone. */
  const until = async (seen: () => Promise<boolean>) => {
    const late = systemClock.mono() + PATIENCE_MS;
    for (let tries = 0; !(await seen()); tries++) {
      assert.ok(systemClock.mono() < late, "it did not come to pass");
      await moment();
      if (tries % 20 === 19) clock.advance(1);
    }
  };
  return { owner, clock, spawner, workers, create, until, open };
}

const moment = () => new Promise((resolve) => setImmediate(resolve));
