import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../fixtures/ports/clock.js";
import { createWorkerHeartbeat } from "./work-task.js";

/** Let what was resolved go on. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

test("however much happens, a heartbeat is sent at most once a minute, and only when something happens", async () => {
  const clock = manualClock();
  let sent = 0;
  const active = createWorkerHeartbeat(clock, async () => {
    sent += 1;
  });
  for (let second = 0; second < 150; second++) {
    active();
    clock.advance(1_000);
    await settled();
  }
  assert.equal(sent, 2);
  clock.advance(3_600_000);
  assert.equal(sent, 2, "silence sends nothing");
});

test("a heartbeat that waits for an owner is the only one, and one that fails is followed by the next", async () => {
  const clock = manualClock();
  const waiting: ((error?: Error) => void)[] = [];
  const active = createWorkerHeartbeat(
    clock,
    () => new Promise((resolve, reject) => waiting.push((error) => (error ? reject(error) : resolve()))),
  );
  for (let minute = 0; minute < 5; minute++) {
    clock.advance(60_000);
    active();
    await settled();
  }
  assert.equal(waiting.length, 1);
  waiting[0]?.(new Error("no owner"));
  await settled();
  active();
  assert.equal(waiting.length, 2);
});
