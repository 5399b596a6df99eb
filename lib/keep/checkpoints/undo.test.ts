import assert from "node:assert/strict";
import { test } from "node:test";
import { checkpointWorld, LINEAGE } from "../../../fixtures/sim/checkpoint-world.js";
import { simDisk } from "../../../fixtures/sim/disk.js";
import { AppError } from "../../base/errors.js";

const withCode = (code: string) => (error: unknown) => error instanceof AppError && error.code === code;

test("an undo of turns that nothing is kept of says how to keep it", async (t) => {
  const world = checkpointWorld(t, { disk: simDisk(), settings: { "checkpoints.enabled": false } });
  await assert.rejects(world.checkpoints.turnFiles.restore(LINEAGE, [world.turnOf(1)]), withCode("E_INVALID"));
  assert.deepEqual(await world.checkpoints.turnFiles.changed(LINEAGE, [world.turnOf(1)]), []);
});
