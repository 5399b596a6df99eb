import assert from "node:assert/strict";
import { test } from "node:test";
import { cutLong } from "./message-pieces.js";

const kept: string[] = [];
const keep = async (text: string) => {
  kept.push(text);
  return "/home/cache/out.md";
};

test("a text for a target that does not split is sent whole up to 4000 characters", async () => {
  const text = "x".repeat(4000);
  assert.equal(await cutLong(text, keep), text);
  assert.deepEqual(kept, []);
});

test("a longer one is shown for its first 3800 characters, then a line names the file that holds all of it", async () => {
  const text = "0123456789".repeat(401);
  const shown = await cutLong(text, keep);
  assert.deepEqual(kept.splice(0), [text]);
  const [first = "", ...rest] = shown.split("\n");
  assert.equal(first, text.slice(0, 3800));
  assert.deepEqual(rest, ["", "… the whole text of 4010 characters is in /home/cache/out.md"]);
});

test("no character is cut in half", async () => {
  const shown = await cutLong(`${"a".repeat(3799)}😀${"b".repeat(300)}`, keep);
  assert.ok(shown.isWellFormed());
  assert.ok(shown.startsWith(`${"a".repeat(3799)}\n`));
  kept.splice(0);
});
