import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../fixtures/ports/clock.js";
import { type SimDisk, simDisk } from "../../fixtures/ports/disk.js";
import { countingIds } from "../../fixtures/ports/ids.js";
import { AppError } from "../../lib/base/errors.js";
import type { Disk } from "../../lib/base/fs/disk.js";
import { type Log, silentLog } from "../../lib/base/log/log.js";
import type { StoreSpec } from "../store.js";
import { deepCheck } from "./health.js";
import { openInline } from "./open.js";
import type { OpenOptions } from "./options.js";

const CHUNK = 4_096;
const SPEC: StoreSpec = {
  name: "board:default",
  path: "/home/kanban.db",
  kind: "board",
  migrations: [{ to: 1, statements: ["CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)"] }],
};

type Opened = Awaited<ReturnType<typeof openInline>>;

async function open(t: TestContext, disk: Disk, options: Partial<OpenOptions> = {}) {
  const said: string[] = [];
  const log: Log = { ...silentLog, warning: (text) => said.push(text), error: (text) => said.push(text) };
  const ahead = { after: 500, chunk: CHUNK };
  const store = await openInline(SPEC, {
    disk,
    clock: manualClock(),
    ids: countingIds(3),
    host: "inline",
    log,
    ahead,
    ...options,
  });
  t.after(() => store.close());
  return Object.assign(store, { said });
}

const add = (store: Opened, text: string) =>
  store.write("add", (tx) => tx.run("INSERT INTO notes (text) VALUES (?)", [text]));
const texts = async (store: Opened) =>
  (await store.read((q) => q.all<{ text: string }>("SELECT text FROM notes ORDER BY id"))).map(({ text }) => text);
const segment = (disk: SimDisk, number = 1) => disk.readFile(`${SPEC.path}.log-${number}`) ?? Buffer.alloc(0);
const lost = (disk: SimDisk) => disk.files().filter(([path]) => path.includes(".lost/"));
const contentOf = (bytes: Buffer) => bytes.subarray(0, bytes.findLastIndex((byte) => byte !== 0) + 1);

/** A store whose journal has two frames and zeros behind them, as a killed process leaves it. */
async function allocated(t: TestContext) {
  const disk = simDisk();
  const store = await open(t, disk);
  await add(store, "a".repeat(600));
  await add(store, "b".repeat(100));
  return { disk, store, wreck: disk.fork() };
}

test("a journal that grows is allocated ahead, and the next changes overwrite what the file has", async (t) => {
  const { disk, store } = await allocated(t);
  assert.equal(segment(disk).length, CHUNK);
  for (let at = 0; at < 5; at++) await add(store, "c".repeat(100));
  assert.equal(segment(disk).length, CHUNK);
  await add(store, "d".repeat(CHUNK));
  assert.equal(segment(disk).length, 2 * CHUNK);
});

test("what appends little leaves no zeros behind, however long the journal is", async (t) => {
  const { disk, store } = await allocated(t);
  await store.close();
  for (const text of ["one", "two"]) {
    const short = await open(t, disk);
    await add(short, text);
    await short.close();
    assert.equal(contentOf(segment(disk)).length, segment(disk).length);
  }
  assert.deepEqual((await texts(await open(t, disk))).slice(2), ["one", "two"]);
});

test("after a kill zeros behind the last frame are cut off in silence", async (t) => {
  const { wreck } = await allocated(t);
  const before = contentOf(segment(wreck));
  const store = await open(t, wreck);
  assert.deepEqual(await texts(store), ["a".repeat(600), "b".repeat(100)]);
  assert.deepEqual([lost(wreck), store.said], [[], []]);
  assert.deepEqual(segment(wreck), before);
});

test("a half written frame before zeros is kept without them, and cut off", async (t) => {
  const { wreck } = await allocated(t);
  const bytes = segment(wreck);
  const end = contentOf(bytes).length;
  bytes.write("half", end + 512);
  wreck.plant(`${SPEC.path}.log-1`, bytes);
  assert.equal((await texts(await open(t, wreck))).length, 2);
  assert.equal(lost(wreck)[0]?.[1].length, 516);
  assert.equal(segment(wreck).length, end);
});

test("a reader sees no zeros and changes none", async (t) => {
  const { disk } = await allocated(t);
  assert.equal((await texts(await open(t, disk, { readonly: true }))).length, 2);
  assert.equal(segment(disk).length, CHUNK);
});

test("a disk without room for zeros takes the change, and nothing else is taken from it", async (t) => {
  const disk = simDisk();
  const store = await open(t, disk);
  await add(store, "small");
  disk.faults.quota = disk.files().reduce((sum, [, bytes]) => sum + bytes.length, 0) + 1_500;
  await add(store, "a".repeat(600));
  assert.equal(contentOf(segment(disk)).length, segment(disk).length);
  await add(store, "b".repeat(300));
  await assert.rejects(
    add(store, "c".repeat(1_500)),
    (error) => error instanceof AppError && error.code === "E_STORE_FULL",
  );
  assert.deepEqual((await texts(store)).slice(1), ["a".repeat(600), "b".repeat(300)]);
});

