import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../fixtures/sim/clock.js";
import { simDisk } from "../../fixtures/sim/disk.js";
import { AppError } from "../../lib/base/errors.js";
import { LIMITS } from "../../lib/base/limits.js";
import { silentLog } from "../../lib/base/log.js";
import { openStore } from "../open.js";
import { STATE_MIGRATIONS } from "../schema/state.js";
import { beginRequest, deleteValue, forgetRequest, getValue, listValues, type RequestName, settleRequest, setValue } from "./state.js";

async function setup(t: TestContext) {
  const store = await openStore(
    { name: "state", path: "/home/state.db", kind: "state", migrations: STATE_MIGRATIONS },
    { disk: simDisk(), clock: manualClock(), host: "inline", log: silentLog, rehearse: true },
  );
  t.after(() => store.close());
  return {
    store,
    set: (key: string, value: string, now = 1) => store.write("set", (tx) => setValue(tx, key, value, now)),
    get: (key: string) => store.read((q) => getValue(q, key)),
    begin: (name: RequestName, now: number) => store.write("begin", (tx) => beginRequest(tx, name, now)),
  };
}

const NAME: RequestName = { client: "c1", key: "k1", method: "task.create", paramsSha256: "aa" };

test("a key holds the value that was set last", async (t) => {
  const { set, get } = await setup(t);
  assert.equal(await get("a"), undefined);
  await set("a", "1");
  await set("a", "", 2);
  assert.equal(await get("a"), "");
});

test("a deleted key is gone, and deleting it again says so", async (t) => {
  const { store, set, get } = await setup(t);
  await set("a", "1");
  assert.equal(await store.write("delete", (tx) => deleteValue(tx, "a")), true);
  assert.equal(await store.write("delete", (tx) => deleteValue(tx, "a")), false);
  assert.equal(await get("a"), undefined);
});

test("keys are listed by their prefix, and wildcards are plain characters", async (t) => {
  const { store, set } = await setup(t);
  for (const key of ["cron:b", "cron:a", "cronx", "a%b", "aXb", "🙂1"]) await set(key, key, 5);
  const listed = async (prefix: string) => (await store.read((q) => listValues(q, prefix))).map((one) => one.key);
  assert.deepEqual(await listed("cron:"), ["cron:a", "cron:b"]);
  assert.deepEqual(await listed("a%"), ["a%b"]);
  assert.deepEqual(await listed("🙂"), ["🙂1"]);
  assert.equal((await listed("")).length, 6);
  assert.deepEqual(await store.read((q) => listValues(q, "cron", 1)), [{ key: "cron:a", value: "cron:a", updatedAt: 5 }]);
});

test("a request that is sent again gets the answer of the first", async (t) => {
  const { store, begin } = await setup(t);
  assert.deepEqual(await begin(NAME, 1_000), { kind: "new" });
  assert.deepEqual(await begin(NAME, 1_001), { kind: "seen", result: undefined });
  await store.write("settle", (tx) => settleRequest(tx, NAME, '{"id":"t_1"}'));
  assert.deepEqual(await begin(NAME, 1_002), { kind: "seen", result: '{"id":"t_1"}' });
  assert.deepEqual(await begin({ ...NAME, client: "c2" }, 1_003), { kind: "new" });
});

test("a key used for another request is a conflict", async (t) => {
  const { begin } = await setup(t);
  await begin(NAME, 1_000);
  const conflicts = (error: unknown) => error instanceof AppError && error.code === "E_CONFLICT";
  await assert.rejects(begin({ ...NAME, paramsSha256: "bb" }, 1_001), conflicts);
  await assert.rejects(begin({ ...NAME, method: "task.delete" }, 1_001), conflicts);
});

test("a request is remembered for ten minutes, unless it failed and is forgotten at once", async (t) => {
  const { store, begin } = await setup(t);
  await begin(NAME, 1_000);
  await store.write("settle", (tx) => settleRequest(tx, NAME, "1"));
  assert.deepEqual(await begin(NAME, 1_000 + LIMITS.requestKeyMs), { kind: "seen", result: "1" });
  assert.deepEqual(await begin(NAME, 1_001 + LIMITS.requestKeyMs), { kind: "new" });
  await store.write("forget", (tx) => forgetRequest(tx, NAME));
  assert.deepEqual(await begin(NAME, 1_002 + LIMITS.requestKeyMs), { kind: "new" });
});
