import assert from "node:assert/strict";
import { test } from "node:test";
import { eventText } from "./event-text.js";

const CASES: readonly (readonly [string, Readonly<Record<string, unknown>>, string])[] = [
  ["nothing", {}, ""],
  ["a move", { from: "ready", to: "running", lock: "vm:7039", run_id: 6 }, "ready -> running"],
  [
    "an instant",
    { from: "ready", to: "running", expires: 1_795_406_233 },
    "ready -> running, expires: 2026-11-23 03:57 UTC",
  ],
  [
    "texts, lists and marks",
    { reason: "need\ninput", fields: ["a", "b"], forced: true, held: false, error: null },
    "reason: need input, fields: a b, forced",
  ],
  ["the first status", { assignee: "bob", status: "ready", from: null, to: "ready" }, "assignee: bob, status: ready"],
  ["control characters", { reason: "\u001b[31mred" }, "reason:  [31mred"],
];
for (const [what, payload, text] of CASES) {
  test(`an event is printed for people: ${what}`, () => assert.equal(eventText({ payload }), text));
}
