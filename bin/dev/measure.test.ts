import assert from "node:assert/strict";
import { test } from "node:test";
import { holds, type Row, renderRows, slowness } from "./measure.js";

const took = (value: number, scales?: true): Row => ({
  name: "prompt",
  value,
  unit: "ms",
  bound: { is: "<=", of: 140, ...(scales && { scales }) },
});

test("a bound of the reference machine gives a slower machine as much more time, a plain bound nothing", () => {
  assert.equal(holds(took(200, true), 1.5), true);
  assert.equal(holds(took(211, true), 1.5), false);
  assert.equal(holds(took(200), 1.5), false);
});

test("a faster machine is held to the bound as it was set", () => {
  assert.equal(slowness(10), 1);
  assert.equal(holds(took(141, true), slowness(10)), false);
});

test("a scaled bound says what it was set to, and a figure beyond it is marked", () => {
  assert.match(renderRows([took(200, true)], 1.5), /^ {2}prompt {5}200 ms {2}<= 210 ms \(140\)$/);
  assert.match(renderRows([took(200)], 1.5), /^! prompt {5}200 ms {2}<= 140 ms$/);
});
