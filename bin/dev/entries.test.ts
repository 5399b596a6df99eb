import assert from "node:assert/strict";
import { test } from "node:test";
import { groupsFor } from "./entries.js";

const groups = [
  { file: "one.cjs", sources: ["lib/board/claim.test.ts", "lib/board/edit.test.ts"] },
  { file: "two.cjs", sources: ["lib/chat/turn/turn.test.ts"] },
];

test("part of a path runs the groups that hold such a file and loads no other", () => {
  assert.deepEqual(groupsFor("board/claim", groups), [groups[0]]);
});

test("part of a test's name looks through every group", () => {
  assert.deepEqual(groupsFor("late worker", groups), groups);
  assert.deepEqual(groupsFor("", groups), groups);
});
