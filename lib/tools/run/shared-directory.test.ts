import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { findCageProject } from "../../safety/cage/plan.js";
import { projectRoot } from "../../safety/paths/paths.js";
import { repositoryOf } from "./project.js";

test("a .git that any user may put into a directory such as /tmp does not make a project of what lies below", (t) => {
  const shared = realpathSync(mkdtempSync(join(tmpdir(), "shared-")));
  t.after(() => rmSync(shared, { recursive: true, force: true }));
  const work = join(shared, "work");
  for (const dir of [".git", "work"]) mkdirSync(join(shared, dir));
  const roots = (cwd: string) => [repositoryOf(cwd), projectRoot(cwd, "/home/x"), findCageProject(cwd, "/home/x")];
  for (const mode of [0o755, 0o777]) {
    chmodSync(shared, mode);
    assert.deepEqual(roots(work), [shared, shared, shared], `a project of mode ${mode.toString(8)}`);
  }
  chmodSync(shared, 0o1777);
  assert.deepEqual(roots(work), [undefined, work, work]);
  assert.deepEqual(roots(shared), [shared, shared, shared], "who works in it works in it");
});
