import assert from "node:assert/strict";
import * as fs from "node:fs";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../fixtures/ports/clock.js";
import { AppError } from "../../lib/base/errors.js";
import { silentLog } from "../../lib/base/log/log.js";
import type { StoreSpec } from "../store.js";
import { type FileOptions, type FileStore, openFileStore } from "./open.js";

const migrations = [{ to: 1, statements: ["CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)"] }];

function tempDir(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), "file-store-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

function setup(t: TestContext, options: Partial<FileOptions> = {}, dir = tempDir(t)) {
  const clock = manualClock();
  const spec: StoreSpec = { name: "sessions", kind: "sessions", path: join(dir, "sessions.db"), migrations };
  const open = (more: Partial<FileOptions> = {}): FileStore => {
    const store = openFileStore(spec, { host: "inline", clock, log: silentLog, ...options, ...more });
    t.after(() => store.close());
    return store;
  };
  return { clock, spec, open, dir };
}

const INSERT = "INSERT INTO notes (id, text) VALUES (?, ?)";
const put = (store: FileStore, id: number, text = `note ${id}`) =>
  store.write("put", (tx) => tx.run(INSERT, [id, text]));
const ids = (store: FileStore) =>
  store.read(async (q) => (await q.all("SELECT id FROM notes ORDER BY id")).map((row) => row["id"]));
const fails = (code: string, reason?: string) => (error: unknown) =>
  error instanceof AppError && error.code === code && (reason === undefined || error.data["reason"] === reason);

test("what was written is there after closing and opening again", async (t) => {
  const { open } = setup(t);
  const first = open();
  await put(first, 1);
  await first.close();
  assert.deepEqual(await ids(open()), [1]);
});

test("a body that throws changes nothing, and its neighbours of the same commit stay", async (t) => {
  const store = setup(t).open();
  const results = await Promise.allSettled([
    put(store, 1),
    store.write("bad", async (tx) => {
      await tx.run(INSERT, [2, "two"]);
      throw new Error("no");
    }),
    put(store, 3),
  ]);
  assert.deepEqual(
    results.map((result) => result.status),
    ["fulfilled", "rejected", "fulfilled"],
  );
  assert.deepEqual(await ids(store), [1, 3]);
});

test("the event loop does not turn inside a body of the inline host", async (t) => {
  const store = setup(t).open();
  await store.ready();
  let turned = false;
  const immediate = setImmediate(() => {
    turned = true;
  });
  t.after(() => clearImmediate(immediate));
  const seen = await store.write("long", async (tx) => {
    for (let id = 1; id <= 50; id++) await tx.run(INSERT, [id, "x"]);
    return turned;
  });
  assert.equal(seen, false);
});

test("events are numbered without gaps and delivered once, after the commit, in order", async (t) => {
  const store = setup(t).open();
  const heard: number[] = [];
  store.onEvents((events) => heard.push(...events.map((event) => event.seq)));
  const emit = (kind: string, fail = false) =>
    store
      .write("emit", async (tx) => {
        tx.emit({ kind, at: 1, payload: { kind } });
        if (fail) throw new Error("no");
      })
      .catch(() => undefined);
  await Promise.all([emit("a"), emit("b", true), emit("c")]);
  await emit("d");
  assert.deepEqual(heard, [1, 2, 3]);
  assert.deepEqual(
    (await store.events(1, 10)).map((event) => [event.seq, event.kind, event.payload]),
    [
      [2, "c", { kind: "c" }],
      [3, "d", { kind: "d" }],
    ],
  );
  assert.equal(await store.lastSeq(), 3);
});

test("a script is all or nothing, and its events may name what its steps made", async (t) => {
  const store = setup(t).open();
  const steps = [{ sql: "INSERT INTO notes (text) VALUES (?) RETURNING id", args: ["one"], expect: 1 }];
  const event = { kind: "made", at: 1, payload: { note: { from: 0, column: "id" } } };
  const rows = await store.script("make", steps, [event]);
  assert.deepEqual(rows, [[{ id: 1 }]]);
  assert.deepEqual((await store.events(0, 9))[0]?.payload, { note: 1 });
  const wrong = [...steps, { sql: "UPDATE notes SET text = ? WHERE id = ?", args: ["x", 99], expect: 1 }];
  await assert.rejects(store.script("bad", wrong, [event]), fails("E_CONFLICT"));
  assert.deepEqual(await ids(store), [1]);
  assert.equal(await store.lastSeq(), 1);
  const together = await Promise.allSettled([
    store.script("a", steps, [event]),
    store.script("bad", wrong, [event]),
    store.script("b", steps),
  ]);
  assert.deepEqual(
    together.map(({ status }) => status),
    ["fulfilled", "rejected", "fulfilled"],
  );
  assert.deepEqual(await ids(store), [1, 2, 3]);
  assert.equal(await store.lastSeq(), 2);
});

