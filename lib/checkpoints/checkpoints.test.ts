import assert from "node:assert/strict";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { manualClock } from "../../fixtures/ports/clock.js";
import { simDisk } from "../../fixtures/ports/disk.js";
import { checkpointWorld } from "../../fixtures/sim/checkpoint-world.js";
import { AppError } from "../base/errors.js";

const withCode = (code: string) => (error: unknown) => error instanceof AppError && error.code === code;

test("a file that a turn changed comes back with its bytes, line ends and mode", async (t) => {
  const world = checkpointWorld(t, { disk: simDisk() });
  world.put("a.txt", "one\r\ntwo\r\n", 0o640);
  await world.turn(() => {
    world.put("a.txt", "one\n");
    chmodSync(join(world.work, "a.txt"), 0o755);
  });
  const report = await world.rollBack("1");
  assert.deepEqual(report.restored, ["a.txt"]);
  assert.equal(world.get("a.txt"), "one\r\ntwo\r\n");
  assert.equal(statSync(join(world.work, "a.txt")).mode & 0o777, 0o640);
});

test("a machine that stands still during a scan does not make the checkpoint partial", async (t) => {
  let reads = 0;
  let at = 0;
  let stopAt = 0;
  const mono = () => {
    reads += 1;
    at += reads === stopAt ? 60_000 : 3;
    return at;
  };
  const clock = { ...manualClock("2026-01-01T00:00:00Z"), mono, sleep: async () => undefined };
  for (stopAt = 1; stopAt <= 40; stopAt++) {
    reads = 0;
    const world = checkpointWorld(t, { disk: simDisk(), clock });
    for (let file = 0; file < 20; file++) world.put(`src/${file}.txt`, "1");
    const taken = await world.before(1);
    assert.deepEqual([taken.checkpoint?.partial, taken.notice], [undefined, undefined], `stopped at ${stopAt}`);
  }
});

test("what a turn made is removed, with directories that become empty, and what it removed is back", async (t) => {
  const world = checkpointWorld(t, { disk: simDisk() });
  world.put("old/b.txt", "b");
  mkdirSync(join(world.work, "empty"));
  const before = world.digest();
  await world.turn(() => {
    world.put("new/deep/c.txt", "c");
    rmSync(join(world.work, "old"), { recursive: true });
    rmSync(join(world.work, "empty"), { recursive: true });
    symlinkSync("Makefile", join(world.work, "link"));
  });
  const { removed } = await world.rollBack("1");
  assert.deepEqual(world.digest(), before);
  assert.deepEqual(removed.toSorted(), ["link", "new", "new/deep", "new/deep/c.txt"]);
});

test("what someone else changed is named and stays, unless it is forced", async (t) => {
  const world = checkpointWorld(t, { disk: simDisk() });
  world.put("mine.txt", "1");
  world.put("theirs.txt", "1");
  await world.turn(() => {
    world.put("mine.txt", "2");
    world.put("theirs.txt", "2");
    world.put("made.txt", "2");
  });
  world.put("theirs.txt", "3");
  world.put("user.txt", "the user's");
  const report = await world.rollBack("1");
  assert.deepEqual(report.skipped.map(({ path }) => path).toSorted(), ["theirs.txt", "user.txt"]);
  assert.deepEqual([world.get("mine.txt"), world.get("theirs.txt"), world.get("user.txt")], ["1", "3", "the user's"]);
  assert.equal(existsSync(join(world.work, "made.txt")), false);
  const forced = await world.rollBack(report.checkpoint.id, { force: true });
  assert.deepEqual(forced.skipped, []);
  assert.equal(world.get("theirs.txt"), "1");
  assert.equal(existsSync(join(world.work, "user.txt")), false);
  await world.rollBack(forced.before);
  assert.equal(world.get("user.txt"), "the user's");
});

test("an edit of the user between two turns is not taken for the agent's", async (t) => {
  const world = checkpointWorld(t, { disk: simDisk() });
  world.put("a.txt", "1");
  world.put("user.txt", "1");
  await world.turn(() => world.put("a.txt", "2"));
  world.put("user.txt", "edited");
  await world.turn(() => world.put("a.txt", "3"));
  const oldest = (await world.rows()).at(-1);
  const report = await world.rollBack(oldest?.id ?? "");
  assert.deepEqual(
    report.skipped.map(({ path }) => path),
    ["user.txt"],
  );
  assert.deepEqual([world.get("a.txt"), world.get("user.txt")], ["1", "edited"]);
});

