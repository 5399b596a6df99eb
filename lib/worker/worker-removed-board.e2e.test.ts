import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { type KanbanWorld, kanbanWorld } from "../../fixtures/e2e/kanban.js";
import { allCleared, everythingInOrder, unruly, workersBeside } from "../../fixtures/e2e/unruly.js";
import { seeded } from "../../fixtures/ports/random.js";
import { proves } from "../../fixtures/requirements.js";
import { systemSpawner } from "../base/process/spawn-system.js";
import { boardDir } from "../board/core/places.js";

const ROUNDS = 4;
const SEED = Number(process.env["AGENT_SEED"] ?? 1);

test("a board removed while its tasks are started and end is not made again; its workers end, and the others' go on", {
  timeout: 500_000,
}, async (t) => {
  proves(t, "R2");
  t.diagnostic(`seed ${SEED}`);
  const random = seeded(SEED);
  const world = await kanbanWorld(t, { mode: "script", kanban: { ...SWIFT, max_in_progress: "unlimited" } });
  const { plan } = unruly(world);
  const owner = await world.daemon("--interval", "1");
  const stays = await world.make("stays", "--initial-status", "blocked");
  plan(stays, ["hang"]);
  await world.K("unblock", stays);
  const { pid } = await world.told(stays);
  for (let round = 0; round < ROUNDS; round++) {
    const slug = `b${round}`;
    await world.K("boards", "create", slug);
    await fill(world, slug, 1 + random.below(4));
    const [creating, removed] = await Promise.all([
      // Some of these come after the board has gone.
      Promise.all(Array.from({ length: 4 }, (_, n) => world.K("--board", slug, "create", `late ${n}`))),
      world.K("boards", "rm", slug, "--force", ...(random.chance(0.5) ? ["--delete"] : [])),
    ]);
    assert.equal(removed.code, 0, removed.err);
    assert.ok(
      creating.every(({ code, err }) => code === 0 || /no board/.test(err)),
      JSON.stringify(creating),
    );
    await world.P();
    assert.ok(!existsSync(boardDir(world.home.root, slug)), readdirSync(boardDir(world.home.root, "")).join(" "));
    assert.deepEqual(workersBeside(world, "default"), []);
  }
  assert.ok(systemSpawner.identify(pid), "the worker of the other board");
  const boards = await world.J<{ slug: string }[]>("boards", "list");
  assert.deepEqual(
    boards.map(({ slug }) => slug),
    ["default"],
  );
  assert.equal((await world.K("archive", stays)).code, 0);
  await allCleared(world);
  assert.equal((await owner.end()).code, 0);
  await everythingInOrder(world, [stays]);
});

const SWIFT = { retry_backoff_seconds: 0, kill_grace_seconds: 1 };

/** Tasks whose workers hang; some are still being started when this returns. */
async function fill(world: KanbanWorld, slug: string, count: number): Promise<void> {
  world.mode("sleep");
  for (let n = 0; n < count; n++) assert.equal((await world.K("--board", slug, "create", `task ${n}`)).code, 0);
}
