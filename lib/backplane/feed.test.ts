import assert from "node:assert/strict";
import { test } from "node:test";
import { createEventLog } from "../../fixtures/sim/event-log.js";
import { createBus } from "./bus.js";

test("a store is listened to while someone follows it, and by no one else", async () => {
  const log = createEventLog("s");
  const bus = createBus();
  let listeners = 0;
  bus.addStore({
    ...log,
    name: "watched",
    onEvents: (listener) => {
      const end = log.onEvents(listener);
      listeners += 1;
      return () => {
        listeners -= 1;
        end();
      };
    },
  });
  log.emit({});
  assert.equal(listeners, 0);
  for (let round = 0; round < 2; round++) {
    const first = bus.after("watched", 0, new AbortController().signal);
    const second = bus.after("watched", 0, new AbortController().signal);
    const one = first[Symbol.asyncIterator]();
    const other = second[Symbol.asyncIterator]();
    assert.equal((await one.next()).value?.seq, 1);
    assert.equal((await other.next()).value?.seq, 1);
    assert.equal(listeners, 1);
    await one.return?.();
    assert.equal(listeners, 1);
    await other.return?.();
    assert.equal(listeners, 0);
  }
});
