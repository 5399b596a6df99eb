import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { courierWorld } from "../../../fixtures/sim/courier-world.js";
import { silentLog } from "../../base/log/log.js";
import { systemSpawner } from "../../base/process/spawn-system.js";
import { systemClock } from "../../base/time/clock.js";
import { runScript } from "./job-scripts.js";
import { createRunningScripts } from "./orphan-scripts.js";

test("a script that a killed process left behind is ended by the next one, with its children, and no other process is", async (t) => {
  const { store, clock } = await courierWorld(t, { tags: [] });
  const start = () =>
    systemSpawner.spawn({
      file: "sh",
      args: ["-c", "sleep 60 & wait"],
      cwd: "/",
      env: { PATH: process.env["PATH"] ?? "" },
      stdin: "ignore",
    });
  const left = await start();
  const mine = await start();
  const other = await start();
  t.after(() => Promise.all([left, mine, other].map(({ pid }) => systemSpawner.endGroup(pid, 0))));
  const scripts = () =>
    createRunningScripts({ store: async () => store, clock, spawner: systemSpawner, log: silentLog });
  const killed = scripts();
  await killed.began("left", left.id);
  await killed.began("reused", { ...other.id, start: "1" });
  await killed.began("over", other.id);
  await killed.ended("over");
  const next = scripts();
  await next.began("mine", mine.id);
  await next.endLeft();
  assert.deepEqual(systemSpawner.members(left.pid), []);
  assert.deepEqual([systemSpawner.alive(mine.id), systemSpawner.alive(other.id)], [true, true]);
});

test("what a script prints at once is not lost while it is written down", async (t) => {
  const { dir } = await courierWorld(t, { tags: [] });
  const folder = join(dir, "scripts");
  mkdirSync(folder);
  writeFileSync(join(folder, "s.sh"), "echo hi");
  let over: () => void = () => undefined;
  const written = new Promise<void>((resolve) => {
    over = resolve;
  });
  const spawner = {
    ...systemSpawner,
    spawn: async (spec: Parameters<typeof systemSpawner.spawn>[0]) => {
      const child = await systemSpawner.spawn(spec);
      child.closed.then(over, over);
      return child;
    },
  };
  const running = { began: () => written, ended: async () => undefined };
  const deps = {
    folder,
    spawner,
    clock: systemClock,
    env: () => ({ PATH: process.env["PATH"] ?? "" }),
    timeoutMs: () => 10_000,
    running,
  };
  assert.equal((await runScript(deps, { id: "j", script: "s.sh" }, new AbortController().signal)).stdout, "hi\n");
});
