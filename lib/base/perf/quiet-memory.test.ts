import assert from "node:assert/strict";
import { test } from "node:test";
import { MessageChannel } from "node:worker_threads";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { collectWhenQuiet, type ObjectMemory, objectMemory } from "./quiet-memory.js";

const MB = 1 << 20;

interface Heap extends ObjectMemory {
  /** Somebody works, and the heap grows by so much. */
  work(bytes: number): void;
  readonly collected: number;
}

function heap(): Heap {
  let held = 20 * MB;
  let collected = 0;
  let heard: (() => void) | undefined;
  return {
    onWork: (listener) => {
      heard = listener;
      return () => {
        heard = undefined;
      };
    },
    held: () => held,
    collect: () => {
      held = 10 * MB;
      collected += 1;
    },
    work: (bytes) => {
      held += bytes;
      heard?.();
    },
    get collected() {
      return collected;
    },
  };
}

test("what a start has left is given back once, five seconds later, and an idle hour costs nothing more", () => {
  const clock = manualClock();
  const memory = heap();
  collectWhenQuiet(clock, memory);
  clock.advance(4_999);
  assert.equal(memory.collected, 0);
  clock.advance(1);
  assert.equal(memory.collected, 1);
  assert.equal(clock.waiting, 0);
  clock.advance(3_600_000);
  assert.equal(memory.collected, 1);
});

test("nobody is held up while he works: the collection waits until five seconds after the last work", () => {
  const clock = manualClock();
  const memory = heap();
  collectWhenQuiet(clock, memory);
  for (let second = 0; second < 60; second++) {
    memory.work(MB);
    clock.advance(1_000);
  }
  assert.equal(memory.collected, 0);
  assert.equal(clock.waiting, 1);
  clock.advance(4_000);
  assert.equal(memory.collected, 1);
  assert.equal(clock.waiting, 0);
});

test("little work is not worth a collection, much is, each time", () => {
  const clock = manualClock();
  const memory = heap();
  collectWhenQuiet(clock, memory);
  clock.advance(5_000);
  memory.work(2 * MB);
  clock.advance(10_000);
  assert.equal(memory.collected, 1);
  memory.work(2 * MB);
  clock.advance(10_000);
  assert.equal(memory.collected, 2);
});

test("an owner that ends leaves no timer and collects nothing more", () => {
  const clock = manualClock();
  const memory = heap();
  const end = collectWhenQuiet(clock, memory);
  end();
  end();
  memory.work(50 * MB);
  clock.advance(60_000);
  assert.deepEqual([clock.waiting, memory.collected], [0, 0]);
});

test("the engine tells of work, and what is collected is given back", async () => {
  let stop: () => void = () => undefined;
  const heard = new Promise<void>((resolve) => {
    stop = objectMemory.onWork(resolve);
  });
  let kept: number[][] = [];
  for (let at = 0; at < 400; at++) kept.push(Array.from({ length: 10_000 }, (_, index) => index + at));
  const { port1 } = new MessageChannel();
  port1.ref(); // what the engine tells does not keep a process alive
  await heard;
  port1.close();
  stop();
  const held = objectMemory.held();
  assert.equal(kept.length, 400);
  kept = [];
  objectMemory.collect();
  assert.ok(objectMemory.held() < held - 10 * MB, `${held} -> ${objectMemory.held()}`);
});
