import assert from "node:assert/strict";
import { test } from "node:test";
import { mayBacktrack } from "./regex.js";

const SLOW = [
  ".*.*x",
  ".*x",
  "\\w+\\s*=",
  "(a+)+$",
  "a|.*b",
  "(.*)x",
  "[ab]+c",
  "(?:.+)x",
  ".{0,999}x",
  "x{1,}y+",
  "(?=a)b",
  "(a)\\1",
];
const QUICK = ["needle", "foo.*", "^import x", "a\\.b\\*c", "[a-z]_id", "TODO|FIXME", "x{3}", "colou?r", "get\\w+\\("];

for (const pattern of SLOW)
  test(`${pattern} may take long, and is looked for where it can be stopped`, () =>
    assert.equal(mayBacktrack(pattern), true));
for (const pattern of QUICK)
  test(`${pattern} takes as long as the text`, () => assert.equal(mayBacktrack(pattern), false));
