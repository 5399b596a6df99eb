import assert from "node:assert/strict";
import { test } from "node:test";
import { createKnownEvents } from "./dedupe.js";

const HOUR = 3_600_000;
const event = (eventId: string, account = "bot") => ({ platform: "msgt", account, eventId }) as const;

test("an event is known for an hour, by platform, account and identifier together", () => {
  const known = createKnownEvents(10);
  known.add(event("1"), 5 * HOUR);
  assert.equal(known.has(event("1"), 6 * HOUR - 1), true);
  assert.equal(known.has(event("1"), 6 * HOUR), false);
  assert.equal(known.has(event("1"), 3 * HOUR), false, "after a clock that was set back nothing is known of its time");
  assert.equal(known.has(event("1", "other"), 5 * HOUR), false);
  assert.equal(known.has({ ...event("1"), platform: "msgd" }, 5 * HOUR), false);
});

test("as many events are known as may be, those that came last", () => {
  const known = createKnownEvents(2);
  for (const id of ["1", "2", "1", "3"]) known.add(event(id), 0);
  assert.deepEqual(
    ["1", "2", "3"].filter((id) => known.has(event(id), 0)),
    ["1", "3"],
  );
});