test("opening for reading creates nothing where nothing is, and shows an empty store", async (t) => {
  const { dir, open } = setup(t, { readonly: true });
  const store = open();
  assert.deepEqual(await ids(store), []);
  await assert.rejects(put(store, 1), fails("E_STORE", "readonly"));
  await store.close();
  assert.deepEqual(readdirSync(dir), []);
});

test("a reader without the lock sees commits that are only in the journal, changes no byte, and follows a checkpoint", async (t) => {
  const { dir, open } = setup(t);
  const writer = open();
  await put(writer, 1);
  const before = readdirSync(dir).map((name) => [
    name,
    statSync(join(dir, name)).mtimeMs,
    statSync(join(dir, name)).size,
  ]);
  const reader = open({ readonly: true });
  assert.deepEqual(await ids(reader), [1]);
  const after = readdirSync(dir).map((name) => [
    name,
    statSync(join(dir, name)).mtimeMs,
    statSync(join(dir, name)).size,
  ]);
  assert.deepEqual(after, before);
  await put(writer, 2);
  await writer.close();
  assert.deepEqual(await ids(reader), [1, 2]);
});

test("a lock directory that a killed process left behind is in no one's way", async (t) => {
  const { dir, open } = setup(t);
  mkdirSync(join(dir, "sessions.db.lock"));
  const store = open();
  await put(store, 1);
  assert.equal(existsSync(join(dir, "sessions.db.lock")), false);
});

test("after 200 ms without work the journal is merged into the file", async (t) => {
  const { clock, dir, open } = setup(t);
  const store = open();
  await put(store, 1, "merged-text");
  assert.equal(readFileSync(join(dir, "sessions.db"), "latin1").includes("merged-text"), false);
  clock.advance(200);
  await store.read((q) => q.all("SELECT 1"));
  assert.equal(readFileSync(join(dir, "sessions.db"), "latin1").includes("merged-text"), true);
});

test("after a purge no file of the store holds the deleted text", async (t) => {
  const { dir, open } = setup(t);
  const store = open();
  for (let id = 1; id <= 200; id++) await put(store, id, `zebra-${id} ${"x".repeat(300)}`);
  await store.purge(async (tx) => {
    await tx.run("DELETE FROM notes");
  });
  for (const name of readdirSync(dir))
    assert.equal(readFileSync(join(dir, name), "latin1").includes("zebra-"), false, name);
});

test("a copy is a plain SQLite file of one moment, also while writing goes on", async (t) => {
  const { dir, open } = setup(t);
  const store = open();
  await put(store, 1);
  const copying = store.copyTo(join(dir, "copy.db"));
  await put(store, 2);
  const { sha256, sequence } = await copying;
  assert.equal(sequence, 0);
  assert.match(sha256, /^[0-9a-f]{64}$/);
  assert.equal(readFileSync(join(dir, "copy.db")).readUInt16BE(18), 0x0101);
  await put(store, 3);
  const copy = openFileStore(
    { name: "copy", kind: "sessions", path: join(dir, "copy.db"), migrations },
    { host: "inline", clock: manualClock(), log: silentLog, readonly: true },
  );
  t.after(() => copy.close());
  assert.deepEqual(await copy.check(), []);
  assert.equal((await ids(copy)).includes(1), true);
  assert.deepEqual(await ids(store), [1, 2, 3]);
});

test("copies made at the same time, during a purge and at the end, are whole", async (t) => {
  const { dir, open } = setup(t);
  const store = open();
  for (let id = 1; id <= 300; id++) await put(store, id, "x".repeat(2_000));
  const first = store.copyTo(join(dir, "1.db"));
  const purging = store.purge(async (tx) => {
    await tx.run("DELETE FROM notes WHERE id <= 150");
  });
  const second = store.copyTo(join(dir, "2.db"));
  const closing = store.close();
  await Promise.all([first, purging, second, closing]);
  for (const [name, count] of [
    ["1.db", 300],
    ["2.db", 150],
  ] as const) {
    const spec: StoreSpec = { name, kind: "sessions", path: join(dir, name), migrations };
    const copy = openFileStore(spec, { host: "inline", clock: manualClock(), log: silentLog, readonly: true });
    t.after(() => copy.close());
    assert.deepEqual(await copy.check(), []);
    assert.equal((await ids(copy)).length, count);
  }
});

