import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { AppError } from "../../base/errors.js";
import { randomIds } from "../../base/ids.js";
import { systemSpawner } from "../../base/process/spawn-system.js";
import { systemClock } from "../../base/time/clock.js";
import { finishSwaps, swapSkills } from "./swap.js";

function place(t: TestContext) {
  const dir = mkdtempSync(join(tmpdir(), "agent-swap-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const deps = { home: { dir }, clock: systemClock, ids: randomIds, spawner: systemSpawner };
  const at = (path: string) => join(dir, "skills", path);
  return { dir, deps, at, read: (path: string) => readFileSync(at(path), "utf8") };
}

const file = (path: string, text: string, executable?: boolean) => ({
  path,
  bytes: Buffer.from(text),
  ...(executable === undefined ? {} : { executable }),
});

test("skills and files are made, replaced and removed together, and nothing is left beside them", async (t) => {
  const { deps, at, read } = place(t);
  await swapSkills(deps, [
    { path: "a/one", to: [file("SKILL.md", "1"), file("scripts/x.sh", "x", true)] },
    { path: "b/two", to: [file("SKILL.md", "2")] },
    { path: ".hub/lock.json", to: Buffer.from("{}") },
  ]);
  assert.deepEqual([read("a/one/SKILL.md"), read("b/two/SKILL.md"), read(".hub/lock.json")], ["1", "2", "{}"]);
  assert.deepEqual(
    [statSync(at("a/one/SKILL.md")).mode & 0o777, statSync(at("a/one/scripts/x.sh")).mode & 0o777],
    [0o600, 0o700],
  );
  await swapSkills(deps, [
    { path: "a/one", to: [file("SKILL.md", "3")] },
    { path: "b/two", to: undefined },
    { path: ".hub/lock.json", to: Buffer.from("[]") },
  ]);
  assert.deepEqual([read("a/one/SKILL.md"), read(".hub/lock.json")], ["3", "[]"]);
  assert.deepEqual(
    [existsSync(at("a/one/scripts")), existsSync(at("b")), existsSync(at(".staging"))],
    [false, false, false],
  );
});

test("paths that lead elsewhere are refused before anything is changed", async (t) => {
  const { deps, at, dir } = place(t);
  mkdirSync(at(""), { recursive: true });
  symlinkSync(dir, at("link"));
  for (const path of ["../x", "/x", "a//b", "a/./b", "a\\b", "a\0b", "link/x"])
    await assert.rejects(
      swapSkills(deps, [
        { path: "good", to: [] },
        { path, to: [] },
      ]),
      (error) => error instanceof AppError && error.code === "E_INVALID",
      path,
    );
  await assert.rejects(swapSkills(deps, [{ path: "good", to: [file("../x", "")] }]), AppError);
  await finishSwaps(deps);
  assert.deepEqual(
    [existsSync(at("good")), existsSync(at(".staging")), existsSync(join(dir, "x"))],
    [false, false, false],
  );
});

test("what someone made by hand where a killed change had moved a skill away stays", async (t) => {
  const { deps, at, read } = place(t);
  const work = at(".staging/aa");
  mkdirSync(join(work, "old-0"), { recursive: true });
  mkdirSync(join(work, "new-0"));
  writeFileSync(join(work, "intent.json"), JSON.stringify({ changes: [{ path: "a", kept: true }] }));
  mkdirSync(at("a"));
  writeFileSync(at("a/SKILL.md"), "by hand");
  await finishSwaps(deps);
  assert.deepEqual([read("a/SKILL.md"), existsSync(at(".staging"))], ["by hand", false]);
});
