import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { countingIds } from "../../../fixtures/ports/ids.js";
import { simSpawner } from "../../../fixtures/ports/spawn.js";
import { simRunner } from "../../../fixtures/sim/runner.js";
import { DEFAULT_BOARD as BOARD, openBoardOwner } from "../../../fixtures/worlds/board-owner.js";
import type { Actor } from "../../contracts/board/board.js";

const HUMAN: Actor = { kind: "human", name: "user" };
const OFF = { "kanban.dispatch_in_gateway": false, "kanban.retry_backoff_seconds": 0 };

test("a dispatcher that is switched off starts nothing until it is forced, and nothing more afterwards", async (t) => {
  const { owner, create, workers, rest } = await setup(t, OFF);
  await create();
  assert.equal(owner.dispatcher.dispatching(), false);
  const end = owner.dispatcher.force({});
  await until(() => workers() === 1);
  assert.throws(() => owner.dispatcher.force({}), { code: "E_OWNER_RUNNING" });
  end(); // a pass may be under way: what is made from now on is not for it
  await create();
  await rest();
  assert.deepEqual([owner.dispatcher.dispatching(), workers()], [false, 1]);
});

test("so many starts per interval and no more: a slot that becomes free waits for the next one", async (t) => {
  const { owner, clock, create, workers, rest } = await setup(t, { ...OFF, "kanban.max_in_progress": 10 });
  for (let n = 0; n < 3; n++) await create();
  owner.dispatcher.force({ max: 1, intervalMs: 10_000 });
  await until(() => workers() === 1);
  await rest();
  assert.equal(workers(), 1);
  clock.advance(10_000);
  await until(() => workers() === 2);
});

test("the failure limit of the daemon counts for a worker that ends by itself", async (t) => {
  const { owner, create, spawner, workers } = await setup(t, OFF);
  const id = await create();
  owner.dispatcher.force({ failureLimit: 1 });
  await until(() => workers() === 1);
  spawner
    .living()
    .find((one) => one.group !== one.pid)
    ?.die("SIGKILL");
  await until(async () => (await owner.board.task(BOARD, id)).status === "blocked");
  const { events } = await owner.board.show(BOARD, id);
  const { effective_limit, limit_source } = events.find((event) => event.kind === "gave_up")?.payload ?? {};
  assert.deepEqual([effective_limit, limit_source], [1, "dispatch_flag"]);
});

test("workers that were being started when the dispatcher stopped are among those that go on", async (t) => {
  const { owner, create, workers } = await setup(t, {});
  await create();
  const pass = owner.dispatcher.pass({});
  await owner.dispatcher.stop(5_000);
  await pass;
  assert.deepEqual([owner.dispatcher.running(), workers()], [1, 1]);
});

async function setup(t: TestContext, config: Record<string, unknown>) {
  const root = mkdtempSync(join(tmpdir(), "force-"));
  const clock = manualClock();
  const spawner = simSpawner(clock);
  const started = simRunner(() => undefined);
  spawner.programs.set("runner", started);
  const programs = { runner: { file: "runner", args: [] }, worker: { file: "worker", args: [] } };
  const owner = await openBoardOwner({ root, clock, spawner, ids: countingIds(), ...programs, config });
  t.after(async () => {
    await owner.close();
    rmSync(root, { recursive: true, force: true });
  });
  await owner.dispatcher.start();
  await owner.passed.next();
  const rest = async () => {
    for (let turn = 0; turn < 400; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  const create = async () => (await owner.board.create(BOARD, { title: "one" }, HUMAN)).task.id;
  return {
    owner,
    clock,
    spawner,
    create,
    rest,
    workers: () => spawner.living().filter((one) => one.group !== one.pid).length,
  };
}

/** What waits only for files and promises comes to pass without time. */
async function until(seen: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await seen())) await new Promise((resolve) => setImmediate(resolve));
}
