import assert from "node:assert/strict";
import { test } from "node:test";
import { memo } from "./memo.js";

test("an answer is made once for the same texts, the oldest is forgotten, and what fails is tried again", () => {
  const asked: string[] = [];
  const of = memo((a: string, b: string | undefined) => {
    asked.push(`${a}-${b}`);
    if (a === "bad") throw new Error("bad");
    return a === "none" ? undefined : { a, b };
  }, 2);
  const first = of("x", undefined);
  assert.equal(of("x", undefined), first);
  assert.equal(of("none", "y"), undefined);
  assert.equal(of("none", "y"), undefined);
  of("z", "1");
  assert.notEqual(of("x", undefined), first);
  for (const _ of [1, 2]) assert.throws(() => of("bad", ""));
  assert.deepEqual(asked, ["x-undefined", "none-y", "z-1", "x-undefined", "bad-", "bad-"]);
});
