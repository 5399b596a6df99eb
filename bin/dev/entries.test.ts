import assert from "node:assert/strict";
import { test } from "node:test";
import { closeNames, groupsFor, splitOnly, unmatchedTexts } from "./entries.js";

const groups = [
  { file: "one.cjs", sources: ["lib/board/claim.test.ts", "lib/board/edit.test.ts"] },
  { file: "two.cjs", sources: ["lib/chat/turn/turn.test.ts"] },
];

test("part of a path runs the groups that hold such a file and loads no other", () => {
  assert.deepEqual(groupsFor(["board/claim"], groups), [groups[0]]);
});

test("part of a test's name looks through every group", () => {
  assert.deepEqual(groupsFor(["late worker"], groups), groups);
  assert.deepEqual(groupsFor([], groups), groups);
});

test("a bar separates parts of paths and names, and so does a comma inside a word", () => {
  assert.deepEqual(splitOnly("board/claim|chat/turn"), ["board/claim", "chat/turn"]);
  assert.deepEqual(splitOnly("claim,turn | late worker, one"), ["claim", "turn", "late worker, one"]);
  assert.deepEqual(splitOnly("|"), []);
  assert.deepEqual(groupsFor(["board/edit"], groups), [groups[0]]);
  assert.deepEqual(groupsFor(["board/edit", "chat/turn"], groups), groups);
  assert.deepEqual(groupsFor(["board/edit", "late worker"], groups), groups);
});

test("a part that matches nothing is named with the names that come close", () => {
  const known = ["lib/board/claim.test.ts", "lib/chat/turn/turn.test.ts", "a late worker cannot finish"];
  assert.deepEqual(unmatchedTexts(["board/claim", "late  worker", "Late"], known), ["late  worker", "Late"]);
  assert.deepEqual(closeNames("late workers", known), ["a late worker cannot finish"]);
  assert.deepEqual(closeNames("boards/claims", known), ["lib/board/claim.test.ts"]);
  assert.deepEqual(closeNames("zzz", known), []);
});
