import assert from "node:assert/strict";
import { mkdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { manualClock } from "../../fixtures/ports/clock.js";
import { simDisk } from "../../fixtures/ports/disk.js";
import { seeded } from "../../fixtures/ports/random.js";
import { proves } from "../../fixtures/requirements.js";
import { checkpointWorld, configOf, LINEAGE } from "../../fixtures/sim/checkpoint-world.js";
import { realDisk } from "../base/fs/disk.js";
import { CHECKPOINTS } from "./keys.js";

const DAY = 86_400_000;
const noise = (seed: number, length: number) => {
  const random = seeded(seed);
  return Buffer.from(Array.from({ length }, () => random.below(256)));
};

test("the newest 20 of a directory stay, and the oldest go", async (t) => {
  proves(t, "config.checkpoints.max-snapshots", "limit.checkpoints");
  const world = checkpointWorld(t, { disk: simDisk() });
  for (let turn = 1; turn <= 25; turn++) await world.turn(() => world.put("a.txt", `${turn}`));
  const rows = await world.rows();
  assert.equal(rows.length, 20);
  assert.equal(rows[0]?.reason, "after turn 25");
  await world.rollBack(rows.at(-1)?.id ?? "");
  assert.equal(world.get("a.txt"), "6");
});

test("contents that no checkpoint needs any more leave the store", async (t) => {
  const disk = simDisk();
  const world = checkpointWorld(t, { disk, settings: { "checkpoints.max_snapshots": 2 } });
  for (let turn = 1; turn <= 40; turn++) await world.turn(() => world.put("a.bin", noise(turn, 50_000)));
  const { size_bytes: size } = await world.checkpoints.status();
  assert.ok(size < 800_000, `${size}`);
  await world.checkpoints.prune({});
  assert.ok((await world.checkpoints.status()).size_bytes < 250_000);
  await world.rollBack("1");
  assert.deepEqual(world.get("a.bin"), noise(39, 50_000).toString("utf8"));
});

test("above its size the store drops the oldest of each directory, and the newest of each stays", async (t) => {
  proves(t, "config.checkpoints.max-total-size");
  const world = checkpointWorld(t, { disk: simDisk(), settings: { "checkpoints.max_total_size_mb": 1 } });
  for (let turn = 1; turn <= 8; turn++) await world.turn(() => world.put("a.bin", noise(turn, 400_000)));
  assert.ok((await world.checkpoints.status()).size_bytes <= 1 << 20);
  assert.ok((await world.rows()).length >= 1);
  await world.turn(() => rmSync(join(world.work, "a.bin")));
  await world.rollBack("1");
  assert.equal(world.get("a.bin"), noise(8, 400_000).toString("utf8"));
});

test("files above 10 MB are left out unless told otherwise, and checkpoints are off until they are switched on", (t) => {
  proves(t, "config.checkpoints.max-file-size", "config.checkpoints.auto-prune");
  const defaults = configOf({});
  const shown = Object.fromEntries(Object.values(CHECKPOINTS).map((key) => [key.key, defaults.get<unknown>(key)]));
  assert.deepEqual(shown, {
    "checkpoints.enabled": false,
    "checkpoints.max_snapshots": 20,
    "checkpoints.max_total_size_mb": 500,
    "checkpoints.max_file_size_mb": 10,
    "checkpoints.auto_prune": true,
    "checkpoints.retention_days": 7,
    "checkpoints.delete_orphans": true,
    "checkpoints.min_interval_hours": 24,
  });
});

test("directories that are gone or not worked on for a week lose their checkpoints by themselves, once a day", async (t) => {
  const clock = manualClock("2026-01-01T00:00:00Z");
  const world = checkpointWorld(t, { disk: simDisk(), clock });
  await world.turn(() => world.put("a.txt", "1"));
  const gone = join(world.dir, "gone");
  mkdirSync(gone);
  await world.checkpoints.make(gone, "");
  rmSync(gone, { recursive: true });
  const directories = async () => (await world.checkpoints.status()).projects.map(({ directory }) => directory);
  await world.checkpoints.autoPrune(); // not due: the store was cleared when it was made
  assert.deepEqual(await directories(), [world.work, gone]);
  clock.advance(DAY);
  await world.checkpoints.autoPrune();
  assert.deepEqual(await directories(), [world.work]);
  clock.advance(8 * DAY);
  await world.checkpoints.autoPrune();
  assert.deepEqual(await directories(), []);
});

test("nothing goes by itself when that is switched off", async (t) => {
  const clock = manualClock("2026-01-01T00:00:00Z");
  const world = checkpointWorld(t, { disk: simDisk(), clock, settings: { "checkpoints.auto_prune": false } });
  await world.turn(() => world.put("a.txt", "1"));
  clock.advance(100 * DAY);
  await world.checkpoints.autoPrune();
  assert.equal((await world.rows()).length, 2);
});

test("of a directory with too many entries only files that file tools name are kept, and the user is told once", async (t) => {
  const world = checkpointWorld(t, { disk: simDisk(), bounds: { entries: 20, ms: 60_000 } });
  for (let at = 0; at < 30; at++) world.put(`many/${at}.txt`, "1");
  world.put("named.txt", "1");
  const first = await world.before(1, 1, ["named.txt", "made.txt"]);
  assert.match(first.notice ?? "", /more than 50,000 entries/);
  assert.equal(first.checkpoint?.partial, "entries");
  for (const path of ["named.txt", "made.txt", "many/3.txt"]) world.put(path, "2");
  await world.after(1);
  const second = await world.before(2, 1, ["named.txt"]);
  assert.equal(second.notice, undefined);
  world.put("named.txt", "3");
  await world.after(2);
  const rows = await world.rows();
  const report = await world.rollBack(rows.at(-1)?.id ?? "");
  assert.deepEqual([report.restored, report.removed, report.skipped], [["named.txt"], ["made.txt"], []]);
  assert.deepEqual([world.get("named.txt"), world.get("many/3.txt")], ["1", "2"]);
});

test("a command in a directory that is too large leaves no empty checkpoint, and no one looks through it twice", async (t) => {
  const world = checkpointWorld(t, { disk: simDisk(), bounds: { entries: 5, ms: 60_000 } });
  for (let at = 0; at < 9; at++) world.put(`many/${at}.txt`, "1");
  const first = await world.before(1);
  assert.deepEqual([first.checkpoint, first.made, first.notice === undefined], [undefined, false, false]);
  await world.after(1);
  assert.deepEqual((await world.checkpoints.status()).projects, []);
  rmSync(join(world.work, "many"), { recursive: true });
  assert.equal((await world.before(2, 1, ["a.txt"])).checkpoint?.partial, "entries"); // small by now, and not looked at again so soon
});

test("a directory that a turn made too large goes back as far as it is known, and says what stays", async (t) => {
  const world = checkpointWorld(t, { disk: simDisk(), bounds: { entries: 20, ms: 60_000 } });
  for (const path of ["a.txt", "sub/b.txt", "sub/deep/c.txt"]) world.put(path, "1");
  await world.turn(() => {
    for (let at = 0; at < 30; at++) world.put(`many/${at}.txt`, "2");
    for (const path of ["a.txt", "sub/b.txt"]) world.put(path, "2");
    rmSync(join(world.work, "sub/deep"), { recursive: true });
  }, ["a.txt"]);
  const oldest = (await world.rows()).at(-1);
  const report = await world.rollBack(oldest?.id ?? "", { force: true });
  assert.deepEqual(report.failed, []);
  assert.deepEqual(report.restored.toSorted(), ["a.txt", "sub/b.txt", "sub/deep", "sub/deep/c.txt"]);
  assert.deepEqual(
    report.skipped.map(({ path }) => path),
    ["."],
  );
  assert.equal(world.get("sub/deep/c.txt"), "1");
});

test("a scan that takes too long keeps only what is named", async (t) => {
  let ticks = 0;
  const clock = { ...manualClock("2026-01-01T00:00:00Z"), mono: () => (ticks += 10), sleep: async () => undefined };
  const world = checkpointWorld(t, { disk: simDisk(), bounds: { entries: 50_000, ms: 5 }, clock });
  world.put("a.txt", "1");
  const taken = await world.before(1, 1, ["a.txt"]);
  assert.equal(taken.checkpoint?.partial, "time");
});

test("directories without entries count towards the time of a scan", async (t) => {
  let ticks = 0;
  const clock = { ...manualClock("2026-01-01T00:00:00Z"), mono: () => (ticks += 10), sleep: async () => undefined };
  const world = checkpointWorld(t, { disk: simDisk(), bounds: { entries: 50_000, ms: 450 }, clock });
  world.put("a.txt", "1");
  for (let at = 0; at < 30; at++) mkdirSync(join(world.work, `empty-${at}`));
  const taken = await world.before(1, 1, ["a.txt"]);
  assert.equal(taken.checkpoint?.partial, "time");
});

test("new contents above the size of the store are not kept", async (t) => {
  const world = checkpointWorld(t, { disk: simDisk(), settings: { "checkpoints.max_total_size_mb": 1 } });
  for (let at = 0; at < 4; at++) world.put(`big-${at}.bin`, noise(at, 400_000));
  const taken = await world.before(1, 1, ["Makefile"]);
  assert.equal(taken.checkpoint?.partial, "size");
  assert.equal(taken.checkpoint?.files, 1);
});

for (const where of ["home", "home of the user", "root"] as const) {
  test(`the ${where} itself is never kept`, async (t) => {
    const world = checkpointWorld(t, { disk: simDisk() });
    const user = join(world.dir, "user");
    mkdirSync(user);
    const directory = where === "root" ? "/" : where === "home" ? world.home.dir : realpathSync(user);
    const origin = { lineage: LINEAGE, session: LINEAGE, turn: world.turnOf(1), round: 1 };
    const taken = await world.checkpoints.take({ directory, named: [], kind: "before", reason: "r", origin });
    assert.deepEqual([taken.made, taken.checkpoint], [false, undefined]);
    await assert.rejects(world.checkpoints.make(directory, ""), /checkpoints are not made of/);
  });
}

test("stores of an older layout are set aside, shown, and removed when that is asked for", async (t) => {
  const world = checkpointWorld(t);
  const dir = join(world.home.dir, "checkpoints");
  for (const path of ["store/objects/ab", "0123456789abcdef"]) mkdirSync(join(dir, path), { recursive: true });
  writeFileSync(join(dir, "store/HEAD"), "ref: refs/heads/main\n");
  assert.equal((await world.checkpoints.make(world.work, "")).made, true);
  const { legacy } = await world.checkpoints.status();
  assert.deepEqual(legacy, [join(dir, "legacy-20260101T000000Z")]);
  assert.deepEqual(realDisk.list(legacy[0] ?? ""), ["0123456789abcdef", "store"]);
  assert.deepEqual(await world.checkpoints.clearLegacy(), legacy);
  assert.equal((await world.rows()).length, 1);
});

test("clearing removes every checkpoint and every content", async (t) => {
  const disk = simDisk();
  const world = checkpointWorld(t, { disk });
  await world.turn(() => world.put("a.txt", "1"));
  disk.plant(join(world.home.dir, "checkpoints/store/contents/damaged.pack"), Buffer.from("x"));
  const gone = await world.checkpoints.clear();
  assert.deepEqual([gone.projects, gone.checkpoints], [1, 2]);
  assert.deepEqual(
    disk.files().filter(([path]) => /\.(pack|state|json)$/.test(path)),
    [],
  );
  assert.equal((await world.checkpoints.make(world.work, "")).made, true);
});

test("a damaged manifest or pack costs its own checkpoint, and says so", async (t) => {
  const disk = simDisk();
  const world = checkpointWorld(t, { disk });
  const packs = () => disk.files().flatMap(([path]) => (path.endsWith(".pack") ? [path] : []));
  await world.turn(() => world.put("a.txt", "1"));
  const [pack = ""] = packs();
  for (const turn of [2, 3]) await world.turn(() => world.put("a.txt", `${turn}`));
  const rows = await world.rows();
  const [state] = disk.files().find(([path]) => path.includes(rows[2]?.id ?? "none") && path.endsWith(".state")) ?? [
    "",
  ];
  disk.plant(state, Buffer.from("nonsense"));
  disk.plant(pack, Buffer.from("nonsense"));
  await world.reopen(disk);
  assert.equal((await world.checkpoints.status()).damaged, 1);
  await assert.rejects(world.checkpoints.show(rows[2]?.id ?? ""), /is damaged/);
  assert.equal((await world.rollBack(rows[1]?.id ?? "")).restored.length, 1);
  assert.equal(world.get("a.txt"), "2");
});