for (const code of ["ENOSPC", "EDQUOT", "EFBIG", "EIO", "SHORT"]) {
  test(`zeros that fail with ${code} are no reason to refuse a change, nor that they cannot be cut off`, async (t) => {
    for (const stuck of [false, true]) {
      const disk = simDisk();
      const store = await open(t, disk);
      let writes = 0;
      disk.faults.fail = ({ kind, path }) => {
        if (!path.includes(".log-")) return undefined;
        if (kind === "write") writes += 1;
        return (kind === "write" && writes === 2) || (stuck && kind === "truncate") ? code : undefined;
      };
      await add(store, "a".repeat(600));
      await add(store, "b");
      assert.equal(writes, 3, "frame, zeros, frame: where there is no room nobody asks again");
      disk.faults.fail = undefined;
      assert.deepEqual(await texts(await open(t, disk.fork())), ["a".repeat(600), "b"]);
    }
  });
}

test("a failed change in a journal that was allocated ahead is not half there", async (t) => {
  const { disk, store } = await allocated(t);
  const before = contentOf(segment(disk));
  disk.faults.fail = ({ kind }) => (kind === "write" ? "SHORT" : undefined);
  await assert.rejects(
    add(store, "c".repeat(200)),
    (error) => error instanceof AppError && error.code === "E_STORE_FULL",
  );
  assert.deepEqual(segment(disk), before);
  disk.faults.fail = undefined;
  await add(store, "d");
  assert.deepEqual((await texts(store)).slice(2), ["d"]);
  assert.deepEqual((await texts(await open(t, disk.fork()))).slice(2), ["d"]);
});

test("zeros make no checkpoint due", async (t) => {
  const disk = simDisk();
  const store = await open(t, disk, { checkpointBytes: 1_000_000, ahead: { after: 500, chunk: 2_000_000 } });
  for (let at = 0; at < 20; at++) await add(store, "a".repeat(600));
  assert.equal(segment(disk).length, 2_000_000);
  assert.equal(segment(disk, 2).length, 0);
});

test("zeros at the end of an older segment are nothing when the newest checkpoint is lost", async (t) => {
  const { disk, store } = await allocated(t);
  await store.checkpoint();
  await add(store, "c".repeat(600));
  await store.checkpoint();
  await add(store, "d");
  await store.close();
  assert.equal(segment(disk, 2).length, CHUNK);
  assert.deepEqual(await deepCheck(SPEC, disk), []);
  disk.plant(SPEC.path, undefined);
  const back = await open(t, disk);
  assert.equal((await texts(back)).length, 4);
  assert.deepEqual(lost(disk), []);
});

test("zeros behind the head of a segment that never took a frame are as nothing behind it", async (t) => {
  const { disk, store } = await allocated(t);
  await store.checkpoint();
  await store.close();
  const path = `${SPEC.path}.log-2`;
  const head = segment(disk, 2);
  disk.plant(path, Buffer.concat([head, Buffer.alloc(CHUNK)]));
  assert.equal((await texts(await open(t, disk.fork()))).length, 2);
  const alone = simDisk();
  alone.plant(`${SPEC.path}.log-1`, Buffer.concat([await firstHead(t), Buffer.alloc(CHUNK)]));
  assert.equal((await texts(await open(t, alone))).length, 0);
});

/** The head of a store's first segment. */
async function firstHead(t: TestContext): Promise<Buffer> {
  const disk = simDisk();
  await open(t, disk);
  return segment(disk);
}

test("a reader that passed the place of a frame before it came, and saw the next one, looks again", async (t) => {
  const { disk, store } = await allocated(t);
  const early = segment(disk);
  const end = contentOf(early).length;
  await add(store, "c".repeat(600));
  const third = contentOf(segment(disk)).length;
  await add(store, "d");
  const mixed = Buffer.concat([early.subarray(0, third), segment(disk).subarray(third)]);
  assert.ok(end < third);
  const reads: string[] = [];
  const mixing: Disk = {
    open: (path, mode) => disk.open(path, mode),
    readFile: (path) => {
      if (path.endsWith(".log-1")) reads.push(path);
      return path.endsWith(".log-1") && reads.length === 1 ? mixed : disk.readFile(path);
    },
    identity: (path) => disk.identity(path),
    rename: (from, to) => disk.rename(from, to),
    remove: (path) => disk.remove(path),
    list: (dir) => disk.list(dir),
    mkdir: (dir) => disk.mkdir(dir),
    syncDir: (dir) => disk.syncDir(dir),
  };
  assert.equal((await texts(await open(t, mixing, { readonly: true }))).length, 4);
  assert.equal(reads.length, 2);
  disk.plant(`${SPEC.path}.log-1`, mixed);
  const stays = (error: unknown) => error instanceof AppError && error.data["reason"] === "damaged";
  await assert.rejects(open(t, disk, { readonly: true }), stays);
});
