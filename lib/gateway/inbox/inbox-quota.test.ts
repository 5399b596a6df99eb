import assert from "node:assert/strict";
import { test } from "node:test";
import { createInboxQuota } from "./inbox-quota.js";

const counted = (limit: number, open: number) => {
  const room = createInboxQuota(limit);
  room.counting("msgt")(open);
  return room;
};

test("before the first count no one knows that there is room", () => {
  assert.equal(createInboxQuota(10).take("msgt", 1), false);
});

test("rows that are being stored hold their place, and duplicates give it back", () => {
  const room = counted(10, 6);
  assert.equal(room.take("msgt", 3), true);
  assert.equal(room.take("msgt", 2), false);
  room.stored("msgt", 3, 1);
  assert.equal(room.take("msgt", 3), true);
  assert.equal(room.take("msgt", 1), false);
});

test("what is stored while someone counts is added to what was counted", () => {
  const room = counted(10, 0);
  assert.equal(room.take("msgt", 4), true);
  const done = room.counting("msgt");
  room.stored("msgt", 4, 4);
  done(5);
  assert.equal(room.take("msgt", 2), false);
  assert.equal(room.take("msgt", 1), true);
});

test("a platform that is full leaves the others their room", () => {
  const room = counted(2, 2);
  room.counting("msgd")(0);
  assert.equal(room.take("msgt", 1), false);
  assert.equal(room.take("msgd", 2), true);
});
