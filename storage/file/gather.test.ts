import assert from "node:assert/strict";
import * as fs from "node:fs";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { silentLog } from "../../lib/base/log/log.js";
import { systemClock } from "../../lib/base/time/clock.js";
import { Gathered } from "./gather.js";
import { openFileStore } from "./open.js";
import type { FileSystem } from "./wasm.js";

/** A file of so many bytes, and every call that wrote to it. */
function target(take = Number.POSITIVE_INFINITY) {
  const file = Buffer.alloc(600_000);
  const calls: string[] = [];
  let broken = false;
  const gathered = new Gathered((fd, bytes, at) => {
    if (broken) throw new Error("the disk is full");
    const count = Math.min(bytes.length, take);
    file.set(bytes.subarray(0, count), at);
    calls.push(`${fd}: ${count} at ${at}`);
    return count;
  });
  const add = (text: string, at: number, fd = 1) => gathered.add(fd, Buffer.from(text), at);
  const holds = (from: number, to: number) => file.toString("utf8", from, to);
  const breakDisk = (is: boolean) => {
    broken = is;
  };
  return { gathered, calls, add, holds, breakDisk };
}

test("pieces that follow on each other reach the file as one, when the file is synced", () => {
  const { gathered, calls, add, holds } = target();
  gathered.begin();
  assert.equal(add("head", 10), 4);
  add("page", 14);
  assert.deepEqual(calls, []);
  gathered.end();
  assert.deepEqual(calls, ["1: 8 at 10"]);
  assert.equal(holds(10, 18), "headpage");
});

test("a piece elsewhere, or of another file, comes behind what waited", () => {
  const { gathered, calls, add } = target();
  gathered.begin();
  add("one", 0);
  add("two", 100);
  add("three", 103, 2);
  gathered.end();
  assert.deepEqual(calls, ["1: 3 at 0", "1: 3 at 100", "2: 5 at 103"]);
});

test("what is written behind the sync is on the file at once", () => {
  const { gathered, calls, add } = target();
  gathered.begin();
  add("commit", 0);
  gathered.end();
  add("padding", 6);
  assert.deepEqual(calls, ["1: 6 at 0", "1: 7 at 6"]);
});

test("what is larger than the room goes on in order, and a disk that takes less at once gets the rest", () => {
  const { gathered, calls, add, holds } = target(100_000);
  gathered.begin();
  for (let at = 0; at < 300_000; at += 50_000) add(String(at / 50_000).repeat(50_000), at);
  gathered.end();
  assert.equal(new Set(calls).size, calls.length);
  for (let at = 0; at < 300_000; at += 50_000) assert.equal(holds(at, at + 50_000), String(at / 50_000).repeat(50_000));
});

test("what could not be written is not written later", () => {
  const { gathered, calls, add, breakDisk } = target();
  gathered.begin();
  add("lost", 0);
  breakDisk(true);
  assert.throws(() => gathered.end(), /full/);
  breakDisk(false);
  gathered.begin();
  add("next", 0);
  gathered.end();
  assert.deepEqual(calls, ["1: 4 at 0"]);
});

/** A store whose writes to the journal are counted. */
function counted(t: TestContext) {
  const dir = mkdtempSync(join(tmpdir(), "gather-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const journals = new Set<number>();
  const seen = { writes: 0, unsynced: 0 };
  const synced = (how: (fd: number) => void) => (fd: number) => {
    how(fd);
    seen.unsynced = 0;
  };
  const fileSystem: FileSystem = {
    ...fs,
    openSync: (path, flags, mode) => {
      const fd = fs.openSync(path, flags, mode);
      if (String(path).endsWith("-wal")) journals.add(fd);
      return fd;
    },
    writeSync: ((...args: Parameters<typeof fs.writeSync>) => {
      if (journals.has(args[0])) seen.writes += 1;
      seen.unsynced += 1;
      return fs.writeSync(...args);
    }) as typeof fs.writeSync, // the library calls one form only
    fsyncSync: synced(fs.fsyncSync),
    fdatasyncSync: synced(fs.fdatasyncSync),
  };
  const migrations = [
    { to: 1, statements: ["CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT)", "CREATE INDEX v ON t (v)"] },
  ];
  const spec = { name: "sessions", path: join(dir, "s.db"), kind: "sessions", migrations } as const;
  const store = openFileStore(spec, { host: "inline", clock: systemClock, log: silentLog, fileSystem });
  t.after(() => store.close());
  return { store, seen };
}

test("a commit of many pages is one write before its sync, and at most the rest of a sector behind it", async (t) => {
  const { store, seen } = counted(t);
  const put = (from: number) =>
    store.write("put", async (tx) => {
      for (let id = from; id < from + 40; id++)
        await tx.run("INSERT INTO t (id, v) VALUES (?, ?)", [id, `${id}`.repeat(300)]);
    });
  await put(0);
  await put(100);
  seen.writes = 0;
  await put(200);
  assert.ok(seen.writes <= 3, `${seen.writes} writes`);
  assert.ok(seen.unsynced <= 2, `${seen.unsynced} writes behind the sync`);
  const rows = await store.read((q) => q.all("SELECT count(*) AS n FROM t"));
  assert.deepEqual(rows, [{ n: 120 }]);
});

test("a transaction that is larger than the memory of the store is read back whole before its commit", async (t) => {
  const { store } = counted(t);
  const sum = await store.write("large", async (tx) => {
    for (let id = 0; id < 600; id++)
      await tx.run("INSERT INTO t (id, v) VALUES (?, ?)", [id, `${id}:`.padEnd(8_000, "x")]);
    return tx.get("SELECT count(*) AS n, sum(length(v)) AS chars FROM t");
  });
  assert.deepEqual(sum, { n: 600, chars: 4_800_000 });
});
