import assert from "node:assert/strict";
import { chmodSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { simDisk } from "../../fixtures/ports/disk.js";
import { checkpointWorld } from "../../fixtures/sim/checkpoint-world.js";

test("a file whose mode alone someone else changed is named and stays, unless it is forced", async (t) => {
  const disk = simDisk();
  const world = checkpointWorld(t, { disk });
  world.put("run.sh", "1", 0o644);
  await world.turn(() => world.put("run.sh", "2", 0o644));
  chmodSync(join(world.work, "run.sh"), 0o755);
  await world.reopen(disk);
  const id = (await world.rows()).at(-1)?.id ?? "";
  const report = await world.rollBack(id);
  assert.deepEqual(report.restored, []);
  assert.deepEqual(report.skipped, [{ path: "run.sh", why: "changed outside the agent; --force restores it too" }]);
  assert.deepEqual([world.get("run.sh"), statSync(join(world.work, "run.sh")).mode & 0o777], ["2", 0o755]);
  await world.rollBack(id, { force: true });
  assert.deepEqual([world.get("run.sh"), statSync(join(world.work, "run.sh")).mode & 0o777], ["1", 0o644]);
});
