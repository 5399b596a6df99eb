import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { simDisk } from "../../fixtures/ports/disk.js";
import { checkpointWorld, LINEAGE } from "../../fixtures/sim/checkpoint-world.js";
import { AppError } from "../base/errors.js";
import type { SessionId } from "../base/units.js";

const withCode = (code: string) => (error: unknown) => error instanceof AppError && error.code === code;
const OTHER = "20260101_000000_bbbbbb" as SessionId; // of the form of an id

test("an undo of turns that nothing is kept of says how to keep it", async (t) => {
  const world = checkpointWorld(t, { disk: simDisk(), settings: { "checkpoints.enabled": false } });
  await assert.rejects(world.checkpoints.turnFiles.restore(LINEAGE, [world.turnOf(1)]), withCode("E_INVALID"));
  assert.deepEqual(await world.checkpoints.turnFiles.changed(LINEAGE, [world.turnOf(1)]), {
    files: [],
    partial: [],
  });
});

test("the files of an undone turn come back, and with the redo they are as the turn left them", async (t) => {
  const world = checkpointWorld(t, { disk: simDisk() });
  world.put("a.txt", "1");
  const turn = await world.turn(() => {
    world.put("a.txt", "2");
    world.put("b.txt", "2");
  });
  const { turnFiles } = world.checkpoints;
  const paths = ["a.txt", "b.txt"].map((name) => join(world.work, name));
  assert.deepEqual(await turnFiles.changed(LINEAGE, [turn]), { files: paths, partial: [] });
  const undone = await turnFiles.restore(LINEAGE, [turn]);
  assert.deepEqual([undone.restored, undone.removed], [[paths[0]], [paths[1]]]);
  assert.equal(world.get("a.txt"), "1");
  await turnFiles.again(LINEAGE, undone.token);
  assert.deepEqual([world.get("a.txt"), world.get("b.txt")], ["2", "2"]);
  assert.deepEqual(
    world.told.map(({ kind }) => kind),
    ["checkpoint.restored", "checkpoint.restored"],
  );
});

test("an undo from a partial checkpoint names the directory where changes of programs remain", async (t) => {
  const world = checkpointWorld(t, { disk: simDisk(), bounds: { entries: 5, ms: 60_000 } });
  for (let at = 0; at < 9; at++) world.put(`many/${at}.txt`, "1");
  world.put("named.txt", "1");
  const turn = await world.turn(() => {
    world.put("named.txt", "2");
    world.put("many/1.txt", "2");
  }, ["named.txt"]);
  const { turnFiles } = world.checkpoints;
  assert.deepEqual((await turnFiles.changed(LINEAGE, [turn])).partial, [world.work]);
  const { restored, skipped, partial } = await turnFiles.restore(LINEAGE, [turn]);
  assert.deepEqual([restored, skipped, partial], [[join(world.work, "named.txt")], [], [world.work]]);
  assert.equal(world.get("many/1.txt"), "2");
});

test("an undo leaves what another conversation changed", async (t) => {
  const world = checkpointWorld(t, { disk: simDisk() });
  for (const path of ["a.txt", "b.txt"]) world.put(path, "1");
  const turn = await world.turn(() => world.put("a.txt", "2"));
  await world.turn(() => world.put("b.txt", "other"), [], OTHER);
  const { restored, skipped } = await world.checkpoints.turnFiles.restore(LINEAGE, [turn]);
  assert.deepEqual(
    [restored, skipped.map(({ path }) => path)],
    [[join(world.work, "a.txt")], [join(world.work, "b.txt")]],
  );
  assert.equal(world.get("b.txt"), "other");
});
