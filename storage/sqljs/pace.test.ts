import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../fixtures/ports/clock.js";
import { simDisk } from "../../fixtures/ports/disk.js";
import { countingIds } from "../../fixtures/ports/ids.js";
import { seeded } from "../../fixtures/ports/random.js";
import { AppError } from "../../lib/base/errors.js";
import { silentLog } from "../../lib/base/log/log.js";
import type { StoreSpec } from "../store.js";
import { openInline } from "./open.js";
import { type Pace, QUICK_BYTES, QUICK_IN_POOL_MS, QUICK_MS, QUICK_RUN, QuickPace, REST_TIMES } from "./pace.js";

const HISTORIES = 200;
/** Of stores: each opens one. */
const MIXED = 12;

/** Takes the next sync, of so long. @returns where it was waited for */
function paced(clock = manualClock(), pace = new QuickPace(clock)) {
  const sync = (ms: number, bytes = 1_000): "here" | "pool" => {
    const turn = pace.begin(bytes);
    clock.advance(ms);
    turn.over();
    return turn.here ? "here" : "pool";
  };
  const quick = (count: number) => Array.from({ length: count }, () => sync(0.2));
  return { clock, pace, sync, quick };
}

test("the thread waits for a sync only after sixteen quick ones in a row", () => {
  const { sync, quick } = paced();
  assert.deepEqual(new Set(quick(QUICK_RUN - 1)), new Set(["pool"]));
  assert.equal(sync(QUICK_IN_POOL_MS + 1), "pool");
  assert.deepEqual(new Set(quick(QUICK_RUN)), new Set(["pool"]));
  assert.deepEqual(new Set(quick(QUICK_RUN)), new Set(["here"]));
});

test("a slow sync that held the thread is the last one until a hundred times its length and sixteen quick ones are over", () => {
  const { clock, sync, quick } = paced();
  quick(QUICK_RUN);
  const slow = 40 * QUICK_MS;
  assert.equal(sync(slow), "here");
  assert.deepEqual(new Set(quick(2 * QUICK_RUN)), new Set(["pool"]));
  clock.advance(slow * REST_TIMES);
  assert.equal(sync(0.2), "here");
  assert.equal(sync(slow), "here");
  clock.advance(slow * REST_TIMES);
  assert.deepEqual(new Set(quick(QUICK_RUN)), new Set(["pool"]));
});

test("a large frame goes to the pool however quick the disk is", () => {
  const { sync, quick } = paced();
  quick(QUICK_RUN);
  assert.equal(sync(0.2, QUICK_BYTES + 1), "pool");
  assert.equal(sync(0.2, QUICK_BYTES), "here");
});

test("whatever the disk does, the thread spends at most a hundredth of its time and one stall in slow syncs", () => {
  for (let seed = 1; seed <= HISTORIES; seed++) {
    const random = seeded(seed);
    const { clock, sync } = paced();
    const lengths = [0.1, 0.2, 1, QUICK_MS, 3, 9, 50, 4_000].slice(0, 4 + random.below(5));
    const slowShare = random.pick([0.001, 0.01, 0.1, 0.5]);
    let held = 0;
    for (let count = 0; count < 2_000; count++) {
      const began = clock.mono();
      const ms = random.chance(slowShare) ? random.pick(lengths) : 0.2;
      const where = sync(ms);
      if (where === "here" && ms > QUICK_MS) {
        assert.ok(held <= began / REST_TIMES, `seed ${seed}, sync ${count}: ${held} ms held in ${began} ms`);
        held += ms;
      }
      if (random.chance(0.1)) clock.advance(random.below(300));
    }
  }
});

const spec = (name: string): StoreSpec => ({
  name,
  path: `/home/${name}.db`,
  kind: "board",
  migrations: [{ to: 1, statements: ["CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)"] }],
});

type OpenStore = Awaited<ReturnType<typeof openInline>>;

const add = (store: OpenStore, text = "note") =>
  store.write("add", (tx) => tx.run("INSERT INTO notes (text) VALUES (?)", [text]));
const count = async (store: OpenStore) =>
  (await store.read((q) => q.get<{ n: number }>("SELECT count(*) AS n FROM notes")))?.n;

/** Stores of one thread on one disk, and where their journals were synced. */
function thread(t: TestContext, pace: (clock: ReturnType<typeof manualClock>) => Pace) {
  const clock = manualClock();
  const disk = simDisk();
  const shared = pace(clock);
  const places: string[] = [];
  const fatal: AppError[] = [];
  disk.faults.onOp = ({ kind, path, here }) => {
    if (kind === "sync" && path.includes(".log-")) places.push(here === true ? "here" : "pool");
  };
  const open = async (name: string) => {
    const onFatal = (error: AppError) => fatal.push(error);
    const store = await openInline(spec(name), {
      disk,
      clock,
      host: "inline",
      log: silentLog,
      ids: countingIds(3),
      pace: shared,
      onFatal,
    });
    t.after(() => store.close());
    places.length = 0;
    return store;
  };
  return { clock, disk, places, fatal, open };
}

const quickThread = (t: TestContext) => thread(t, (clock) => new QuickPace(clock));

