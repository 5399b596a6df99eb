import assert from "node:assert/strict";
import { test } from "node:test";
import type { Closing, Store } from "../../../storage/store.js";
import { AppError } from "../../base/errors.js";
import { createOpenStores } from "./open-stores.js";

/** A store of which only its closing matters. */
function fakeStore(name: string, onClose: (how: Closing | undefined) => Promise<void> = async () => undefined) {
  const closed: (Closing | undefined)[] = [];
  const close = async (how?: Closing) => {
    closed.push(how);
    await onClose(how);
  };
  return { closed, store: { name, close } as unknown as Store }; // nothing else of it is called
}

/** A promise that the test settles. */
function gate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

const isGone = (error: unknown) => error instanceof AppError && error.code === "E_OWNER_LOST";

test("a request that comes while the stores close does not open one again beside the checkpoint of the first", async () => {
  const stores = createOpenStores();
  const closing = gate();
  const { store } = fakeStore("state", () => closing.opened);
  await stores.get("state", async () => store);
  const closed = stores.close("checkpoint");
  let opened = 0;
  const again = stores.get("sessions", async () => {
    opened += 1;
    return fakeStore("sessions").store;
  });
  await assert.rejects(again, isGone);
  closing.open();
  await closed;
  await assert.rejects(
    stores.get("state", async () => store),
    isGone,
  );
  assert.equal(opened, 0);
});

test("close waits for a store that is being opened, and closes it", async () => {
  const stores = createOpenStores();
  const opening = gate();
  const { store, closed } = fakeStore("state");
  const asked = stores.get("state", async () => {
    await opening.opened;
    return store;
  });
  const closing = stores.close("untouched");
  opening.open();
  await closing;
  await asked;
  assert.deepEqual(closed, ["untouched"]);
});

test("a store whose listener fails is closed without a checkpoint, and opened again at the next call", async () => {
  const stores = createOpenStores();
  let fails = true;
  stores.onOpen(() => {
    if (fails) throw new Error("no");
    return undefined;
  });
  const first = fakeStore("state");
  await assert.rejects(
    stores.get("state", async () => first.store),
    /no/,
  );
  assert.deepEqual(first.closed, ["untouched"]);
  fails = false;
  const second = fakeStore("state");
  assert.equal(await stores.get("state", async () => second.store), second.store);
});

test("a store that cannot be closed keeps no other one open, and is reported", async () => {
  const stores = createOpenStores();
  const broken = fakeStore("state", async () => {
    throw new AppError("E_STORE", "the thread died");
  });
  const whole = fakeStore("sessions");
  for (const { store } of [broken, whole]) await stores.get(store.name, async () => store);
  await assert.rejects(stores.close("checkpoint"), /the thread died/);
  assert.deepEqual(whole.closed, ["checkpoint"]);
});

test("a lent store that its borrower leaves open is closed with the others", async () => {
  const stores = createOpenStores();
  const left = fakeStore("left");
  const returned = fakeStore("returned");
  await stores.lend(async () => left.store);
  await (await stores.lend(async () => returned.store)).close();
  await stores.close("checkpoint");
  assert.deepEqual([left.closed, returned.closed], [["checkpoint"], [undefined]]);
});
