import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { rotateFile } from "./log-file.js";
import { openLogParts, tailLog, textOfTail } from "./log-parts.js";

function fileIn(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), "log-"));
  t.after(() => rmSync(dir, { recursive: true }));
  return join(dir, "task.log");
}

function whole(path: string): string {
  const parts = openLogParts(path);
  try {
    return parts.read(0, parts.size).toString("utf8");
  } finally {
    parts.close();
  }
}

test("a log is read as one with its backups, the oldest first", (t) => {
  const path = fileIn(t);
  const parts = openLogParts(path);
  assert.deepEqual([parts.exists, parts.size], [false, 0]);
  for (const text of ["one\n", "two\n", "three\n", "four\n"]) {
    rotateFile(path, { maxBytes: 1, backups: 2, inUse: false });
    writeFileSync(path, text);
  }
  writeFileSync(`${path}.old`, "no backup");
  assert.equal(whole(path), "two\nthree\nfour\n");
  const some = openLogParts(path);
  assert.equal(some.read(2, 6).toString(), "o\nth");
  some.close();
});

test("fewer backups than before remove those behind", (t) => {
  const path = fileIn(t);
  for (const [text, backups] of [
    ["a", 3],
    ["b", 3],
    ["c", 3],
    ["d", 1],
  ] as const) {
    writeFileSync(path, text.repeat(9));
    rotateFile(path, { maxBytes: 1, backups, inUse: false });
  }
  assert.equal(whole(path), "d".repeat(9));
});

for (const inUse of [true, false]) {
  test(`whoever follows a log misses nothing when it is turned over (${inUse ? "while it is written to" : "before a start"})`, (t) => {
    const path = fileIn(t);
    writeFileSync(path, "before");
    const tail = tailLog(path);
    const seen = () => tail.next().toString("utf8");
    appendFileSync(path, "1");
    assert.equal(seen(), "1");
    appendFileSync(path, "2");
    rotateFile(path, { maxBytes: 1, backups: 1, inUse });
    appendFileSync(path, "3 and much more than there was before");
    assert.equal(seen(), "23 and much more than there was before");
    assert.equal(seen(), "");
    rotateFile(path, { maxBytes: 1, backups: 1, inUse });
    assert.equal(seen(), "");
    appendFileSync(path, "4");
    assert.equal(seen(), "4");
  });
}

test("a log that begins, or is emptied, while it is followed", (t) => {
  const path = fileIn(t);
  const tail = tailLog(path);
  assert.equal(tail.next().length, 0);
  writeFileSync(path, "first");
  assert.equal(tail.next().toString(), "first");
  truncateSync(path, 0);
  appendFileSync(path, "new");
  assert.equal(tail.next().toString(), "new");
  assert.equal(readFileSync(path, "utf8"), "new");
});

test("a character that the beginning cuts is left out", () => {
  const bytes = Buffer.from("a工b");
  assert.deepEqual(
    [0, 1, 2, 3, 4].map((from) => textOfTail(bytes.subarray(from))),
    ["a工b", "工b", "b", "b", "b"],
  );
});