test("a store in memory can be copied to a file", async (t) => {
  const { dir, open } = setup(t, { memory: true });
  const store = open();
  await put(store, 1);
  await store.copyTo(join(dir, "copy.db"));
  assert.deepEqual(readdirSync(dir), ["copy.db"]);
});

test("the store is closed to everybody after close, and close twice is harmless", async (t) => {
  const store = setup(t).open();
  await put(store, 1);
  await Promise.all([store.close(), store.close()]);
  await assert.rejects(put(store, 2), fails("E_STORE", "closed"));
});

const FULL_CASES = ["ENOSPC", "EDQUOT", "EFBIG"] as const;
for (const code of FULL_CASES) {
  test(`${code} is E_STORE_FULL, changes nothing, and the same call works when there is space`, async (t) => {
    let full = false;
    const writeSync = ((...args: Parameters<typeof fs.writeSync>) => {
      if (full) throw Object.assign(new Error("disk full"), { code });
      return fs.writeSync(...args);
    }) as typeof fs.writeSync;
    const store = setup(t, { fileSystem: { ...fs, writeSync } }).open();
    await put(store, 1);
    full = true;
    await assert.rejects(put(store, 2), fails("E_STORE_FULL"));
    assert.deepEqual(await ids(store), [1]);
    full = false;
    await put(store, 2);
    assert.deepEqual(await ids(store), [1, 2]);
  });
}

test("what one turn of the event loop asks for shares one sync, though some of it comes late in that turn", async (t) => {
  let syncs = 0;
  const fdatasyncSync = (fd: number) => {
    syncs += 1;
    fs.fdatasyncSync(fd);
  };
  const store = setup(t, { fileSystem: { ...fs, fdatasyncSync } }).open();
  await put(store, 1);
  const before = syncs;
  const first = store.script("first", [{ sql: INSERT, args: [2, "two"] }]);
  for (let steps = 0; steps < 50; steps++) await Promise.resolve();
  await Promise.all([first, store.script("late", [{ sql: INSERT, args: [3, "three"] }])]);
  assert.deepEqual([syncs - before, await ids(store)], [1, [1, 2, 3]]);
});

test("the first sync of a file takes all that belongs to it, later ones its data", async (t) => {
  const told = new Map<number, string[]>();
  const sync = (what: string, how: (fd: number) => void) => (fd: number) => {
    told.set(fd, [...(told.get(fd) ?? []), what]);
    how(fd);
  };
  const syncs = { fsyncSync: sync("whole", fs.fsyncSync), fdatasyncSync: sync("data", fs.fdatasyncSync) };
  const store = setup(t, { fileSystem: { ...fs, ...syncs } }).open();
  for (const id of [1, 2, 3, 4]) await put(store, id);
  const journal = [...told.values()].reduce((most, one) => (one.length > most.length ? one : most));
  assert.deepEqual([journal[0], ...journal.slice(-3)], ["whole", "data", "data", "data"]);
});

test("a failed sync says that the outcome is unknown, tells the owner to end, and nothing is written after it", async (t) => {
  let broken = false;
  const sync = (how: (fd: number) => void) => (fd: number) => {
    if (broken) throw Object.assign(new Error("io"), { code: "EIO" });
    how(fd);
  };
  const failing = { fsyncSync: sync(fs.fsyncSync), fdatasyncSync: sync(fs.fdatasyncSync) };
  const fatal: AppError[] = [];
  const store = setup(t, { fileSystem: { ...fs, ...failing }, onFatal: (error) => fatal.push(error) }).open();
  await put(store, 1);
  broken = true;
  await assert.rejects(
    put(store, 2),
    (error: unknown) => error instanceof AppError && error.data["outcome"] === "unknown",
  );
  assert.equal(fatal.length, 1);
  broken = false;
  await assert.rejects(put(store, 3), fails("E_STORE"));
});

test("a file that is not SQLite is refused and stays as it is", async (t) => {
  const { spec, open } = setup(t);
  writeFileSync(spec.path, "this is a letter, not a database".repeat(200));
  const before = readFileSync(spec.path);
  await assert.rejects(ids(open()), fails("E_STORE", "damaged"));
  assert.deepEqual(readFileSync(spec.path), before);
});
