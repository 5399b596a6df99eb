import assert from "node:assert/strict";
import { test } from "node:test";
import { startBackplane } from "../../../fixtures/sim/backplane.js";
import { createEventLog } from "../../../fixtures/sim/event-log.js";
import { silentLog } from "../../base/log/log.js";
import { systemClock } from "../../base/time/clock.js";
import { followServedEvents } from "./served-events.js";

test("the first cursor is that of the owner's newest event, so that what happens next is not missed", async (t) => {
  const { client, bus } = await startBackplane(t);
  const sessions = createEventLog("sessions");
  bus.addStore(sessions);
  sessions.emit({}, {}, {});
  const closing = new AbortController();
  t.after(() => closing.abort());
  const { signal } = closing;
  const events = followServedEvents({ client: await client(), clock: systemClock, log: silentLog, signal });
  assert.deepEqual(await events.after({ after: 0 }, 20, signal), { events: [], next: 3 });
});

test("without the owner's events an answer comes when its caller no longer waits", async (t) => {
  const { client } = await startBackplane(t); // it has no such store
  const closing = new AbortController();
  t.after(() => closing.abort());
  const { signal } = closing;
  const events = followServedEvents({ client: await client(), clock: systemClock, log: silentLog, signal });
  const waiting = new AbortController();
  const answer = events.after({ after: 0 }, 20, waiting.signal);
  waiting.abort();
  assert.deepEqual(await answer, { events: [], next: 0 });
});
