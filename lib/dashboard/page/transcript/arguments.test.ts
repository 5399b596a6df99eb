import assert from "node:assert/strict";
import { test } from "node:test";
import { argumentLine, argumentText, resultLine } from "./arguments.js";

test("arguments are told in one line by their values", () => {
  assert.equal(argumentLine('{"command":"ls\\n -la","timeout":5}'), "ls -la · 5");
  assert.equal(argumentLine("no json"), "no json");
  assert.equal(argumentLine(JSON.stringify({ text: "x".repeat(500) })).length, 120);
});

test("of a result the first text is reported", () => {
  assert.equal(resultLine('{"ok":true,"output":"line 1\\nline 2","exit_code":0}'), "line 1 line 2");
  assert.equal(resultLine("plain words"), "plain words");
});

test("texts in arguments keep their lines, and what is no JSON is shown as it came", () => {
  assert.equal(
    argumentText('{"path":"a.txt","content":"one\\ntwo","more":[1]}'),
    "path: a.txt\ncontent:\none\ntwo\nmore: [\n  1\n]".replace("more: [", "more:\n["),
  );
  assert.equal(argumentText("{broken"), "{broken");
});
