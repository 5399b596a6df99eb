import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { simDisk } from "../../../fixtures/ports/disk.js";
import { AppError } from "../../../lib/base/errors.js";
import { LIMITS } from "../../../lib/base/limits.js";
import { silentLog } from "../../../lib/base/log/log.js";
import { STATE_MIGRATIONS } from "../../schema/state.js";
import { openStore } from "../../sqljs/store-open.js";
import { beginRequest, forgetRequest, type RequestName, settleRequest } from "./state.js";

async function setup(t: TestContext) {
  const store = await openStore(
    { name: "state", path: "/home/state.db", kind: "state", migrations: STATE_MIGRATIONS },
    { disk: simDisk(), clock: manualClock(), host: "inline", log: silentLog, rehearse: true },
  );
  t.after(() => store.close());
  return {
    store,
    begin: (name: RequestName, now: number) => store.write("begin", (tx) => beginRequest(tx, name, now)),
  };
}

const NAME: RequestName = { client: "c1", key: "k1", method: "task.create", paramsSha256: "aa" };

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
