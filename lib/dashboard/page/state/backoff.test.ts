import assert from "node:assert/strict";
import { test } from "node:test";
import { retryDelay } from "../net/live.js";

test("a lost connection is tried again after 1 s, then twice as long, and never later than every 30 s", () => {
  assert.deepEqual([1, 2, 3, 4, 5, 6, 7, 60].map(retryDelay), [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
});
