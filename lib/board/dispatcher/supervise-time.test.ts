import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { toUnix } from "../../base/units.js";
import { createSteadyTime } from "./supervise-time.js";

const jumps = [
  { title: "an hour forward", by: 3_600_000 },
  { title: "a day forward", by: 86_400_000 },
  { title: "to 2038 and beyond", by: 13 * 365 * 86_400_000 },
  { title: "an hour back", by: -3_600_000 },
  { title: "a day back", by: -86_400_000 },
];

for (const { title, by } of jumps) {
  test(`a stamp ages by what really went by when the wall clock jumps ${title}`, () => {
    const clock = manualClock();
    const time = createSteadyTime(clock);
    clock.advance(100_000);
    const stamp = toUnix(clock.now());
    clock.advance(50_000);
    clock.jumpWall(by);
    clock.advance(20_000);
    assert.equal(time.since(stamp) - stamp, 70);
    const later = toUnix(clock.now());
    clock.advance(30_000);
    assert.equal(time.since(later) - later, 30);
  });
}

test("small corrections of the wall clock are taken as they are", () => {
  const clock = manualClock();
  const time = createSteadyTime(clock);
  const stamp = toUnix(clock.now());
  clock.jumpWall(2_000);
  assert.equal(time.since(stamp) - stamp, 2);
});

test("a machine that slept for 15 minutes has aged no one", () => {
  const clock = manualClock();
  const time = createSteadyTime(clock);
  const stamp = toUnix(clock.now());
  clock.jumpWall(15 * 60_000);
  assert.equal(time.since(stamp), stamp);
});
