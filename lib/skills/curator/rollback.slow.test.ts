import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { proves } from "../../../fixtures/requirements.js";
import { type CuratorHome, curatorHome, skillText } from "../../../fixtures/sim/curator-home.js";
import { type RawMember, rawTar } from "../../../fixtures/worlds/tar.js";
import { AppError } from "../../base/errors.js";
import { digestOf } from "./backup-files.js";

const backupsOf = ({ dir }: CuratorHome) => join(dir, "skills/.curator_backups");

test("a rollback restores every byte and mode, and the skills of scheduled jobs; the state before is a backup", async (t) => {
  const home = curatorHome(t);
  home.put("ops/deploy/SKILL.md", skillText("deploy"));
  home.put("ops/deploy/scripts/run.sh", "#!/bin/sh\n", 0o755);
  home.put("ops/deploy/assets/x.bin", "\u0000\u0001ÿ", 0o640);
  home.put("ops/DESCRIPTION.md", "Operations");
  mkdirSync(join(home.dir, "skills/empty/deep"), { recursive: true, mode: 0o700 });
  await home.make("made");
  home.jobs.set("nightly", ["deploy"]);
  const before = home.tree();
  const first = await home.curator.backup("before the move");
  await home.curator.archive("deploy");
  home.put("other/SKILL.md", skillText("other"));
  home.put("made/SKILL.md", skillText("made", "Changed."));
  home.jobs.set("nightly", ["other"]);
  const between = home.tree();
  home.clock.advance(1_000);
  const done = await home.curator.rollback(undefined);
  assert.equal(done.id, first.id);
  assert.deepEqual(home.tree(), before);
  assert.deepEqual([home.jobs.get("nightly"), done.jobs, done.warnings], [["deploy"], ["nightly"], []]);
  const [newest] = await home.curator.backups();
  assert.deepEqual([newest?.id, newest?.reason], [done.before, `before rollback to ${first.id}`]);
  home.clock.advance(1_000);
  await home.curator.rollback(done.before);
  assert.deepEqual(home.tree(), between);
  assert.ok(!existsSync(join(home.dir, "skills/.curator_rollback")));
});

test("five backups are kept, the newest ones; curator.backup.keep sets another number", async (t) => {
  proves(t, "config.curator.backup");
  const home = curatorHome(t);
  await home.make("one");
  const made: string[] = [];
  for (let n = 0; n < 8; n++) {
    made.push((await home.curator.backup(`number ${n}`)).id); // several in one second get numbers
    if (n % 2 === 1) home.clock.advance(1_000);
  }
  assert.deepEqual(
    (await home.curator.backups()).map(({ id }) => id),
    made.slice(-5).toReversed(),
  );
  assert.match(made[0] ?? "", /^2026-11-28T12-00-00Z$/);
  assert.match(made[1] ?? "", /^2026-11-28T12-00-00Z-02$/);
  assert.deepEqual(readdirSync(join(backupsOf(home), made[7] ?? "")).toSorted(), [
    "cron-jobs.json",
    "manifest.json",
    "skills.tar.gz",
  ]);
  const other = curatorHome(t, { settings: { "curator.backup.keep": 2, "curator.backup.enabled": true } });
  await other.make("one");
  for (let n = 0; n < 4; n++) await other.curator.run({ dryRun: false, cause: "manual" }, new AbortController().signal);
  assert.equal((await other.curator.backups()).length, 2);
});

test("an unknown backup, or none at all, changes nothing", async (t) => {
  const home = curatorHome(t);
  await home.make("one");
  await assert.rejects(home.curator.rollback(undefined), /no backup of the skills was made/);
  await home.curator.backup("x");
  const before = home.tree();
  for (const id of ["nope", "../../etc", "2020-01-01T00-00-00Z"])
    await assert.rejects(home.curator.rollback(id), (error: AppError) => error.code === "E_NOT_FOUND");
  assert.deepEqual(home.tree(), before);
  assert.equal((await home.curator.backups()).length, 1);
});

const TEXT = skillText("evil");

