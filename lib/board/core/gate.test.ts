import assert from "node:assert/strict";
import { test } from "node:test";
import { createGate } from "./gate.js";

/** Work that ends when the test says so, and tells when it began. */
function piece<T>(value: T) {
  let finish: () => void = () => undefined;
  const over = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const state = { began: false };
  const work = async () => {
    state.began = true;
    await over;
    return value;
  };
  return { work, state, finish: () => finish() };
}

/** Everything that can go on without the test has gone on. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

test("who wants a board alone waits for the calls under way, and later calls wait for him", async () => {
  const gate = createGate();
  const first = piece(1);
  const mover = piece(2);
  const later = piece(3);
  const calls = [gate.enter("a", first.work), gate.alone("a", mover.work), gate.enter("a", later.work)];
  await settled();
  assert.deepEqual([first.state.began, mover.state.began, later.state.began], [true, false, false]);
  first.finish();
  await settled();
  assert.deepEqual([mover.state.began, later.state.began], [true, false]);
  mover.finish();
  await settled();
  assert.equal(later.state.began, true);
  later.finish();
  assert.deepEqual(await Promise.all(calls), [1, 2, 3]);
});

test("two who want a board alone have it one after the other, also when the first fails", async () => {
  const gate = createGate();
  const order: string[] = [];
  const fails = gate.alone("a", async () => {
    order.push("first");
    await settled();
    throw new Error("no");
  });
  const works = gate.alone("a", async () => order.push("second"));
  await assert.rejects(fails, /no/);
  await works;
  assert.deepEqual(order, ["first", "second"]);
  assert.equal(await gate.enter("a", async () => "open"), "open");
});

test("other boards are not held up", async () => {
  const gate = createGate();
  const mover = piece(1);
  const held = gate.alone("a", mover.work);
  assert.equal(await gate.enter("b", async () => "b"), "b");
  mover.finish();
  await held;
});
