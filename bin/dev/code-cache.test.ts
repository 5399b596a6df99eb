import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { RUNTIME } from "../../lib/base/runtime.js";
import { CODE_CACHES, CODE_FILES, hasCodeCache, pidIn } from "./code-cache.js";

test("a build whose warming was cut short is warmed again by the next, also when some of its caches are there", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "warm-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of CODE_CACHES) {
    assert.equal(hasCodeCache(folder), false, `before ${name}`);
    writeFileSync(join(folder, name), "");
  }
  assert.equal(hasCodeCache(folder), false, "its last run may not have ended");
  for (const name of CODE_FILES) writeFileSync(join(folder, name), RUNTIME);
  assert.equal(hasCodeCache(folder), true);
  for (const name of CODE_FILES) writeFileSync(join(folder, name), `v20.0.1${RUNTIME}`);
  assert.equal(hasCodeCache(folder), false, "another runtime takes nothing of it");
});

test("the pid of the screen is that of its line, which counts when all of it has come", () => {
  assert.ok(Number.isNaN(pidIn("pid 12")), "more digits may come");
  assert.equal(pidIn("Script started\r\npid 1234\r\n\u001b[?1049h› pid 99 "), 1234);
});
