import assert from "node:assert/strict";
import { test } from "node:test";
import { CHARS_PER_TURN, createIntake, MESSAGES_PER_TURN } from "./intake.js";
import { nextTurn } from "./next-turn.js";

function flooded() {
  const begun: number[] = [];
  const source: string[] = [];
  const intake = createIntake({ pause: () => source.push("pause"), resume: () => source.push("resume") });
  const add = (n: number, size = 10) => intake.add(size, () => begun.push(n));
  return { begun, source, add, close: intake.close };
}

test("a message of a quiet client begins at once", async () => {
  const { begun, source, add } = flooded();
  for (let n = 0; n < 3; n++) {
    add(n);
    assert.equal(begun.length, n + 1);
    await nextTurn();
  }
  assert.deepEqual(source, []);
});

test("of a flood a few messages begin in each turn of the event loop, in order, and nothing more is read until all have begun", async () => {
  const { begun, source, add } = flooded();
  const count = 100 * MESSAGES_PER_TURN + 1;
  for (let n = 0; n < count; n++) add(n);
  assert.deepEqual([begun.length, new Set(source)], [MESSAGES_PER_TURN, new Set(["pause"])]);
  for (let turn = 2; begun.length < count; turn++) {
    await nextTurn();
    assert.ok(begun.length <= turn * MESSAGES_PER_TURN, `${begun.length} messages in ${turn} turns`);
    assert.equal(source.includes("resume"), begun.length === count);
  }
  assert.deepEqual(
    begun,
    Array.from({ length: count }, (_, n) => n),
  );
});

test("large messages begin one in each turn, whatever their number", async () => {
  const { begun, add } = flooded();
  for (let n = 0; n < 3; n++) add(n, CHARS_PER_TURN);
  assert.deepEqual(begun, [0]);
  await nextTurn();
  assert.deepEqual(begun, [0, 1]);
  await nextTurn();
  assert.deepEqual(begun, [0, 1, 2]);
});

test("what waits of a client that has gone is dropped, and nothing is read from it again", async () => {
  const { begun, source, add, close } = flooded();
  for (let n = 0; n < 10 * MESSAGES_PER_TURN; n++) add(n);
  close();
  add(-1);
  for (let turn = 0; turn < 5; turn++) await nextTurn();
  assert.equal(begun.length, MESSAGES_PER_TURN);
  assert.ok(!source.includes("resume"));
});

test("a client that goes while one of its waiting messages begins has the rest dropped", async () => {
  const begun: number[] = [];
  const intake = createIntake({ pause: () => undefined, resume: () => undefined });
  for (let n = 0; n < 3 * MESSAGES_PER_TURN; n++)
    intake.add(1, () => {
      begun.push(n);
      if (n === MESSAGES_PER_TURN) intake.close();
    });
  for (let turn = 0; turn < 5; turn++) await nextTurn();
  assert.equal(begun.length, MESSAGES_PER_TURN + 1);
});

test("a message that is added by one that begins waits for its turn", async () => {
  const begun: string[] = [];
  const intake = createIntake({ pause: () => undefined, resume: () => undefined });
  intake.add(CHARS_PER_TURN, () => {
    begun.push("first");
    intake.add(1, () => begun.push("second"));
  });
  assert.deepEqual(begun, ["first"]);
  await nextTurn();
  assert.deepEqual(begun, ["first", "second"]);
});
