import assert from "node:assert/strict";
import { test } from "node:test";
import { RUNTIME } from "./runtime.js";

test("a runtime is its release and its processor", () => {
  assert.ok(RUNTIME.startsWith(`${process.version} `));
  assert.ok(RUNTIME.includes(process.arch));
});
