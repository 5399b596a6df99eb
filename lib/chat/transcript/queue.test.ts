import assert from "node:assert/strict";
import { test } from "node:test";
import type { QueueItem, QueueKind, QueueState } from "../../contracts/chat/queue.js";
import {
  addQueueItem,
  EMPTY_QUEUE,
  editQueueItem,
  first,
  moveQueueItem,
  parseQueue,
  removeQueueItem,
  withoutContinuations,
} from "./queue.js";

const item = (id: string, kind: QueueKind = "message"): QueueItem => ({
  id,
  text: `text ${id}`,
  attachments: [],
  source: "workspace",
  by: "user",
  created_at: 1,
  kind,
});
const of = (...items: readonly QueueItem[]): QueueState => items.reduce(addQueueItem, EMPTY_QUEUE);
const ids = (state: QueueState): string => state.items.map(({ id }) => id).join(" ");

test("messages go before news of the background, and both before the next step of a goal", () => {
  const state = of(
    item("step", "continuation"),
    item("news", "process_notice"),
    item("one"),
    item("two"),
    item("late", "process_notice"),
  );
  assert.equal(ids(state), "one two news late step");
});

const MOVES: readonly (readonly [string, string, string | undefined, string])[] = [
  ["to the front", "c", "a", "c a b n s"],
  ["to the end, as far as messages go", "a", undefined, "b c a n s"],
  ["not past a message for news", "n", "a", "a b c n s"],
  ["before itself", "b", "b", "a b c n s"],
];
for (const [name, id, before, expected] of MOVES) {
  test(`an item moves ${name}`, () => {
    const state = of(item("a"), item("b"), item("c"), item("n", "process_notice"), item("s", "continuation"));
    assert.equal(ids(moveQueueItem(state, id, before)), expected);
  });
}

test("the 33rd message is refused with a word, and nothing is lost", () => {
  const full = of(...Array.from({ length: 32 }, (_, n) => item(`m${n}`)));
  assert.throws(() => addQueueItem(full, item("one more")), {
    code: "E_BUSY",
    message: "the queue is full: 32 messages are waiting",
  });
  assert.equal(first(full, item("given with an interrupt")).items.length, 33);
});

test("a full queue takes news of the background into its last one", () => {
  const full = of(...Array.from({ length: 31 }, (_, n) => item(`m${n}`)), item("n", "process_notice"));
  assert.equal(addQueueItem(full, item("o", "process_notice")).items.at(-1)?.text, "text n\n\ntext o");
});

test("an item that has begun can be neither edited, moved nor removed", () => {
  for (const act of [
    () => editQueueItem(EMPTY_QUEUE, "x", "y"),
    () => moveQueueItem(EMPTY_QUEUE, "x", undefined),
    () => removeQueueItem(EMPTY_QUEUE, "x"),
    () => moveQueueItem(of(item("a")), "a", "gone"),
  ])
    assert.throws(act, { code: "E_NOT_FOUND" });
});

test("what is run next stands first whatever its kind, and later messages go behind the others", () => {
  const state = first(of(item("a"), item("n", "process_notice")), item("n", "process_notice"));
  assert.equal(ids(state), "n a");
  assert.equal(ids(addQueueItem(state, item("b"))), "n a b");
});

test("a goal that rests takes its next step out of the queue", () => {
  assert.equal(ids(withoutContinuations(of(item("a"), item("s", "continuation")))), "a");
});

test("a record that another version wrote otherwise is an empty queue", () => {
  assert.deepEqual(parseQueue('["x"]'), EMPTY_QUEUE);
  assert.deepEqual(parseQueue(undefined), EMPTY_QUEUE);
});
