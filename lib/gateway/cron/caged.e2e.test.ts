import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { layOutHome } from "../../base/home.js";
import { programOnPath } from "../../base/process/program-path.js";
import { systemSpawner } from "../../base/process/spawn-system.js";
import { systemClock } from "../../base/time/clock.js";
import type { Config } from "../../contracts/config/config.js";
import { createCages } from "../../safety/cage/cages.js";
import { digestOfScript, runScript } from "./job-scripts.js";

const skip = programOnPath("bwrap", process.env["PATH"]) === undefined ? "bubblewrap is not installed" : false;

const config: Config = {
  get: (key) => key.default,
  source: () => "default",
  raw: () => undefined,
  hasVariable: () => false,
  onChange: () => () => undefined,
};

test("the script of a job runs in a cage unless it is, byte for byte, the one that a person has chosen", {
  skip,
}, async (t) => {
  const user = mkdtempSync("/var/tmp/agent-cron-caged-");
  t.after(() => rmSync(user, { recursive: true, force: true }));
  const home = layOutHome(join(user, ".agent"));
  const folder = join(home.dir, "scripts");
  const workdir = join(user, "work");
  for (const dir of [home.runDir, folder, workdir]) mkdirSync(dir, { recursive: true });
  writeFileSync(home.env, "KEY=decoy-home\n");
  const path = join(folder, "s.sh");
  writeFileSync(path, `echo in >${workdir}/made; cat ${home.env}; echo out >${user}/made; pwd; true\n`);
  const env = { PATH: process.env["PATH"] ?? "", HOME: user };
  const cages = createCages({ home, env, config, spawner: systemSpawner, clock: systemClock });
  const deps = {
    folder,
    spawner: systemSpawner,
    clock: systemClock,
    env: () => env,
    timeoutMs: () => 60_000,
    cage: () => cages.choose({ directory: workdir, lineage: "job-1", env, shown: [folder] }),
  };
  const digest = await digestOfScript(path);
  const run = (given: string | null) =>
    runScript(deps, { id: "1", script: "s.sh", digest: given }, new AbortController().signal);
  const inside = await run("another");
  assert.deepEqual([inside.failed, inside.stdout], [undefined, `${folder}\n`], inside.stderr);
  assert.match(inside.stderr, /Read-only file system/);
  assert.deepEqual([existsSync(join(user, "made")), readFileSync(join(workdir, "made"), "utf8")], [false, "in\n"]);
  const own = await run(digest);
  assert.equal(own.stdout, `KEY=decoy-home\n${folder}\n`);
  assert.equal(existsSync(join(user, "made")), true);
});
