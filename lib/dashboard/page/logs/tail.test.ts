import assert from "node:assert/strict";
import { test } from "node:test";
import { heardLine, MOST_LINES, NO_TAIL, withOlderLines } from "./tail.js";

const begun = heardLine(NO_TAIL, "log.begin", { lines: ["a", "b"], before: "p1", exists: true });

test("a log begins with its newest lines and goes on with what is written", () => {
  const now = heardLine(heardLine(begun, "log.lines", { text: "c\nd\n", upto: 2 }), "log.lines", {
    text: "e\n",
    upto: 3,
  });
  assert.deepEqual([now.phase, now.exists, now.lines], ["ready", true, ["a", "b", "c", "d", "e"]]);
});

test("of a piece whose beginning was dropped the first line is left out", () => {
  assert.deepEqual(heardLine(begun, "log.lines", { text: "lf\nc\n", cut: true }).lines, ["a", "b", "c"]);
});

test("after a lost connection it begins again", () => {
  assert.deepEqual(heardLine(begun, "log.begin", { lines: ["z"], before: null, exists: true }).lines, ["z"]);
});

test("older lines come before those that are shown", () => {
  const now = withOlderLines(begun, { lines: ["y", "z"], before: null });
  assert.deepEqual([now.lines, now.before], [["y", "z", "a", "b"], null]);
});

test("a log that never ends keeps its newest lines", () => {
  const now = heardLine(begun, "log.lines", { text: "x\n".repeat(MOST_LINES + 10) });
  assert.equal(now.lines.length, MOST_LINES);
  assert.ok(now.lines.every((line) => line === "x"));
});

test("a log that cannot be read says why, and keeps what was read", () => {
  const now = heardLine(begun, "log.failed", { message: "no such run" });
  assert.deepEqual([now.phase, now.problem, now.lines.length], ["failed", "no such run", 2]);
});
