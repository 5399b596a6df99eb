import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { simDisk } from "../../fixtures/ports/disk.js";
import { type Random, seeded } from "../../fixtures/ports/random.js";
import { checkpointWorld, digestOf } from "../../fixtures/sim/checkpoint-world.js";
import { systemClock } from "../base/time/clock.js";

const NAMES = ["a", "b", "c.txt", "d.json", "e f", "ü", "sub", "deep", ".hidden", "-x"];
const TREES = process.env["AGENT_TEST_SHORT"] === "1" ? 15 : 60;

/** Paths of a tree, directories before what is in them. */
function all(root: string, relative = ""): readonly string[] {
  return readdirSync(join(root, relative)).flatMap((name) => {
    const path = relative === "" ? name : `${relative}/${name}`;
    const facts = lstatSync(join(root, path));
    return facts.isDirectory() ? [path, ...all(root, path)] : [path];
  });
}

const directories = (root: string) => ["", ...all(root).filter((path) => lstatSync(join(root, path)).isDirectory())];

function content(random: Random): Buffer {
  const lines = Array.from(
    { length: random.below(6) },
    () => `${"x".repeat(random.below(40))}${random.pick(["\n", "\r\n", "\r"])}`,
  );
  const text = lines.join("");
  if (random.chance(0.1)) return Buffer.from([0, 255, random.below(256), 10, 13]);
  return Buffer.from(random.chance(0.1) ? text.repeat(2_000) : text);
}

/** One thing that someone does to the tree. */
function act(root: string, random: Random): void {
  const path = join(root, random.pick(directories(root)), random.pick(NAMES));
  const there = existsSync(path) || lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  const doing = random.below(7);
  if (doing === 0 || !there) {
    if (there) rmSync(path, { recursive: true, force: true });
    const kind = random.below(5);
    if (kind === 0) mkdirSync(path, { mode: random.pick([0o755, 0o700, 0o750]) });
    else if (kind === 1) symlinkSync(random.pick(["a", "../b", "nowhere", "/etc/hostname", "sub"]), path);
    else writeFileSync(path, content(random), { mode: random.pick([0o644, 0o600, 0o755, 0o444]) });
    return;
  }
  const facts = lstatSync(path);
  if (doing === 1) rmSync(path, { recursive: true, force: true });
  else if (doing === 2 && !facts.isSymbolicLink())
    chmodSync(path, facts.isDirectory() ? random.pick([0o755, 0o711]) : random.pick([0o644, 0o755, 0o400]));
  else if (doing === 3) {
    const to = join(root, random.pick(NAMES));
    if (lstatSync(to, { throwIfNoEntry: false }) === undefined && !to.startsWith(`${path}/`) && to !== path)
      renameSync(path, to);
  } else if (facts.isFile()) writeFileSync(path, content(random));
}

test("whatever a turn did to a tree, a rollback brings it back with contents, modes, links and empty directories, and forth again", async (t) => {
  for (let seed = 1; seed <= TREES; seed++) {
    const random = seeded(seed);
    await t.test(`tree ${seed}`, async (inner) => {
      const world = checkpointWorld(inner, { clock: systemClock, disk: simDisk() });
      const states: Readonly<Record<string, string>>[] = [];
      for (let at = 0; at < 12; at++) act(world.work, random);
      const turns = 1 + random.below(3);
      for (let turn = 0; turn < turns; turn++) {
        states.push(world.digest());
        await world.turn(() => {
          for (let at = 0; at < 1 + random.below(10); at++) act(world.work, random);
        });
      }
      const end = world.digest();
      const numbered = (await world.rows()).filter((row) => row.n !== null);
      const oldest = numbered.at(-1);
      if (oldest === undefined) {
        assert.deepEqual(end, states[0]); // nothing was changed, nothing is kept
        return;
      }
      const report = await world.rollBack(oldest.id);
      assert.deepEqual({ skipped: report.skipped, failed: report.failed }, { skipped: [], failed: [] });
      assert.deepEqual(world.digest(), states[0]);
      const back = await world.rollBack(report.before);
      assert.deepEqual({ skipped: back.skipped, failed: back.failed }, { skipped: [], failed: [] });
      assert.deepEqual(digestOf(world.work), end);
    });
  }
});

/** Paths whose line differs between two states. */
function differing(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): readonly string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((path) => a[path] !== b[path]);
}

const isDirectory = (line: string | undefined): boolean => line?.startsWith("directory") === true;

test("whatever turns and people do in between, a rollback leaves what people did last, and can itself be taken back", async (t) => {
  for (let seed = 1; seed <= TREES; seed++) {
    const random = seeded(10_000 + seed);
    await t.test(`history ${seed}`, async (inner) => {
      const disk = simDisk();
      const world = checkpointWorld(inner, { clock: systemClock, disk });
      const last = new Map<string, "person" | "agent">();
      const by = (who: "person" | "agent", work: () => void) => {
        const before = world.digest();
        work();
        const after = world.digest();
        for (const path of differing(before, after)) last.set(path, who);
      };
      const some = () => {
        for (let at = 0; at < 1 + random.below(5); at++) act(world.work, random);
      };
      for (let step = 0; step < 2 + random.below(5); step++) {
        if (random.chance(0.5)) by("person", some);
        await world.turn(() => by("agent", some));
        if (random.chance(0.2)) await world.reopen(disk);
      }
      if (random.chance(0.5)) by("person", some);
      const rows = await world.rows();
      if (rows.length === 0) return;
      const before = world.digest();
      const report = await world.rollBack(random.pick(rows).id);
      const after = world.digest();
      const people = [...last].filter(
        ([path, who]) => who === "person" && !isDirectory(before[path]) && !isDirectory(after[path]),
      );
      for (const [path] of people) assert.equal(after[path], before[path], `${path} was changed by a person last`);
      const back = await world.rollBack(report.before, { force: true });
      assert.deepEqual({ skipped: back.skipped, failed: back.failed }, { skipped: [], failed: [] });
      assert.deepEqual(world.digest(), before);
    });
  }
});
