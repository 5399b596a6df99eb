import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { CODE_CACHES, CODE_FILES, hasCodeCache } from "./code-cache.js";

test("a build whose warming was cut short is warmed again by the next, also when some of its caches are there", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "warm-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of CODE_CACHES) {
    assert.equal(hasCodeCache(folder), false, `before ${name}`);
    writeFileSync(join(folder, name), "");
  }
  assert.equal(hasCodeCache(folder), false, "its last run may not have ended");
  for (const name of CODE_FILES) writeFileSync(join(folder, name), "");
  assert.equal(hasCodeCache(folder), true);
});