test("a store whose disk is quick syncs its journal in its own thread", async (t) => {
  const { open, places } = quickThread(t);
  const store = await open("one");
  for (let written = 0; written < QUICK_RUN + 2; written++) await add(store);
  assert.deepEqual(places, [...Array.from({ length: QUICK_RUN }, () => "pool"), "here", "here"]);
});

test("while a disk stalls for the second time, another store of the thread answers", async (t) => {
  const { open, places, disk, clock } = quickThread(t);
  const one = await open("one");
  const other = await open("other");
  await add(other);
  for (let written = 0; written < QUICK_RUN; written++) await add(one);
  const watch = disk.faults.onOp;
  disk.faults.onOp = (op) => {
    watch?.(op);
    if (op.kind === "sync" && op.here === true) clock.advance(3_000);
  };
  await add(one);
  assert.equal(places.at(-1), "here");
  let goOn: () => void = () => undefined;
  disk.faults.stall = () =>
    new Promise((resolve) => {
      goOn = resolve;
    });
  let confirmed = false;
  const begun = new Promise<void>((resolve) => {
    disk.faults.onOp = (op) => {
      watch?.(op);
      if (op.kind === "sync") resolve();
    };
  });
  const written = add(one).then(() => {
    confirmed = true;
  });
  await begun;
  assert.equal(places.at(-1), "pool");
  assert.equal(await count(other), 1);
  assert.equal(confirmed, false);
  disk.faults.stall = undefined;
  goOn();
  await written;
});

/** The thread waits for every sync. */
const herePace: Pace = { begin: () => ({ here: true, over: () => undefined }) };

test("a sync that fails in the thread ends with an unknown outcome for all of its frame, and stops the process", async (t) => {
  const { open, disk, fatal } = thread(t, () => herePace);
  const store = await open("one");
  disk.faults.fail = (op) => (op.kind === "sync" ? "EIO" : undefined);
  const results = await Promise.allSettled([add(store), add(store), count(store)]);
  disk.faults.fail = undefined;
  const outcomes = results.map(
    (one) => one.status === "rejected" && one.reason instanceof AppError && one.reason.data["outcome"],
  );
  assert.deepEqual([outcomes, fatal.length], [["unknown", "unknown", "unknown"], 1]);
  await assert.rejects(add(store), (late) => late instanceof AppError && late.data["outcome"] === "unknown");
});

test("a full disk refuses what the thread would have synced itself, and works again when there is space", async (t) => {
  const { open, disk } = thread(t, () => herePace);
  const store = await open("one");
  await add(store, "before");
  disk.faults.quota = disk.files().reduce((sum, [, bytes]) => sum + bytes.length, 0) + 100;
  const results = await Promise.allSettled([add(store, "x".repeat(500)), add(store, "y".repeat(500))]);
  const codes = results.map((one) => one.status === "rejected" && one.reason instanceof AppError && one.reason.code);
  assert.deepEqual([codes, await count(store)], [["E_STORE_FULL", "E_STORE_FULL"], 1]);
  disk.faults.quota = undefined;
  await add(store, "after");
  assert.equal(await count(store), 2);
});

test("whoever waits for the syncs, an answer comes after the sync of its frame and in the order of the commits", async (t) => {
  for (let seed = 1; seed <= MIXED; seed++) await mixedHistory(t, seed);
});

const WRITES = 80;

/** Writes that come in groups, some of them while a frame is being synced. */
async function mixedHistory(t: TestContext, seed: number): Promise<void> {
  const random = seeded(seed);
  const { open, disk, places } = thread(t, () => mixedPace(seed));
  const store = await open("one");
  const done: number[] = [];
  const heard: number[] = [];
  const calls: Promise<void>[] = [];
  let given = 0;
  /** Of `done`: what is in the file, and what of it is on the disk. */
  let appended = 0;
  let synced = 0;
  const one = async (mine: number) => {
    await store.write("add", async (tx) => {
      done.push(mine);
      await tx.run("INSERT INTO notes (text) VALUES (?)", [`note ${mine}`]);
    });
    assert.ok(done.indexOf(mine) < synced, `seed ${seed}: ${mine} was confirmed before its frame was on the disk`);
    heard.push(mine);
  };
  const more = (most: number) => {
    for (let left = random.below(most + 1); left > 0 && given < WRITES; left--) calls.push(one(given++));
  };
  const watch = disk.faults.onOp;
  disk.faults.onOp = (op) => {
    watch?.(op);
    if (!op.path.includes(".log-")) return;
    if (op.kind === "write") appended = done.length;
    if (op.kind === "sync") more(3);
    if (op.kind === "done") synced = appended;
  };
  while (given < WRITES || heard.length < calls.length) {
    more(6);
    await Promise.all(calls);
  }
  assert.deepEqual(heard, done, `seed ${seed}`);
  assert.deepEqual(new Set(places), new Set(["here", "pool"]));
  await store.close();
}

function mixedPace(seed: number): Pace {
  const random = seeded(seed);
  return { begin: () => ({ here: random.chance(0.5), over: () => undefined }) };
}
