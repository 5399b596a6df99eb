import assert from "node:assert/strict";
import { test } from "node:test";
import { createLineWriter } from "./lines.js";

function recorder() {
  const writes: string[] = [];
  const waiting: (() => void)[] = [];
  const lines = createLineWriter((text, done) => {
    writes.push(text);
    waiting.push(done);
  });
  const left = () => {
    for (const done of waiting.splice(0)) done();
  };
  return { lines, writes, left };
}

test("what is sent in one turn leaves as one write, in order, and each sender hears of it", async () => {
  const { lines, writes, left } = recorder();
  const heard: string[] = [];
  for (const text of ["a", "b", "c"]) lines.write(text, () => heard.push(text));
  lines.write("nobody asks");
  assert.deepEqual(writes, []);
  await new Promise((resolve) => process.nextTick(resolve));
  assert.deepEqual(writes, ["a\nb\nc\nnobody asks\n"]);
  assert.deepEqual(heard, []);
  left();
  assert.deepEqual(heard, ["a", "b", "c"]);
});

test("a large line does not wait, and nothing overtakes it", async () => {
  const { lines, writes } = recorder();
  const large = "x".repeat(70_000);
  lines.write("before");
  lines.write(large);
  assert.deepEqual(writes, [`before\n${large}\n`]);
  lines.write("behind");
  await new Promise((resolve) => process.nextTick(resolve));
  assert.deepEqual(writes.slice(1), ["behind\n"]);
});

test("the last words of a connection leave before its end", () => {
  const { lines, writes } = recorder();
  lines.write("bye");
  lines.flush();
  lines.flush();
  assert.deepEqual(writes, ["bye\n"]);
});
