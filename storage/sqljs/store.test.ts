import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type ManualClock, manualClock } from "../../fixtures/ports/clock.js";
import { type SimDisk, simDisk } from "../../fixtures/ports/disk.js";
import { countingIds } from "../../fixtures/ports/ids.js";
import { AppError } from "../../lib/base/errors.js";
import { silentLog } from "../../lib/base/log/log.js";
import type { StoredEvent, StoreSpec } from "../store.js";
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
const sizeOf = (disk: SimDisk, name: string) =>
  disk.files().find(([path]) => path === `/home/kanban.db${name}`)?.[1].length ?? 0;

/** Syncs of the journal that were begun. */
function countSyncs(disk: SimDisk): () => number {
  let syncs = 0;
  disk.faults.onOp = (op) => {
    if (op.kind === "sync" && op.path.includes(".log-")) syncs += 1;
  };
  return () => syncs;
}

test("thirty-two writes that were asked for together share one fsync", async (t) => {
  const disk = simDisk();
  const store = await open(t, disk);
  const syncs = countSyncs(disk);
  await Promise.all(Array.from({ length: 32 }, () => add(store)));
  assert.equal(syncs(), 1);
});

test("what comes while a frame is being synced goes into the next one", async (t) => {
  const disk = simDisk();
  const store = await open(t, disk);
  let syncs = 0;
  let more: Promise<unknown>[] = [];
  disk.faults.onOp = (op) => {
    if (op.kind !== "sync") return;
    syncs += 1;
    if (syncs === 1) more = Array.from({ length: 20 }, () => add(store));
  };
  await add(store);
  await Promise.all(more);
  assert.deepEqual([syncs, await count(store)], [2, 21]);
});

test("a read is answered only when what it saw is on the disk", async (t) => {
  const disk = simDisk();
  const store = await open(t, disk);
  const order: string[] = [];
  disk.faults.onOp = (op) => {
    if (op.kind === "done" && op.path.includes(".log-")) order.push("synced");
  };
  const writing = add(store).then(() => order.push("written"));
  const reading = count(store).then((n) => order.push(`read ${n}`));
  await Promise.all([writing, reading]);
  assert.equal(order[0], "synced");
  assert.ok(order.includes("read 1"));
});

test("an error is answered only when what its body saw is on the disk", async (t) => {
  const disk = simDisk();
  const store = await open(t, disk);
  let synced = false;
  disk.faults.onOp = (op) => {
    synced ||= op.kind === "done" && op.path.includes(".log-");
  };
  const writing = add(store);
  const failing = store.write("look", async (tx) => {
    const row = await tx.get<{ n: number }>("SELECT count(*) AS n FROM notes");
    throw new Error(`there are ${row?.n}`);
  });
  await assert.rejects(failing, /there are 1/);
  assert.ok(synced);
  await writing;
});

test("events are heard after the fsync", async (t) => {
  const disk = simDisk();
  const store = await open(t, disk);
  let synced = false;
  let early = false;
  disk.faults.onOp = (op) => {
    synced ||= op.kind === "done" && op.path.includes(".log-");
  };
  const heard: StoredEvent[] = [];
  store.onEvents((events) => {
    early ||= !synced;
    heard.push(...events);
  });
  await store.write("emit", async (tx) => tx.emit({ kind: "one", at: 1, payload: {} }));
  assert.deepEqual([early, heard.length], [false, 1]);
});

test("a full disk refuses the write, loses nothing, and works again when there is space", async (t) => {
  const disk = simDisk();
  const store = await open(t, disk);
  await add(store, "before");
  const size = sizeOf(disk, ".log-1");
  disk.faults.quota = disk.files().reduce((sum, [, bytes]) => sum + bytes.length, 0) + 100;
  const results = await Promise.allSettled([add(store, "x".repeat(500)), add(store, "y".repeat(500))]);
  for (const result of results) {
    assert.ok(result.status === "rejected" && result.reason instanceof AppError);
    assert.equal(result.reason.code, "E_STORE_FULL");
  }
  assert.equal(sizeOf(disk, ".log-1"), size);
  assert.equal(await count(store), 1);
  disk.faults.quota = undefined;
  await add(store, "after");
  assert.equal(await count(store), 2);
});

test("a failed fsync ends with an unknown outcome and stops the process", async (t) => {
  const disk = simDisk();
  const fatal: AppError[] = [];
  const store = await open(t, disk, { onFatal: (error) => fatal.push(error) });
  disk.faults.fail = (op) => (op.kind === "sync" ? "EIO" : undefined);
  const error = await add(store).then(
    () => assert.fail("it worked"),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof AppError);
  assert.deepEqual([error.code, error.data["outcome"], fatal.length], ["E_STORE", "unknown", 1]);
  disk.faults.fail = undefined;
  await assert.rejects(add(store), (late) => late instanceof AppError && late.data["outcome"] === "unknown");
});

test("a reader beside a running owner sees what is in the journal and changes nothing", async (t) => {
  const disk = simDisk();
  const owner = await open(t, disk);
  await add(owner, "one");
  const before = disk.files().map(([path, bytes]) => `${path}${bytes.toString("base64")}`);
  const reader = await open(t, disk, { readonly: true });
  assert.equal(await count(reader), 1);
  await add(owner, "two");
  assert.equal(await count(reader), 1);
  await reader.close();
  assert.equal(disk.files().length, before.length);
});

test("a body that waits for something else than its transaction is found", async (t) => {
  const store = await open(t, simDisk(), { rehearse: true });
  const waiting = store.write("wait", async (tx) => {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    return tx.run(ADD, ["late"]);
  });
  await assert.rejects(waiting, /waited for nothing but its transaction/);
});

test("a transaction above the largest frame is refused and the next one works", async (t) => {
  const store = await open(t, simDisk());
  const huge = "x".repeat(33 << 20);
  const error = await store
    .write("huge", async (tx) => {
      await tx.run(ADD, ["small"]);
      await tx.run(ADD, [huge + huge]);
    })
    .catch((thrown: unknown) => thrown);
  assert.ok(error instanceof AppError && error.code === "E_TOO_LARGE");
  await add(store, "small");
  assert.equal(await count(store), 1);
});

test("a second new store of this process is empty and has an identity of its own", async (t) => {
  const first = await open(t, simDisk(), { ids: countingIds(1) });
  await add(first, "of the first");
  const second = await open(t, simDisk(), { ids: countingIds(2) });
  assert.equal(await count(second), 0);
  const identity = (store: OpenStore) => store.read((q) => q.get("SELECT id, kind, schema, seq FROM _store"));
  assert.notDeepEqual(await identity(first), await identity(second));
  await add(second);
  assert.equal(await count(second), 1);
});
