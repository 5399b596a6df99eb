import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../fixtures/ports/clock.js";
import { countingIds } from "../../fixtures/ports/ids.js";
import { simSpawner } from "../../fixtures/ports/spawn.js";
import { proves } from "../../fixtures/requirements.js";
import { simRunner } from "../../fixtures/sim/runner.js";
import { DEFAULT_BOARD as BOARD, openBoardOwner } from "../../fixtures/worlds/board-owner.js";
import type { Actor } from "../contracts/board/board.js";

const HUMAN: Actor = { kind: "human", name: "user" };

const INTERVALS = [
  { interval: "60 seconds", config: {}, seconds: 60 },
  { interval: "the seconds that the setting says", config: { "kanban.dispatch_interval_seconds": 5 }, seconds: 5 },
];
for (const { interval, config, seconds } of INTERVALS) {
  test(`with nothing happening the dispatcher looks again after ${interval}`, async (t) => {
    proves(t, "config.kanban.dispatch-interval", "limit.dispatcher-tick");
    const { owner, clock } = await setup(t, config);
    const begun = owner.passed.next();
    await owner.dispatcher.start();
    await begun;
    let again = false;
    const next = owner.passed.next().then(() => {
      again = true;
    });
    clock.advance(seconds * 1000 - 1);
    await rest();
    assert.equal(again, false);
    clock.advance(1);
    await next;
  });
}

test("a run over its time is ended, reclaimed, and tried again as a new run", async (t) => {
  proves(t, "board.task.max-runtime", "board.reclaim");
  const { owner, clock, spawner } = await setup(t, { "kanban.retry_backoff_seconds": 0 });
  const { task } = await owner.board.create(BOARD, { title: "one", max_runtime_seconds: 60 }, HUMAN);
  await owner.dispatcher.pass({});
  clock.advance(61_000);
  await timePassing(clock, owner.dispatcher.pass({ max: 0 }));
  assert.deepEqual(spawner.living(), [], "the worker disappeared");
  assert.equal((await owner.board.task(BOARD, task.id)).status, "ready");
  await owner.dispatcher.pass({});
  const runs = await owner.board.runs(BOARD, task.id);
  assert.deepEqual(
    runs.map(({ outcome }) => outcome),
    ["timed_out", null],
  );
});

test("a claim that expired is reclaimed, and the next attempt is a new run", async (t) => {
  proves(t, "board.reclaim");
  const { owner, clock } = await setup(t);
  const { task } = await owner.board.create(BOARD, { title: "one", external: true }, HUMAN);
  const first = await owner.board.claimOutside(BOARD, task.id, { ttl: 60 }, HUMAN);
  clock.advance(59_000);
  await owner.dispatcher.pass({});
  assert.equal((await owner.board.task(BOARD, task.id)).status, "running");
  clock.advance(1_000);
  assert.equal((await owner.dispatcher.pass({})).reclaimed, 1);
  const second = await owner.board.claimOutside(BOARD, task.id, { ttl: 60 }, HUMAN);
  const runs = await owner.board.runs(BOARD, task.id);
  assert.deepEqual(
    runs.map(({ id, end_reason }) => [id, end_reason]),
    [
      [first.run_id, "lease_expired"],
      [second.run_id, null],
    ],
  );
});

async function setup(t: TestContext, config: Record<string, unknown> = {}) {
  const root = mkdtempSync(join(tmpdir(), "passes-"));
  const clock = manualClock();
  const spawner = simSpawner(clock);
  spawner.programs.set(
    "runner",
    simRunner(() => undefined),
  );
  const programs = { runner: { file: "runner", args: [] }, worker: { file: "worker", args: [] } };
  const owner = await openBoardOwner({ root, clock, spawner, ids: countingIds(), ...programs, config });
  t.after(async () => {
    await timePassing(clock, owner.close());
    rmSync(root, { recursive: true, force: true });
  });
  return { owner, clock, spawner };
}

/** What has begun goes on as far as it can without time. */
async function rest(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Lets every wait of `work` come to its end. */
async function timePassing<T>(clock: ReturnType<typeof manualClock>, work: Promise<T>): Promise<T> {
  let done = false;
  const result = work.finally(() => {
    done = true;
  });
  while (!done) {
    await new Promise((resolve) => setImmediate(resolve));
    if (!done) clock.advance(50);
  }
  return result;
}
