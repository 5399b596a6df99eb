import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { distFile } from "../fs/dist.js";
import { createJobThread } from "./job-thread.js";

const WITHIN_MS = 2_000;
const REST_MS = 60_000;

function threadOn(clock = manualClock()) {
  const thread = createJobThread({
    file: distFile("test/programs/stuck-thread.cjs"),
    clock,
    withinMs: WITHIN_MS,
    idleMs: 60_000,
    mostFailures: 3,
    restMs: REST_MS,
  });
  return { clock, thread };
}

test("a job that takes too long has its thread ended, and the next one is answered by a new thread", async (t) => {
  const { clock, thread } = threadOn();
  t.after(() => thread.close());
  const stuck = thread.run("loop");
  const next = thread.run("echo");
  await clock.waitsFor(WITHIN_MS);
  clock.advance(WITHIN_MS);
  assert.equal(await stuck, undefined);
  assert.equal(await next, "echo");
});

test("a thread that dies gives no answer, and after three deaths no more is started for a minute", async (t) => {
  const { clock, thread } = threadOn();
  t.after(() => thread.close());
  for (let death = 0; death < 3; death++) assert.equal(await thread.run("die"), undefined);
  assert.equal(await thread.run("echo"), undefined);
  clock.advance(REST_MS);
  assert.equal(await thread.run("die"), undefined);
  assert.equal(await thread.run("echo"), undefined, "a try that fails is followed by another rest");
  clock.advance(REST_MS);
  assert.equal(await thread.run("echo"), "echo");
});

test("failures count only one after the other: what works in between begins again", async (t) => {
  const { thread } = threadOn();
  t.after(() => thread.close());
  for (let round = 0; round < 4; round++) {
    assert.equal(await thread.run("die"), undefined);
    assert.equal(await thread.run("echo"), "echo");
  }
});

test("a thread without work ends, and work starts another", async (t) => {
  const { clock, thread } = threadOn();
  t.after(() => thread.close());
  assert.equal(await thread.run("echo"), "echo");
  clock.advance(60_000);
  assert.equal(clock.waiting, 0);
  assert.equal(await thread.run("echo"), "echo");
});
