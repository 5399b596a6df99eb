import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { createBreaker } from "./breaker.js";

test("three failures in a row stop calls for 30 s, then one probe goes, and its success lets all through", async () => {
  const clock = manualClock();
  const breaker = createBreaker(clock);
  breaker.failed();
  breaker.failed();
  breaker.worked();
  breaker.failed();
  breaker.failed();
  assert.equal(breaker.blocked(), undefined);
  breaker.failed();
  assert.equal(breaker.blocked(), 30_000);
  await clock.advance(30_000);
  assert.equal(breaker.blocked(), undefined);
  assert.equal(breaker.blocked(), 30_000);
  breaker.worked();
  assert.equal(breaker.blocked(), undefined);
});
