import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type ManualClock, manualClock } from "../../fixtures/ports/clock.js";
import { type SimDisk, simDisk } from "../../fixtures/ports/disk.js";
import { countingIds } from "../../fixtures/ports/ids.js";
import { AppError } from "../../lib/base/errors.js";
import { silentLog } from "../../lib/base/log/log.js";
import type { StoreSpec } from "../store.js";
import { describe } from "./files.js";
import { deepCheck, storeHealth } from "./health.js";
import { openInline } from "./open.js";
import type { OpenOptions } from "./store-open.js";

const SPEC: StoreSpec = {
  name: "board:default",
  path: "/home/kanban.db",
  kind: "board",
  migrations: [{ to: 1, statements: ["CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)"] }],
};
const ADD = "INSERT INTO notes (text) VALUES (?)";

type OpenStore = Awaited<ReturnType<typeof openInline>>;

async function open(
  t: TestContext,
  disk: SimDisk,
  more: Partial<OpenOptions> & { clock?: ManualClock } = {},
): Promise<OpenStore> {
  const store = await openInline(SPEC, {
    disk,
    clock: manualClock(),
    host: "inline",
    log: silentLog,
    ids: countingIds(3),
    ...more,
  });
  t.after(() => store.close());
  return store;
}

const add = (store: OpenStore, text = "note") => store.write("add", (tx) => tx.run(ADD, [text]));
const count = async (store: OpenStore) =>
  (await store.read((q) => q.get<{ n: number }>("SELECT count(*) AS n FROM notes")))?.n;
const names = (disk: SimDisk) => disk.files().map(([path]) => path.replace("/home/kanban.db", "*"));
const sizeOf = (disk: SimDisk, name: string) =>
  disk.files().find(([path]) => path === `/home/kanban.db${name}`)?.[1].length ?? 0;

test("a purge on a full disk says that the text is still in the files, and the next checkpoint takes it out", async (t) => {
  const disk = simDisk();
  const store = await open(t, disk);
  await add(store, "CANARY");
  await store.checkpoint();
  disk.faults.fail = (op) => (op.kind === "write" && op.path.endsWith(".next") ? "ENOSPC" : undefined);
  const purging = store.purge(async (tx) => {
    await tx.run("DELETE FROM notes");
  });
  await assert.rejects(purging, (error) => error instanceof AppError && error.data["outcome"] === "unpurged");
  assert.equal(await count(store), 0);
  disk.faults.fail = undefined;
  await store.checkpoint();
  assert.deepEqual(
    disk.files().filter(([, bytes]) => bytes.includes("CANARY")),
    [],
  );
});

for (const [file, isEnd] of [
  [".next", true],
  [".current", true],
  ["", false],
] as const)
  test(`a checkpoint changes nothing when another process has replaced kanban.db${file}`, async (t) => {
    const disk = simDisk();
    const fatal: AppError[] = [];
    const store = await open(t, disk, { onFatal: (error) => fatal.push(error) });
    await add(store);
    await store.checkpoint();
    await add(store, "second");
    let planted: readonly (readonly [string, Buffer])[] = [];
    disk.faults.onOp = (op) => {
      if (op.kind !== "done" || !op.path.endsWith(".next")) return; // the new checkpoint is written, and has no name yet
      disk.faults.onOp = undefined;
      disk.plant(`/home/kanban.db${file}`, Buffer.from("of another process"));
      planted = disk.files();
    };
    const names = new Set(["", ".prev", ".current", ".next"].map((name) => `/home/kanban.db${name}`));
    await assert.rejects(
      store.checkpoint(),
      (error) => error instanceof AppError && error.data["reason"] === "foreign",
    );
    const ofCheckpoint = (files: readonly (readonly [string, Buffer])[]) =>
      files.filter(([path]) => names.has(path) && !path.endsWith(".next"));
    assert.deepEqual(ofCheckpoint(disk.files()), ofCheckpoint(planted));
    assert.equal(fatal.length, isEnd ? 1 : 0);
    if (!isEnd) assert.equal(await count(store), 2);
  });

test("a checkpoint that was removed while its owner works is there again after the next one", async (t) => {
  const disk = simDisk();
  const store = await open(t, disk);
  await add(store);
  await store.checkpoint();
  await add(store, "second");
  disk.plant("/home/kanban.db", undefined);
  await store.checkpoint();
  await store.close();
  const again = await open(t, disk);
  assert.equal(await count(again), 2);
  assert.ok(disk.readFile("/home/kanban.db"));
});

