import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { writeAtomic } from "./files.js";
import { smallFile } from "./small-file.js";

test("a small file that is read often is never answered from an older version", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "small-"));
  t.after(() => rmSync(dir, { recursive: true }));
  const path = join(dir, "current");
  const file = smallFile(path);
  assert.equal(await file.read(), undefined);
  for (const text of ["one", "two", "one", "abc"]) {
    await writeAtomic(path, `${text}\n`, 0o600);
    assert.equal(await file.read(), text);
    assert.equal(await file.read(), text);
  }
  await writeAtomic(path, " \n", 0o600);
  assert.equal(await file.read(), undefined);
  rmSync(path);
  assert.equal(await file.read(), undefined);
});
