import assert from "node:assert/strict";
import { test } from "node:test";
import { createSendWindow } from "./send-window.js";

test("what does not fit waits in order, goes with each answer, and a withdrawn one never goes", () => {
  const sent: string[] = [];
  const window = createSendWindow((text) => sent.push(text), 2);
  for (let id = 1; id <= 5; id++) window.send(id, `r${id}`);
  assert.deepEqual(sent, ["r1", "r2"]);
  assert.deepEqual([window.wasSent(2), window.wasSent(3)], [true, false]);
  window.withdraw(1); // the owner works on it anyway
  window.withdraw(3);
  assert.deepEqual(sent, ["r1", "r2"]);
  window.answered(1);
  window.answered(1);
  assert.deepEqual(sent, ["r1", "r2", "r4"]);
  window.answered(2);
  window.answered(4);
  assert.deepEqual(sent, ["r1", "r2", "r4", "r5"]);
});
