import assert from "node:assert/strict";
import { test } from "node:test";
import { isCommand } from "./slash.js";

const CASES: readonly (readonly [text: string, command: boolean])[] = [
  ["/title a name", true],
  ["  /help", true],
  ["/undo", true],
  ["/etc/passwd is what I mean", false],
  ["/", false],
  ["what is /help?", false],
  ["//", false],
];

for (const [text, command] of CASES)
  test(`"${text}" is ${command ? "a command" : "a message"}`, () => {
    assert.equal(isCommand(text), command);
  });
