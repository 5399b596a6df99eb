import assert from "node:assert/strict";
import { test } from "node:test";
import { RUSH, rushed } from "./rush.js";

test("many requests within a second are a rush, once; as many over a longer time are none", () => {
  const clock = { now: 0, mono: () => clock.now };
  let hurried = 0;
  const asked = rushed(clock, () => {
    hurried += 1;
  });
  const ask = (times: number, ms: number) => {
    for (let at = 0; at < times; at++) {
      clock.now += ms / times;
      asked();
    }
  };
  ask(RUSH * 3, 9_000);
  assert.equal(hurried, 0);
  ask(RUSH - 1, 500);
  assert.equal(hurried, 0);
  ask(1, 1);
  assert.equal(hurried, 1);
  ask(RUSH * 3, 1_500);
  assert.equal(hurried, 1);
});
