import assert from "node:assert/strict";
import { test } from "node:test";
import { argumentLine, argumentText } from "./arguments.js";

test("arguments are told in one line by their values", () => {
  assert.equal(argumentLine('{"command":"ls\\n -la","timeout":5}'), "ls -la · 5");
  assert.equal(argumentLine("no json"), "no json");
  assert.equal(argumentLine(JSON.stringify({ text: "x".repeat(500) })).length, 120);
});

test("texts in arguments keep their lines, and what is no JSON is shown as it came", () => {
  assert.equal(
    argumentText('{"path":"a.txt","content":"one\\ntwo","more":[1]}'),
    "path: a.txt\ncontent:\none\ntwo\nmore: [\n  1\n]".replace("more: [", "more:\n["),
  );
  assert.equal(argumentText("{broken"), "{broken");
});
