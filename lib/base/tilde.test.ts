import assert from "node:assert/strict";
import { test } from "node:test";
import { expandTilde } from "./tilde.js";

test("a leading ~ stands for the user's home, and nothing else does", () => {
  for (const [given, means] of [
    ["~", "/home/me"],
    ["~/", "/home/me/"],
    ["~/a b/c", "/home/me/a b/c"],
    ["~other/a", "~other/a"],
    ["a/~/b", "a/~/b"],
    ["/~", "/~"],
    ["", ""],
  ] as const)
    assert.equal(expandTilde(given, "/home/me"), means, given);
});
