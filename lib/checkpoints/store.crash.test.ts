import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type SimDisk, simDisk } from "../../fixtures/ports/disk.js";
import { type Random, seeded } from "../../fixtures/ports/random.js";
import { type CheckpointWorld, checkpointWorld } from "../../fixtures/sim/checkpoint-world.js";
import type { CheckpointRecord } from "../contracts/owner/checkpoints.js";

const short = process.env["AGENT_TEST_SHORT"] === "1";
const CRASHES = short ? 40 : 250;

/** A checkpoint that someone was told of, with what the directory held. */
interface Acknowledged {
  readonly id: string;
  readonly files: Readonly<Record<string, string>>;
}

/** The disk does nothing any more after so many changes, as when the machine stops. */
function stopAfter(disk: SimDisk, changes: number): void {
  let left = changes;
  disk.faults.onOp = () => {
    left -= 1;
    if (left < 0) throw new Error("the machine has stopped");
  };
}

function change(world: CheckpointWorld, files: Record<string, string>, random: Random): void {
  const path = `f${random.below(4)}.txt`;
  files[path] = `${random.below(1_000_000)}`.repeat(1 + random.below(3_000));
  writeFileSync(join(world.work, path), files[path]);
}

/** Take, prune and roll back until the disk stops. @returns what was acknowledged */
async function workUntilStopped(world: CheckpointWorld, random: Random): Promise<readonly Acknowledged[]> {
  const known: Acknowledged[] = [];
  const files: Record<string, string> = {};
  const note = (checkpoint: CheckpointRecord | undefined) => {
    if (checkpoint !== undefined) known.push({ id: checkpoint.id, files: { ...files } });
  };
  try {
    for (let turn = 1; turn < 60; turn++) {
      note((await world.before(turn)).checkpoint);
      change(world, files, random);
      note((await world.after(turn)).checkpoint);
      if (random.chance(0.3)) await world.checkpoints.prune({ retentionDays: 100 });
    }
  } catch (error) {
    if (!(error instanceof Error) || error.message !== "the machine has stopped") throw error;
  }
  return known;
}

const SETTINGS = { "checkpoints.max_snapshots": 4 };

async function crash(t: TestContext, seed: number): Promise<void> {
  const random = seeded(seed);
  const disk = simDisk();
  const world = checkpointWorld(t, { disk, settings: SETTINGS });
  stopAfter(disk, 1 + random.below(400));
  const known = await workUntilStopped(world, random);
  const after = disk.stop(random.chance(0.5) ? "kill" : "power", random);
  const opened = await world.reopen(after);
  const rows = await opened.list({ limit: 1_000 });
  const status = await opened.status();
  assert.equal(status.damaged, 0, "a file of the store is damaged");
  // The newest that were acknowledged are there, unless newer ones have pushed them out.
  const newest = new Set(rows.map(({ id }) => id));
  const kept = known.filter(({ id }) => newest.has(id));
  const last = known.at(-1);
  if (last !== undefined) assert.ok(newest.has(last.id), "an acknowledged checkpoint is gone");
  for (const { id, files } of kept) {
    const { entries } = await opened.show(id);
    assert.deepEqual(
      entries
        .filter(({ kind }) => kind === "file")
        .map(({ path }) => path)
        .toSorted(),
      ["Makefile", ...Object.keys(files)].toSorted(),
    );
  }
  const oldest = kept[0];
  if (oldest !== undefined) {
    const report = await opened.restore({ which: oldest.id, directory: world.work, force: true });
    assert.deepEqual(report.failed, []);
    for (const [path, content] of Object.entries(oldest.files)) assert.equal(world.get(path), content);
  }
  await opened.prune({ retentionDays: 100 });
  const leftovers = after.files().filter(([path]) => path.endsWith(".part"));
  assert.deepEqual(leftovers, []);
}

test("a machine that stops at any moment leaves a store that is whole, with every checkpoint that was acknowledged", async (t) => {
  for (let seed = 1; seed <= CRASHES; seed++) await t.test(`crash ${seed}`, (inner) => crash(inner, seed));
});

const FULL = [0, 1_000, 4_000, 20_000, 60_000];

for (const quota of FULL) {
  test(`a disk that is full after ${quota} bytes loses nothing that is there, and takes new ones when there is room again`, async (t) => {
    const disk = simDisk();
    const world = checkpointWorld(t, { disk });
    world.put("a.txt", "1");
    await world.turn(() => world.put("a.txt", "2"));
    const rows = await world.rows();
    const used = disk.files().reduce((sum, [, bytes]) => sum + bytes.length, 0);
    disk.faults.quota = used + quota;
    const random = seeded(quota);
    const noise = Array.from({ length: 100_000 }, () => String.fromCharCode(33 + random.below(90))).join("");
    world.put("big.txt", noise);
    await assert.rejects(world.before(2), /ENOSPC/);
    await world.checkpoints.release(world.work, world.turnOf(2));
    assert.deepEqual(
      (await world.rows()).map(({ id }) => id),
      rows.map(({ id }) => id),
    );
    disk.faults.quota = undefined;
    await world.reopen(disk);
    assert.equal((await world.checkpoints.status()).damaged, 0);
    assert.equal((await world.before(3)).made, true);
  });
}
