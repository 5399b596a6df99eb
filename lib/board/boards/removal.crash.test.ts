import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { countingIds } from "../../../fixtures/ports/ids.js";
import { type Random, seeded } from "../../../fixtures/ports/random.js";
import { simSpawner } from "../../../fixtures/ports/spawn.js";
import { type SimWorker, simRunner } from "../../../fixtures/sim/runner.js";
import { openBoardOwner } from "../../../fixtures/worlds/board-owner.js";
import { AppError } from "../../base/errors.js";
import type { BoardSlug } from "../../base/units.js";
import type { Actor } from "../../contracts/board/board.js";

const ROUNDS = process.env["AGENT_TEST_SHORT"] === "1" ? 12 : 40;
const SEED = Number(process.env["AGENT_SEED"] ?? 1);
const HUMAN: Actor = { kind: "human", name: "user" };
const A = "a" as BoardSlug; // a slug by its form

async function setup(t: TestContext) {
  const root = mkdtempSync(join(tmpdir(), "removal-"));
  const clock = manualClock();
  const spawner = simSpawner(clock);
  const started: SimWorker[] = [];
  spawner.programs.set(
    "runner",
    simRunner((one) => void started.push(one)),
  );
  const config = { "kanban.max_in_progress": 3 };
  const program = { file: "runner", args: [] };
  const ports = {
    root,
    clock,
    ids: countingIds(3),
    spawner,
    runner: program,
    worker: { file: "worker", args: [] },
    config,
  };
  const owner = await openBoardOwner(ports);
  t.after(async () => {
    await owner.close();
    rmSync(root, { recursive: true, force: true });
  });
  return { root, owner, spawner, started };
}

/** Lets others go on for a while. */
async function pause(random: Random): Promise<void> {
  for (let turns = random.below(40); turns > 0; turns--) await new Promise((resolve) => setImmediate(resolve));
}

/** What a call may meet whose board goes away under it. */
async function unlessGone(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    const expected =
      error instanceof AppError && (error.code === "E_BOARD_NOT_FOUND" || /being removed/.test(error.message));
    assert.ok(expected, String(error instanceof Error ? error.stack : error));
  }
}

test(`a board removed at any moment of a pass is not made again, and its workers are ended (${ROUNDS} schedules, seed ${SEED})`, async (t) => {
  const { root, owner, spawner } = await setup(t);
  const { board, dispatcher } = owner;
  for (let round = 0; round < ROUNDS; round++) {
    const random = seeded(SEED * 1000 + round);
    await board.createBoard({ slug: "a" }, HUMAN);
    for (let n = 1 + random.below(4); n > 0; n--) await board.create(A, { title: `task ${n}` }, HUMAN);
    if (random.below(2) === 0) await dispatcher.pass({});
    const passing = (async () => {
      await pause(random);
      await dispatcher.pass({});
      await dispatcher.pass({});
    })();
    const writing = (async () => {
      await pause(random);
      await unlessGone(board.create(A, { title: "late" }, HUMAN));
    })();
    await pause(random);
    const forGood = random.below(4) === 0;
    await board.removeBoard("a", { force: true, delete: forGood }, HUMAN);
    await Promise.all([passing, writing]);
    const place = dirname(board.places(A).store);
    assert.equal(existsSync(place), false, `round ${round}: ${place} is there`);
    const left = spawner.living().map((one) => `${one.pid} ${JSON.stringify(one.spec?.args)}`);
    assert.deepEqual(left, [], `round ${round}`);
    assert.deepEqual(await board.slugs(), []);
    if (forGood) continue;
    await board.restoreBoard("a", {}, HUMAN);
    assert.deepEqual(await board.openRuns(A), [], `round ${round}`);
    for (const { task } of await board.list(A, {})) assert.notEqual(task.status, "running");
    await board.removeBoard("a", { delete: true }, HUMAN);
  }
  assert.ok(existsSync(root));
});
