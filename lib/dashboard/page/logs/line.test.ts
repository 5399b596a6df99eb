import assert from "node:assert/strict";
import { test } from "node:test";
import { readLine } from "./line-list.js";

test("a record shows its level, where it comes from, and what it says", () => {
  assert.deepEqual(readLine("2026-11-20 10:00:00,123 WARNING [s_1] board: late: it took 3 s task=t_1"), {
    level: "warning",
    head: "2026-11-20 10:00:00 WARNING [s_1] board",
    text: "late: it took 3 s task=t_1",
  });
});

test("a line of a program is shown as it is", () => {
  assert.deepEqual(readLine("  at Object.<anonymous>"), {
    level: undefined,
    head: "",
    text: "  at Object.<anonymous>",
  });
});
