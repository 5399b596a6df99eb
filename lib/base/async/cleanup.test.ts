import assert from "node:assert/strict";
import { test } from "node:test";
import { runCleanupsInOrder, runCleanupsTogether } from "./cleanup.js";

for (const [name, end] of [
  ["in order", runCleanupsInOrder],
  ["at once", runCleanupsTogether],
] as const)
  test(`what is ended ${name} is ended whole, and the first failure is reported`, async () => {
    const ended: number[] = [];
    const step = (n: number, error?: Error) => async () => {
      await Promise.resolve();
      ended.push(n);
      if (error) throw error;
    };
    await assert.rejects(end([step(1), step(2, new Error("first")), step(3, new Error("second")), step(4)]), /first/);
    assert.deepEqual(ended, [1, 2, 3, 4]);
    await end([]);
  });
