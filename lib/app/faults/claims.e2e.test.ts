import assert from "node:assert/strict";
import { test } from "node:test";
import { start } from "../../../fixtures/e2e/process.js";
import { boardRows, violations } from "../../../fixtures/e2e/rows.js";
import { world } from "../../../fixtures/e2e/world.js";
import { proves } from "../../../fixtures/requirements.js";
import { bundleProgram } from "../../../fixtures/worlds/program.js";

const TASKS = 1_000;
const CLIENTS = 8;
const IN_FLIGHT = 32;

test("eight processes that claim a thousand tasks at once get each of them exactly once", async (t) => {
  proves(t, "board.claim.atomic", "R2");
  const { owner, client, home, env, work } = await world(t);
  const program = await bundleProgram("fixtures/workers/claimer.ts");
  t.after(() => program.remove());
  const owning = await owner();
  const own = client();
  const ids: string[] = [];
  const create = async () => {
    while (ids.length < TASKS) {
      const place = ids.push("") - 1;
      ids[place] = (await own.call<{ id: string }>("kanban.create", { title: `task ${place}`, external: true })).id;
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, create));
  own.close();
  const claimers = Array.from({ length: CLIENTS }, (_, n) =>
    start(process.execPath, [program.file, home.dir, String((n * TASKS) / CLIENTS), ...ids], { env, cwd: work }),
  );
  const ran = await Promise.all(claimers.map(({ ended }) => ended));
  assert.deepEqual([...new Set(ran.map(({ code, err }) => `${code} ${err}`))], ["0 "]);
  const won = ran.map(({ out }): string[] => JSON.parse(out));
  assert.equal(won.flat().length, TASKS);
  assert.deepEqual(new Set(won.flat()), new Set(ids));
  await owning.end();
  const rows = await boardRows(home.dir);
  assert.equal(rows.runs.length, TASKS);
  assert.deepEqual(violations(rows, ids), []);
});
