import assert from "node:assert/strict";
import { lstatSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { simDisk } from "../../fixtures/ports/disk.js";
import { checkpointWorld } from "../../fixtures/sim/checkpoint-world.js";
import { systemClock } from "../base/time/clock.js";

const FILES = 20_000;
/** The promise is 500 ms on a machine that does nothing else. One that is busy or slow is so for a bare look at every file too. */
const MOST_MS = 500;
const MOST_BARE = 6;

test("20,000 files of which none has changed are looked through within half a second, and nothing else waits for it", async (t) => {
  // Without the limit of time: a look that was given up would be quick.
  const bounds = { entries: 2 * FILES, ms: 600_000 };
  const world = checkpointWorld(t, { clock: systemClock, disk: simDisk(), bounds });
  for (let at = 0; at < FILES; at++) {
    const dir = join(world.work, `d${at % 40}`, `e${Math.floor(at / 40) % 25}`);
    if (at < 1_000) mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, `f${at}.ts`), `export const n = ${at};\n`);
  }
  // What the processor does, so that neighbours on the machine do not count.
  const took = async (work: () => Promise<unknown>) => {
    const began = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(began);
    return (user + system) / 1_000;
  };
  const first = await took(() => world.before(1));
  await world.after(1); // what was written just before the first look is read once more
  const bare = await took(async () => {
    for (const path of readdirSync(world.work, { recursive: true, encoding: "utf8" }))
      lstatSync(join(world.work, path));
  });
  const looks: number[] = [];
  let longest = 0;
  for (let turn = 2; turn <= 4; turn++) {
    let last = systemClock.mono();
    let watching = true;
    const watch = () => {
      longest = Math.max(longest, systemClock.mono() - last);
      last = systemClock.mono();
      if (watching) setImmediate(watch);
    };
    watch();
    looks.push(await took(() => world.before(turn)));
    watching = false;
    await world.after(turn);
  }
  const best = looks.toSorted((a, b) => a - b)[Math.floor(looks.length / 2)] ?? 0;
  t.diagnostic(
    `first ${Math.round(first)} ms, bare ${Math.round(bare)} ms, unchanged ${looks.map(Math.round).join(" ")} ms, longest block ${Math.round(longest)} ms`,
  );
  assert.ok(best < Math.max(MOST_MS, MOST_BARE * bare), `${best} ms, ${bare} ms for a bare look`);
});
