import assert from "node:assert/strict";
import { test } from "node:test";
import { holds, inRounds, interleaved, medianRatio, type Row, renderRows, slowness } from "./measure.js";

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

test("a machine that gets slower within a run changes both figures of a round, and not their ratio", () => {
  const speeds = [1, 1, 1.4, 1.6, 3];
  const slower = speeds.map((speed) => 20 * speed);
  assert.equal(
    medianRatio(
      slower,
      speeds.map((speed) => 10 * speed),
    ),
    2,
  );
  assert.equal(medianRatio([10, 10, 50], [5, 5, 5]), 2); // one bad moment of one side
  assert.equal(Number.isNaN(medianRatio([1], [])), true); // a missing figure is not a good one
});

test("the figures of a round are those that were measured one after the other, and the first round only warms up", async () => {
  let at = 0;
  const next = () => Promise.resolve(at++);
  const rounds = await inRounds(2, { one: next, other: next });
  assert.deepEqual(Object.fromEntries(rounds), { one: [2, 4], other: [3, 5] });
  at = 0;
  assert.deepEqual(Object.fromEntries(await interleaved(2, { one: next, other: next })), { one: 3, other: 4 });
});