test("a checkpoint is made when the journal has grown beyond its limit", async (t) => {
  const disk = simDisk();
  const store = await open(t, disk, { checkpointBytes: 20_000 });
  for (let at = 0; at < 90; at++) await add(store, "x".repeat(1_000));
  await store.close();
  assert.ok(sizeOf(disk, "") > 10_000);
  assert.equal(names(disk).includes("*.log-1"), false);
});

test("a checkpoint is made after two thousand transactions", async (t) => {
  const disk = simDisk();
  const store = await open(t, disk);
  for (let at = 0; at < 8; at++) await Promise.all(Array.from({ length: 256 }, () => add(store, "x")));
  await store.checkpoint();
  assert.ok(names(disk).some((name) => name === "*.log-2" || name === "*.log-3"));
});

test("commits go on while a large checkpoint is being written", async (t) => {
  const disk = simDisk();
  const store = await open(t, disk);
  await add(store, "x".repeat(4 << 20));
  const written: string[] = [];
  disk.faults.fail = (op) => {
    if (op.kind === "write") written.push(op.path);
    return undefined;
  };
  const checkpoint = store.checkpoint();
  await add(store, "meanwhile");
  await checkpoint;
  const commit = written.indexOf("/home/kanban.db.log-2", written.indexOf("/home/kanban.db.next"));
  assert.ok(commit > 0 && commit < written.lastIndexOf("/home/kanban.db.next"), written.join("\n"));
  assert.equal(await count(store), 2);
});

test("a long-lived owner makes a checkpoint when it was idle for thirty seconds, and only when there is something new", async (t) => {
  const disk = simDisk();
  const clock = manualClock();
  const store = await open(t, disk, { clock, longLived: true });
  await add(store);
  clock.advance(30_000);
  await store.checkpoint();
  const segments = names(disk).filter((name) => name.includes(".log-"));
  clock.advance(120_000);
  await count(store);
  assert.deepEqual(
    names(disk).filter((name) => name.includes(".log-")),
    segments,
  );
});

test("a line a minute has the whole store written every ten minutes, not every minute; much that rests is written after thirty seconds", async (t) => {
  const disk = simDisk();
  const clock = manualClock();
  const store = await open(t, disk, { clock, longLived: true });
  const segments = new Set<string>();
  const pass = async (ms: number) => {
    clock.advance(ms);
    await count(store);
    await count(store); // a checkpoint that the time began has taken its turn
    for (const name of names(disk)) if (name.includes(".log-")) segments.add(name);
  };
  for (let minute = 0; minute < 60; minute++) {
    await add(store);
    await pass(60_000);
  }
  assert.ok(segments.size >= 6 && segments.size <= 8, [...segments].join(" "));
  const before = segments.size;
  await add(store, "x".repeat(20_000));
  await pass(30_000);
  assert.equal(segments.size, before + 1);
});

test("a short command leaves its change in the journal, a long-lived owner in the checkpoint", async (t) => {
  for (const longLived of [false, true]) {
    const disk = simDisk();
    const store = await open(t, disk, { longLived });
    const before = sizeOf(disk, ".log-1");
    await add(store);
    await store.close();
    assert.equal(sizeOf(disk, ".log-1") > before, !longLived || sizeOf(disk, ".log-1") > 0);
    assert.equal(names(disk).includes("*.log-2"), longLived);
  }
});

test("a store that was closed well goes on in the same segment", async (t) => {
  const disk = simDisk();
  for (let round = 1; round <= 3; round++) {
    const store = await open(t, disk);
    await add(store);
    assert.equal(await count(store), round);
    await store.close();
  }
  assert.deepEqual(
    names(disk).filter((name) => name.includes(".log-")),
    ["*.log-1"],
  );
});

test("a reader takes the whole frames before a torn tail", async (t) => {
  const disk = simDisk();
  const owner = await open(t, disk);
  await add(owner, "one");
  await add(owner, "two");
  const torn = disk.fork();
  const bytes = disk.files().find(([path]) => path.endsWith(".log-1"))?.[1] ?? Buffer.alloc(0);
  torn.plant("/home/kanban.db.log-1", bytes.subarray(0, bytes.length - 5));
  assert.equal(await count(await open(t, torn, { readonly: true })), 1);
  assert.equal(torn.files().find(([path]) => path.endsWith(".log-1"))?.[1].length, bytes.length - 5);
});

