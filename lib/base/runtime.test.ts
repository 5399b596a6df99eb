import assert from "node:assert/strict";
import { test } from "node:test";
import { optimisedAfter, RUNTIME } from "./runtime.js";

test("the measure of the optimiser is set where the engine has that option", () => {
  assert.deepEqual(optimisedAfter(270_000, "11.3.244.8-node.38"), ["--interrupt-budget=270000"]);
  assert.deepEqual(optimisedAfter(270_000, "12.4.254.21-node.57"), []);
  assert.deepEqual(optimisedAfter(270_000, "13.6.233.17-node.63"), []);
});

test("a runtime is its release and its processor", () => {
  assert.ok(RUNTIME.startsWith(`${process.version} `));
  assert.ok(RUNTIME.includes(process.arch));
});
