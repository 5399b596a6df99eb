import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { bundleProgram } from "../../../fixtures/worlds/program.js";

const bundled = bundleProgram("fixtures/workers/skill-disk.ts");
after(async () => (await bundled).remove());

/** What became of one change under one amount of free space. */
interface Row {
  readonly what: string;
  readonly free: number;
  /** The error, or undefined: it was done. */
  readonly code?: string;
  readonly message?: string;
  readonly state: "old" | "new" | "torn";
  /** The same change once there is room again. */
  readonly later: string;
}

const bwrap = (...args: readonly string[]) =>
  spawnSync("bwrap", ["--dev-bind", "/", "/", ...args], { encoding: "utf8" });
const without = bwrap("true").status === 0 ? false : "bubblewrap cannot be used here";

test("on a full disk each change of skills and memory is done or not at all, says so, and works once there is room", {
  skip: without,
}, async (t) => {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "skill-disk-")));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const { file } = await bundled;
  const ran = bwrap("--size", String(6 << 20), "--tmpfs", dir, process.execPath, file, "full", dir);
  assert.equal(ran.status, 0, ran.stderr);
  const rows: readonly Row[] = JSON.parse(ran.stdout);
  assert.ok(
    rows.some(({ code }) => code !== undefined),
    "the disk was full",
  );
  for (const row of rows) {
    const shown = JSON.stringify(row);
    assert.notEqual(row.state, "torn", shown);
    if (row.code === undefined) assert.equal(row.state, "new", shown);
    else {
      assert.equal(row.code, "E_STORE_FULL", shown);
      assert.match(row.message ?? "", /the disk is full/, shown);
    }
    assert.equal(row.later, "done", shown);
  }
});

test("with a read-only directory of skills each change says so and leaves every byte", { skip: without }, async (t) => {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "skill-disk-")));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const { file } = await bundled;
  const prepared = spawnSync(process.execPath, [file, "prepare", dir], { encoding: "utf8" });
  assert.equal(prepared.status, 0, prepared.stderr);
  const skills = join(dir, "home", "skills");
  mkdirSync(skills, { recursive: true });
  const ran = bwrap("--ro-bind", skills, skills, process.execPath, file, "readonly", dir);
  assert.equal(ran.status, 0, ran.stderr);
  const rows: readonly Row[] = JSON.parse(ran.stdout);
  assert.ok(rows.length >= 4);
  for (const row of rows) {
    const shown = JSON.stringify(row);
    assert.equal(row.state, "old", shown);
    assert.equal(row.code, "E_STORE", shown);
    assert.match(row.message ?? "", /read-only|EROFS/, shown);
  }
});
