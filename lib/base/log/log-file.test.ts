import assert from "node:assert/strict";
import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { lastLine, rotateFile } from "./log-file.js";

test("a file at its limit stays, one byte more makes it old", (t) => {
  const path = fileIn(t);
  writeFileSync(path, "12345");
  assert.equal(rotateFile(path, { maxBytes: 5, backups: 1, inUse: false }), false);
  appendFileSync(path, "6");
  assert.equal(rotateFile(path, { maxBytes: 5, backups: 1, inUse: false }), true);
  assert.equal(readFileSync(`${path}.1`, "utf8"), "123456");
  assert.ok(!existsSync(path));
});

test("no more old files are kept than asked for, the newest is .1", (t) => {
  const path = fileIn(t);
  for (const text of ["aaa", "bbb", "ccc"]) {
    writeFileSync(path, text);
    rotateFile(path, { maxBytes: 1, backups: 2, inUse: false });
  }
  assert.equal(readFileSync(`${path}.1`, "utf8"), "ccc");
  assert.equal(readFileSync(`${path}.2`, "utf8"), "bbb");
  assert.ok(!existsSync(`${path}.3`));
});

test("a process that appends to the file goes on in the new one", (t) => {
  const path = fileIn(t);
  const writer = openSync(path, "a");
  writeSync(writer, "before");
  rotateFile(path, { maxBytes: 1, backups: 1, inUse: true });
  writeSync(writer, "after");
  closeSync(writer);
  assert.equal(readFileSync(`${path}.1`, "utf8"), "before");
  assert.equal(readFileSync(path, "utf8"), "after");
});

test("the last line with text is found, also at the end of a long file", (t) => {
  const path = fileIn(t);
  assert.equal(lastLine(path, 100), undefined);
  writeFileSync(path, `${"x".repeat(10_000)}\nboom: it broke\n\n  \n`);
  assert.equal(lastLine(path, 100), "boom: it broke");
});

function fileIn(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), "log-"));
  t.after(() => rmSync(dir, { recursive: true }));
  return join(dir, "task.log");
}