test("a rollback can be rolled back, and a rollback of that too", async (t) => {
  const world = checkpointWorld(t, { disk: simDisk() });
  world.put("a.txt", "1");
  await world.turn(() => world.put("a.txt", "2"));
  const first = await world.rollBack("1");
  const second = await world.rollBack(first.before);
  assert.equal(world.get("a.txt"), "2");
  await world.rollBack(second.before);
  assert.equal(world.get("a.txt"), "1");
});

test("one file, or what is below one directory, can come back alone", async (t) => {
  const world = checkpointWorld(t, { disk: simDisk() });
  for (const path of ["a.txt", "dir/b.txt", "dir/c.txt"]) world.put(path, "1");
  await world.turn(() => {
    for (const path of ["a.txt", "dir/b.txt", "dir/c.txt"]) world.put(path, "2");
  });
  const id = (await world.rows()).at(-1)?.id ?? "";
  await world.rollBack(id, { file: "./dir/b.txt" });
  assert.deepEqual([world.get("a.txt"), world.get("dir/b.txt"), world.get("dir/c.txt")], ["2", "1", "2"]);
  await world.rollBack(id, { file: "dir/" });
  assert.deepEqual([world.get("a.txt"), world.get("dir/c.txt")], ["2", "1"]);
});

for (const file of ["/etc/passwd", "../x", "a/../../x", "", "a//b", "a\0b"]) {
  test(`a rollback of the file ${JSON.stringify(file)} is refused`, async (t) => {
    const world = checkpointWorld(t, { disk: simDisk() });
    await world.turn(() => world.put("a.txt", "2"));
    await assert.rejects(world.rollBack("1", { file }), withCode("E_INVALID"));
  });
}

test("nothing changed is no checkpoint, and the end of a turn is where the next one begins", async (t) => {
  const world = checkpointWorld(t, { disk: simDisk() });
  await world.turn(() => world.put("a.txt", "1"));
  await world.turn(() => undefined);
  await world.turn(() => world.put("a.txt", "2"));
  const rows = await world.rows();
  assert.deepEqual(
    rows.map(({ n, reason }) => [n, reason]),
    [
      [null, "after turn 3"],
      [1, "before write_file, after turn 1"],
      [2, "before write_file"],
    ],
  );
  await world.rollBack("1");
  assert.equal(world.get("a.txt"), "1");
});

test("the list tells how many files and lines each step changed", async (t) => {
  const world = checkpointWorld(t, { disk: simDisk() });
  world.put("a.txt", "1\n2\n3\n");
  await world.turn(() => {
    world.put("a.txt", "1\nx\ny\n3\n");
    world.put("b.txt", "new\n");
  });
  await world.turn(() => rmSync(join(world.work, "b.txt")));
  appendFileSync(join(world.work, "a.txt"), "by hand\n");
  assert.deepEqual(
    (await world.rows()).map(({ changed }) => changed),
    [
      { files: 1, added: 1, removed: 0 },
      { files: 1, added: 0, removed: 1 },
      { files: 2, added: 3, removed: 1 },
    ],
  );
});

test("a second tool of a round that names another file adds it to the checkpoint of the round", async (t) => {
  const world = checkpointWorld(t, { disk: simDisk() });
  world.put("one.log", "1");
  world.put("two.log", "1");
  await world.before(1, 1, ["one.log"]);
  world.put("one.log", "2");
  await world.before(1, 1, ["two.log", "three.log"]);
  for (const path of ["two.log", "three.log"]) world.put(path, "2");
  await world.after(1);
  assert.equal((await world.rows()).filter(({ n }) => n !== null).length, 1);
  await world.rollBack("1");
  assert.deepEqual(
    [world.get("one.log"), world.get("two.log"), existsSync(join(world.work, "three.log"))],
    ["1", "1", false],
  );
});

test("a link is brought back as a link, and nothing behind it is touched", async (t) => {
  const world = checkpointWorld(t, { disk: simDisk() });
  const outside = join(world.dir, "outside");
  mkdirSync(outside);
  writeFileSync(join(outside, "a.txt"), "outside");
  world.put("sub/a.txt", "inside");
  symlinkSync(outside, join(world.work, "way"));
  await world.turn(() => {
    rmSync(join(world.work, "sub"), { recursive: true });
    symlinkSync(outside, join(world.work, "sub"));
    rmSync(join(world.work, "way"));
    world.put("way/a.txt", "made");
  });
  await world.rollBack("1");
  assert.equal(readFileSync(join(outside, "a.txt"), "utf8"), "outside");
  assert.equal(world.get("sub/a.txt"), "inside");
  assert.equal(world.get("way/a.txt"), "outside");
});

