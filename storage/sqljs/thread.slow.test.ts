import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../fixtures/ports/clock.js";
import { AppError } from "../../lib/base/errors.js";
import { realDisk } from "../../lib/base/fs/disk.js";
import { silentLog } from "../../lib/base/log/log.js";
import type { Store } from "../store.js";
import { openStore } from "./store-open.js";
import { storeThread } from "./worker.js";

const MIGRATIONS = [{ to: 1, statements: ["CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)"] }];

function setup(t: TestContext) {
  const dir = mkdtempSync(join(tmpdir(), "thread-"));
  const clock = manualClock();
  const opened: Store[] = [];
  t.after(async () => {
    for (const store of opened) await store.close();
    rmSync(dir, { recursive: true, force: true });
  });
  const open = async (name: string) => {
    const spec = {
      name: `board:${name}`,
      kind: "board",
      path: join(dir, `${name}.db`),
      migrations: MIGRATIONS,
    } as const;
    const store = await openStore(spec, { disk: realDisk, clock, host: "thread", log: silentLog });
    opened.push(store);
    return store;
  };
  return { dir, clock, open };
}

const add = (store: Store, text: string) =>
  store.write("add", async (tx) => {
    await tx.run("INSERT INTO notes (text) VALUES (?)", [text]);
    tx.emit({ kind: "noted", at: 1, payload: { text } });
  });
const texts = async (store: Store) =>
  (await store.read((q) => q.all("SELECT text FROM notes ORDER BY id"))).map((row) => row["text"]);
const stateOf = (result: PromiseSettledResult<unknown>) => (result.status === "rejected" ? result.reason : undefined);

test("all stores share one thread, and its death takes nothing that was confirmed", async (t) => {
  const { open } = setup(t);
  const a = await open("a");
  const b = await open("b");
  await add(a, "in a");
  await add(b, "in b");
  const thread = storeThread();
  await thread.abort();
  assert.equal(thread.gone, true);
  assert.deepEqual([await texts(a), await texts(b)], [["in a"], ["in b"]]);
  await add(a, "again");
  assert.deepEqual(await texts(a), ["in a", "again"]);
});

test("calls that were under way when the thread died end with an unknown outcome", async (t) => {
  const store = await setup(t).open("a");
  const heard: number[] = [];
  store.onEvents((events) => heard.push(...events.map((event) => event.seq)));
  const asked = Promise.allSettled(Array.from({ length: 5 }, (_, at) => add(store, `note ${at}`)));
  await Promise.all([asked, storeThread().abort()]);
  for (const result of await asked) {
    const error = stateOf(result);
    if (error !== undefined)
      assert.ok(error instanceof AppError && error.code === "E_STORE" && error.data["outcome"] === "unknown");
  }
  await add(store, "after");
  const found = await texts(store);
  assert.ok(found.includes("after"));
  assert.deepEqual(
    heard,
    found.map((_, at) => at + 1),
  );
});

test("events that were durable when the thread died are told after the restart, once and in order", async (t) => {
  const store = await setup(t).open("a");
  const heard: number[] = [];
  store.onEvents((events) => heard.push(...events.map((event) => event.seq)));
  for (let death = 0; death < 2; death++) {
    const asked = Promise.allSettled(Array.from({ length: 50 }, (_, at) => add(store, `note ${at}`)));
    await texts(store);
    await Promise.all([asked, storeThread().abort()]);
    await add(store, "after");
  }
  const stored = (await store.events(0, 1_000)).map((event) => event.seq);
  assert.deepEqual(heard, stored);
});

test("a thread that dies three times in ten minutes keeps its stores closed, later they open again", async (t) => {
  const { open, clock } = setup(t);
  const store = await open("a");
  for (let death = 0; death < 3; death++) {
    await add(store, `note ${death}`);
    await storeThread().abort();
  }
  await assert.rejects(add(store, "late"), (error) => error instanceof AppError && error.data["reason"] === "closed");
  clock.advance(10 * 60_000 + 1);
  await add(store, "later");
  assert.deepEqual(await texts(store), ["note 0", "note 1", "note 2", "later"]);
});

test("a store that is refused does not keep the others from working", async (t) => {
  const { open, dir } = setup(t);
  const good = await open("good");
  const file = realDisk.open(join(dir, "bad.db"), "create");
  file.write(Buffer.from("no database"), 0);
  file.close();
  await assert.rejects(open("bad"), (error) => error instanceof AppError && error.data["reason"] === "damaged");
  await add(good, "fine");
  assert.deepEqual(await texts(good), ["fine"]);
});

test("scripts that wait behind a body run after it as one group, and one that fails fails alone", async (t) => {
  const store = await setup(t).open("a");
  const insert = "INSERT INTO notes (id, text) VALUES (?, ?) ON CONFLICT DO NOTHING";
  let go: () => void = () => undefined;
  const open = new Promise<void>((resolve) => {
    go = resolve;
  });
  const body = store.write("slow", async (tx) => {
    await tx.run(insert, [1, "body"]);
    await open;
  });
  const asked = [1, 2, 3].map((id) => store.script("add", [{ sql: insert, args: [id, `script ${id}`], expect: 1 }]));
  go();
  await body;
  const ends = await Promise.allSettled(asked);
  assert.deepEqual(
    ends.map(({ status }) => status),
    ["rejected", "fulfilled", "fulfilled"],
  );
  assert.deepEqual(await texts(store), ["body", "script 2", "script 3"]);
});

test("of a hundred scripts asked at once each is done in its place, those that cannot be done fail alone, and no number of an event is missing", async (t) => {
  const store = await setup(t).open("a");
  const heard: number[] = [];
  store.onEvents((events) => heard.push(...events.map((event) => event.seq)));
  const insert = "INSERT INTO notes (id, text) VALUES (?, ?) ON CONFLICT DO NOTHING";
  const numbers = Array.from({ length: 100 }, (_, at) => at);
  const taken = (at: number) => at % 25 === 24;
  const asked = numbers.map((at) =>
    store.script(
      "add",
      [{ sql: insert, args: [taken(at) ? at : at + 1, `${at}`], expect: 1 }],
      [{ kind: "added", at: 1, payload: { at } }],
    ),
  );
  const ends = await Promise.allSettled(asked);
  assert.deepEqual(
    numbers.filter((at) => ends[at]?.status === "rejected"),
    numbers.filter(taken),
  );
  const stored = await store.events(0, 1_000);
  const done = numbers.filter((at) => !taken(at));
  assert.deepEqual(
    stored.map(({ seq, payload }) => [seq, payload]),
    done.map((at, place) => [place + 1, { at }]),
  );
  assert.deepEqual(
    heard,
    stored.map((event) => event.seq),
  );
  assert.deepEqual(await texts(store), done.map(String));
});

test("many bodies of many stores at once do not mix", async (t) => {
  const { open } = setup(t);
  const stores = await Promise.all(["a", "b", "c"].map((name) => open(name)));
  await Promise.all(
    stores.flatMap((store) => Array.from({ length: 20 }, (_, at) => add(store, `${store.name} ${at}`))),
  );
  for (const store of stores) {
    const wanted = Array.from({ length: 20 }, (_, at) => `${store.name} ${at}`);
    assert.deepEqual(await texts(store), wanted);
  }
});
