import assert from "node:assert/strict";
import { test } from "node:test";
import { type Running, start } from "../../../fixtures/e2e/process.js";
import { boardRows, violations } from "../../../fixtures/e2e/rows.js";
import { type World, world } from "../../../fixtures/e2e/world.js";
import { seeded } from "../../../fixtures/ports/random.js";
import { proves } from "../../../fixtures/requirements.js";
import { bundleProgram } from "../../../fixtures/worlds/program.js";

/** The long run has 200. */
const KILLS = Number(process.env["AGENT_KILLS"] ?? 10);
const LOADERS = 3;
const SEED = Number(process.env["AGENT_SEED"] ?? 1);

test(`an owner killed ${KILLS} times under load loses nothing that it acknowledged`, async (t) => {
  proves(t, "R1", "R2");
  t.diagnostic(`seed ${SEED}`);
  const made = await world(t);
  const program = await bundleProgram("fixtures/workers/board-load.ts");
  t.after(() => program.remove());
  const loaders = Array.from({ length: LOADERS }, (_, n) =>
    start(process.execPath, [program.file, made.home.dir, `loader${n}`], {
      env: made.env,
      cwd: made.work,
      longestMs: 300_000 + KILLS * 5_000,
    }),
  );
  const random = seeded(SEED);
  for (let kill = 0; kill < KILLS; kill++) {
    const owner = await made.owner();
    await more(loaders, 1 + random.below(60));
    await owner.end("SIGKILL");
  }
  const last = await made.owner();
  await more(loaders, LOADERS);
  const ran = await Promise.all(loaders.map((loader) => loader.end()));
  assert.deepEqual([...new Set(ran.map(({ code, err }) => `${code} ${err}`))], ["0 "]);
  await last.end();
  await everythingIsThere(made, ran.map(({ out }) => out).join(""));
});

/** So many more acknowledgements of any of them. */
async function more(loaders: readonly Running[], count: number): Promise<void> {
  await Promise.race(loaders.map((loader) => loader.next(count)));
}

async function everythingIsThere({ home }: World, told: string): Promise<void> {
  const lines = told.split("\n");
  const created = lines
    .flatMap((line) => /^created (\S+) (\S+)$/.exec(line)?.slice(1, 3) ?? [])
    .filter((_, n) => n % 2 === 1);
  const done = lines.flatMap((line) => /^done (\S+)$/.exec(line)?.[1] ?? []);
  assert.ok(created.length > KILLS && done.length > 0, told);
  const rows = await boardRows(home.dir);
  assert.deepEqual(violations(rows, created), []);
  const status = new Map(rows.tasks.map((task) => [task.id, task.status]));
  assert.deepEqual(
    done.filter((id) => status.get(id) !== "done"),
    [],
  );
}
