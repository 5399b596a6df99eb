import assert from "node:assert/strict";
import { test } from "node:test";
import { courierWorld } from "../../../fixtures/sim/courier-world.js";
import { silentLog } from "../../base/log.js";
import { systemSpawner } from "../../base/spawn-system.js";
import { createRunningScripts } from "./orphans.js";

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
  const [left, mine, other] = [await start(), await start(), await start()];
  t.after(() => Promise.all([left, mine, other].map(({ pid }) => systemSpawner.endGroup(pid, 0))));
  const scripts = () => createRunningScripts({ store: async () => store, clock, spawner: systemSpawner, log: silentLog });
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
