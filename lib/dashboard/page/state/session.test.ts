import assert from "node:assert/strict";
import { test } from "node:test";
import { type Connection, shownOf } from "./session.js";

const waiting: Connection = { state: "waiting", failures: 1, until: 0 };
const open: Connection = { state: "open" };
const idle: Connection = { state: "idle" };
const connecting: Connection = { state: "connecting" };

const CASES: readonly (readonly [first: Connection, second: Connection, shown: Connection])[] = [
  [open, idle, open],
  [open, connecting, open],
  [open, waiting, waiting],
  [waiting, open, waiting],
  [connecting, open, connecting],
  [idle, open, open],
  [idle, waiting, waiting],
  [idle, idle, idle],
];

for (const [first, second, shown] of CASES)
  test(`of a connection that is ${first.state} and one that is ${second.state} the page tells "${shown.state}"`, () => {
    assert.equal(shownOf(first, second), shown);
  });