/** A backup as someone has written it. */
function plant(home: CuratorHome, members: readonly RawMember[], files: readonly string[] = ["evil/SKILL.md"]): void {
  const dir = join(backupsOf(home), "2026-01-01T00-00-00Z");
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, "skills.tar.gz"), gzipSync(rawTar([...members])));
  const entry = (path: string) => ({ path, mode: 0o644, bytes: TEXT.length, sha256: digestOf(Buffer.from(TEXT)) });
  const manifest = {
    format: 1,
    id: "2026-01-01T00-00-00Z",
    created_at: "2026-01-01T00:00:00.000Z",
    reason: "planted",
    files: files.map(entry),
    directories: [],
    skipped: [],
  };
  writeFileSync(join(dir, "manifest.json"), JSON.stringify(manifest));
}

const good: RawMember = { name: "evil/SKILL.md", body: TEXT };
const HOSTILE: readonly { what: string; members: RawMember[]; files?: readonly string[] }[] = [
  {
    what: "a path that leads outside",
    members: [{ name: "../evil/SKILL.md", body: TEXT }],
    files: ["../evil/SKILL.md"],
  },
  { what: "an absolute path", members: [{ name: "/tmp/evil", body: TEXT }], files: ["/tmp/evil"] },
  { what: "a symbolic link", members: [{ name: "evil", type: "2", link: "/etc" }, good] },
  { what: "a hard link", members: [good, { name: "b", type: "1", link: "evil/SKILL.md" }] },
  { what: "a device", members: [good, { name: "dev", type: "3" }] },
  { what: "a file that the manifest does not name", members: [good, { name: "more", body: TEXT }] },
  { what: "a file twice", members: [good, good] },
  {
    what: "other bytes than the manifest says",
    members: [{ name: "evil/SKILL.md", body: TEXT.replace("evil", "EVIL") }],
  },
  { what: "a file less than the manifest says", members: [] },
  { what: "files of the program's own", members: [{ name: ".hub/lock.json", body: TEXT }], files: [".hub/lock.json"] },
  { what: "the curator's own state", members: [{ name: ".curator.json", body: TEXT }], files: [".curator.json"] },
  {
    what: "a file where a directory is",
    members: [{ name: "evil", body: TEXT }, good],
    files: ["evil", "evil/SKILL.md"],
  },
  { what: "a bomb", members: [{ name: "evil/SKILL.md", body: Buffer.alloc(8 << 20) }] },
];

for (const { what, members, files } of HOSTILE)
  test(`a backup with ${what} is refused, and nothing is changed`, async (t) => {
    const home = curatorHome(t);
    home.put("mine/SKILL.md", skillText("mine"));
    plant(home, members, files);
    const before = home.tree();
    await assert.rejects(home.curator.rollback(undefined), (error: unknown) => error instanceof AppError);
    assert.deepEqual(home.tree(), before);
    assert.equal((await home.curator.backups()).length, 1);
    assert.ok(!existsSync(join(home.dir, "skills/.curator_rollback")));
    assert.ok(!existsSync(join(home.dir, "evil")) && !existsSync("/tmp/evil"));
  });

test("a damaged archive or manifest is refused, and nothing is changed", async (t) => {
  const home = curatorHome(t);
  await home.make("one");
  const { id } = await home.curator.backup("x");
  const archive = join(backupsOf(home), id, "skills.tar.gz");
  const bytes = readFileSync(archive);
  const before = home.tree();
  for (const damaged of [bytes.subarray(0, bytes.length / 2), Buffer.from("no archive"), Buffer.alloc(0)]) {
    writeFileSync(archive, damaged);
    await assert.rejects(home.curator.rollback(id), (error: AppError) => error.code === "E_INVALID");
    assert.deepEqual(home.tree(), before);
  }
  writeFileSync(join(backupsOf(home), id, "manifest.json"), "{");
  await assert.rejects(home.curator.rollback(id), /manifest cannot be read/);
  assert.match((await home.curator.backups())[0]?.reason ?? "", /damaged/);
  assert.deepEqual(home.tree(), before);
});

test("links are in no backup: those beside the skills stay, and what held others is kept beside the backup of it", async (t) => {
  const home = curatorHome(t);
  await home.make("one");
  const { id } = await home.curator.backup("x");
  symlinkSync("/tmp", join(home.dir, "skills/linked"));
  symlinkSync("SKILL.md", join(home.dir, "skills/one/alias.md"));
  const done = await home.curator.rollback(id);
  assert.equal(readlinkSync(join(home.dir, "skills/linked")), "/tmp");
  assert.match(done.warnings.join(), /links and special files/);
  assert.equal(readlinkSync(join(backupsOf(home), done.before, "set-aside/one/alias.md")), "SKILL.md");
});
