import assert from "node:assert/strict";
import { test } from "node:test";
import { combineConnections, type PageConnection } from "./session.js";

const waiting: PageConnection = { state: "waiting", failures: 1, until: 0 };
const open: PageConnection = { state: "open" };
const idle: PageConnection = { state: "idle" };
const connecting: PageConnection = { state: "connecting" };

const CASES: readonly (readonly [first: PageConnection, second: PageConnection, shown: PageConnection])[] = [
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
    assert.equal(combineConnections(first, second), shown);
  });
