import assert from "node:assert/strict";
import { test } from "node:test";
import { oneAtATime } from "./one-at-a-time.js";

function gates() {
  const open: ((failed?: Error) => void)[] = [];
  const work = () =>
    new Promise<void>((resolve, reject) => open.push((failed) => (failed ? reject(failed) : resolve())));
  return { open, again: oneAtATime(work) };
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

test("what is asked for many times while it runs is done once more", async () => {
  const { open, again } = gates();
  const first = again();
  const others = [again(), again(), again()];
  assert.equal(open.length, 1);
  open[0]?.();
  await first;
  await settled();
  assert.equal(open.length, 2);
  open[1]?.();
  await Promise.all(others);
  assert.equal(open.length, 2);
});

test("a failure is told to anyone who asked, and the next time works", async () => {
  const { open, again } = gates();
  const first = again();
  const second = again();
  open[0]?.(new Error("no"));
  await assert.rejects(first);
  await settled();
  open[1]?.();
  await second;
});