test("a directory that a turn replaced by a link to a protected place comes back", async (t) => {
  const world = checkpointWorld(t, { disk: simDisk() });
  world.put("sub/a.txt", "1");
  await world.turn(() => {
    rmSync(join(world.work, "sub"), { recursive: true });
    symlinkSync("/etc/hostname", join(world.work, "sub"));
  });
  const { skipped, failed } = await world.rollBack("1");
  assert.deepEqual([skipped, failed, world.get("sub/a.txt")], [[], [], "1"]);
});

test("a directory that became a link outside while no one looked is not followed", async (t) => {
  const world = checkpointWorld(t, { disk: simDisk() });
  const outside = join(world.dir, "outside");
  mkdirSync(outside);
  world.put("sub/a.txt", "1");
  await world.turn(() => world.put("sub/a.txt", "2"));
  renameSync(join(world.work, "sub"), join(world.dir, "away"));
  symlinkSync(outside, join(world.work, "sub"));
  const report = await world.rollBack("1");
  assert.equal(existsSync(join(outside, "a.txt")), false);
  assert.equal(report.restored.length, 0);
});

test("while a turn is changing a directory it is not rolled back", async (t) => {
  const world = checkpointWorld(t, { disk: simDisk() });
  await world.turn(() => world.put("a.txt", "1"));
  await world.before(2);
  await assert.rejects(world.rollBack("1"), withCode("E_RUNNING"));
  await world.checkpoints.release(world.work, world.turnOf(2));
  await world.rollBack("1");
});

test("what a turn changed before its owner died counts as the agent's", async (t) => {
  const disk = simDisk();
  const world = checkpointWorld(t, { disk });
  world.put("a.txt", "1");
  await world.before(1);
  world.put("a.txt", "2");
  world.put("b.txt", "2");
  await world.reopen(disk);
  const report = await world.rollBack("1");
  assert.deepEqual(report.skipped, []);
  assert.deepEqual([world.get("a.txt"), existsSync(join(world.work, "b.txt"))], ["1", false]);
});

test("of two turns that were cut off one after the other, both are known", async (t) => {
  const disk = simDisk();
  const world = checkpointWorld(t, { disk });
  for (const path of ["a.txt", "b.txt", "user.txt"]) world.put(path, "1");
  await world.before(1);
  world.put("a.txt", "2");
  await world.reopen(disk);
  await world.before(2);
  world.put("b.txt", "2");
  await world.reopen(disk);
  const oldest = (await world.rows()).at(-1);
  const { skipped } = await world.rollBack(oldest?.id ?? "");
  assert.deepEqual([skipped, world.get("a.txt"), world.get("b.txt")], [[], "1", "1"]);
});

test("a restart forgets nothing: list, rollback and what the agent left", async (t) => {
  const disk = simDisk();
  const world = checkpointWorld(t, { disk });
  world.put("a.txt", "1");
  await world.turn(() => world.put("a.txt", "2"));
  const rows = await world.rows();
  await world.reopen(disk);
  assert.deepEqual(await world.rows(), rows);
  await world.rollBack("1");
  assert.equal(world.get("a.txt"), "1");
});

test("ids of four to eight digits name a checkpoint of any directory; fewer, wrong and unknown ones are refused", async (t) => {
  const world = checkpointWorld(t, { disk: simDisk() });
  await world.turn(() => world.put("a.txt", "1"));
  const id = (await world.rows()).at(-1)?.id ?? "";
  assert.equal((await world.checkpoints.find(id.slice(0, 5).toUpperCase())).id, id);
  for (const which of ["99", "abc", "zzzz", "", `${id}0`, "00000000"])
    await assert.rejects(world.checkpoints.find(which, world.work), withCode("E_NOT_FOUND"));
});

test("one by hand has its note; without a change the newest gets it", async (t) => {
  const world = checkpointWorld(t, { disk: simDisk() });
  const first = await world.checkpoints.make(world.work, "before lunch");
  const again = await world.checkpoints.make(world.work, "after lunch");
  assert.deepEqual([first.made, again.made, again.checkpoint.id], [true, false, first.checkpoint.id]);
  assert.equal((await world.rows())[0]?.reason, "manual: after lunch");
});

test("looking creates nothing", async (t) => {
  const world = checkpointWorld(t);
  const looking = await world.reopen(undefined, true);
  assert.deepEqual(await looking.list({}), []);
  assert.equal((await looking.status()).projects.length, 0);
  assert.equal(existsSync(join(world.home.dir, "checkpoints")), false);
});
