import assert from "node:assert/strict";
import { test } from "node:test";
import { partInSight, scrolledTo } from "./window.js";

const even = () => 100;

test("of ten thousand cards only those in sight and around it are drawn, and the rest keeps its room", () => {
  const { from, to, above, below } = partInSight(10_000, even, { top: 500_000, height: 800 });
  assert.ok(from > 4900 && from <= 5000 && to >= 5008 && to < 5100, `${from} to ${to}`);
  assert.equal(above + (to - from) * 100 + below, 1_000_000);
});

test("a short column is drawn whole", () => {
  assert.deepEqual(partInSight(3, even, { top: 0, height: 800 }), { from: 0, to: 3, above: 0, below: 0 });
  assert.deepEqual(partInSight(0, even, { top: 0, height: 800 }), { from: 0, to: 0, above: 0, below: 0 });
});

test("a card out of sight is scrolled to, one in sight stays where it is", () => {
  const sight = { top: 1000, height: 500 };
  assert.equal(scrolledTo(12, even, sight), 1000);
  assert.equal(scrolledTo(3, even, sight), 300);
  assert.equal(scrolledTo(20, even, sight), 1600);
});