test("a torn tail is kept with a note before it is cut off", async (t) => {
  const disk = simDisk();
  const owner = await open(t, disk);
  await add(owner, "one");
  const wreck = disk.fork();
  const bytes = disk.files().find(([path]) => path.endsWith(".log-1"))?.[1] ?? Buffer.alloc(0);
  wreck.plant("/home/kanban.db.log-1", Buffer.concat([bytes, Buffer.from("half a frame")]));
  assert.equal(await count(await open(t, wreck)), 1);
  const lost = wreck.files().filter(([path]) => path.includes(".lost/"));
  assert.deepEqual(
    lost.map(([path]) => path.split("/").at(-1)),
    ["000001-torn-tail.bin", "000001-torn-tail.txt"],
  );
  assert.equal(lost[0]?.[1].toString(), "half a frame");
});

test("a checkpoint that holds something else than the journal says is found by the deep check", async (t) => {
  const disk = simDisk();
  const store = await open(t, disk);
  for (let at = 0; at < 5; at++) await add(store, `note ${at}`);
  await store.checkpoint();
  for (let at = 0; at < 5; at++) await add(store, `more ${at}`);
  await store.checkpoint();
  await store.close();
  assert.deepEqual(await deepCheck(SPEC, disk), []);
  const bytes = Buffer.from(disk.files().find(([path]) => path === SPEC.path)?.[1] ?? []);
  bytes.write("NOTE 3", bytes.indexOf("note 3"));
  const current = JSON.parse(disk.readFile("/home/kanban.db.current")?.toString() ?? "");
  disk.plant(SPEC.path, bytes);
  disk.plant(
    "/home/kanban.db.current",
    Buffer.from(JSON.stringify({ ...current, now: describe(bytes, current.now.seq) })),
  );
  const [found] = await deepCheck(SPEC, disk);
  assert.match(found ?? "", /does not match/);
});

test("a damaged copy is named by the deep check, whichever it is", async (t) => {
  const disk = simDisk();
  const store = await open(t, disk);
  for (let round = 0; round < 2; round++) {
    await add(store, `note ${round}`);
    await store.checkpoint();
  }
  await store.close();
  for (const [path, copy] of [
    [SPEC.path, ""],
    [`${SPEC.path}.prev`, "the previous checkpoint "],
  ] as const) {
    const whole = disk.readFile(path) ?? Buffer.alloc(0);
    const torn = Buffer.from(whole);
    torn.write("torn", 5_000);
    disk.plant(path, torn);
    const [found] = await deepCheck(SPEC, disk);
    assert.ok(found?.startsWith(`${copy}${path} is damaged`), found);
    disk.plant(path, Buffer.from(whole));
  }
});

test("the health of a store is reported without opening it", async (t) => {
  const disk = simDisk();
  assert.equal(storeHealth(disk, SPEC.path).exists, false);
  const store = await open(t, disk);
  await add(store);
  const health = storeHealth(disk, SPEC.path);
  assert.deepEqual([health.exists, health.inUse, health.segments, health.lost], [true, true, 1, []]);
  assert.ok(health.journalBytes > 100);
  await store.close();
  assert.equal(storeHealth(disk, SPEC.path).inUse, false);
});

test("a checkpoint and the one before with its journal hold the same", async (t) => {
  const disk = simDisk();
  const store = await open(t, disk);
  for (let at = 0; at < 20; at++) await add(store, `note ${at}`);
  await store.checkpoint();
  for (let at = 0; at < 20; at++)
    await store.write("change", (tx) => tx.run("UPDATE notes SET text = ? WHERE id = ?", [`changed ${at}`, at]));
  await store.checkpoint();
  await store.close();
  const older = disk.fork();
  older.plant("/home/kanban.db", undefined);
  const rows = async (of: SimDisk) =>
    (await open(t, of, { readonly: true })).read((q) => q.all("SELECT id, text FROM notes ORDER BY id"));
  assert.deepEqual(await rows(older), await rows(disk));
});
