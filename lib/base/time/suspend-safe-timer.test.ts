import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import type { Clock } from "./clock.js";
import { afterWaiting } from "./suspend-safe-timer.js";

test("what is waited for so long runs once, then and not before", () => {
  const clock = manualClock();
  let ran = 0;
  afterWaiting(clock, 3_000, () => (ran += 1));
  clock.advance(2_999);
  assert.equal(ran, 0);
  clock.advance(1);
  assert.deepEqual([ran, clock.waiting], [1, 0]);
});

test("a wait that is cancelled never ends, also in its middle, and leaves no timer", () => {
  const clock = manualClock();
  const cancel = afterWaiting(clock, 3_000, () => assert.fail("it was cancelled"));
  clock.advance(1_500);
  cancel();
  cancel();
  assert.equal(clock.waiting, 0);
  clock.advance(3_000);
});

test("time in which this process stood still is not counted", () => {
  const clock = manualClock();
  // A timer that was due long ago runs late, and those that it sets begin only then.
  let stood = 0;
  const late: Pick<Clock, "after"> = { after: (ms, fn) => clock.after(stood++ === 0 ? 60_000 : ms, fn) };
  let ran = 0;
  afterWaiting(late, 3_000, () => (ran += 1));
  clock.advance(60_000 + 2_899);
  assert.equal(ran, 0);
  clock.advance(1);
  assert.equal(ran, 1);
});
