import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { createLimit } from "./limit.js";

test("the time of a call stands still while a person is asked, and goes on afterwards", () => {
  const clock = manualClock();
  let over = 0;
  const limit = createLimit(clock, 1_000, () => {
    over += 1;
  });
  clock.advance(400);
  const first = limit.hold();
  const second = limit.hold();
  clock.advance(10_000);
  first();
  clock.advance(10_000);
  second();
  second();
  assert.deepEqual([over, limit.held()], [0, 20_000]);
  clock.advance(599);
  assert.equal(over, 0);
  clock.advance(1);
  assert.equal(over, 1);
});

test("a call without a limit is never over, and its waits are counted", () => {
  const clock = manualClock();
  const limit = createLimit(clock, 0, () => assert.fail("there is no limit"));
  const release = limit.hold();
  clock.advance(5_000);
  release();
  clock.advance(1e9);
  assert.equal(limit.held(), 5_000);
});

test("a call that has ended is not over later", () => {
  const clock = manualClock();
  const limit = createLimit(clock, 1_000, () => assert.fail("it has ended"));
  const release = limit.hold();
  limit.stop();
  release();
  clock.advance(1e6);
});
