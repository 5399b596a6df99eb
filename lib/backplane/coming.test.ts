import assert from "node:assert/strict";
import { test } from "node:test";
import { startBackplane } from "../../fixtures/sim/backplane.js";
import type { Client } from "./client.js";
import { comingClient } from "./coming.js";

test("what is asked of a client that is on its way is done when it has come, in order", async (t) => {
  const { client, log } = await startBackplane(t);
  let come: (client: Client) => void = () => undefined;
  const coming = comingClient(
    new Promise<Client>((resolve) => {
      come = resolve;
    }),
  );
  assert.deepEqual([coming.connected, coming.owner.pid], [false, 0]);
  const asked = Promise.all([coming.call("count"), coming.call("count")]);
  const control = new AbortController();
  const events = coming.subscribe("board:x", { after: 0, signal: control.signal })[Symbol.asyncIterator]();
  const first = events.next();
  log.emit({});
  come(await client());
  assert.deepEqual(await asked, [1, 2]);
  const item = (await first).value;
  assert.equal(item?.kind === "events" && item.events.length, 1);
  assert.equal(coming.connected, true);
  control.abort();
});

test("a call gives up waiting by its signal, and a client that never comes fails everything with its reason", async () => {
  const never = comingClient(new Promise<Client>(() => undefined));
  await assert.rejects(never.call("count", {}, { signal: AbortSignal.abort(new Error("enough")) }), /enough/);
  const failed = comingClient(Promise.reject(new Error("the store is damaged")));
  await assert.rejects(failed.call("count"), /damaged/);
  await assert.rejects(failed.subscribe("s", { after: 0, signal: new AbortController().signal })[Symbol.asyncIterator]().next(), /damaged/);
});
