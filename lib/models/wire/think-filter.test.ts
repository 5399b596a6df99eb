import assert from "node:assert/strict";
import { test } from "node:test";
import { createThinkFilter } from "./think-filter.js";

const CASES: readonly (readonly [given: string, text: string, reasoning: string])[] = [
  ["plain", "plain", ""],
  ["<think>a</think>b", "b", "a"],
  ["<think>\na\n</think>\n\nb", "b", "\na\n"],
  ["x\n<thinking>a</thinking>\ny", "x\ny", "a"],
  ["x <think>a</think> y", "x y", "a"],
  ["use <think> as a tag", "use <think> as a tag", ""],
  ["stray</think>  end", "strayend", ""],
  ["<REASONING_SCRATCHPAD>a</REASONING_SCRATCHPAD>b", "b", "a"],
  ["<THINK>a</Think>b", "b", "a"],
  ["<think>never closed", "", "never closed"],
  ["a < b and <thin", "a < b and <thin", ""],
  ["<b>bold</b>", "<b>bold</b>", ""],
];

for (const [given, text, reasoning] of CASES) {
  test(`${JSON.stringify(given)} shows ${JSON.stringify(text)}`, () => {
    assert.deepEqual(filtered([given]), { text, reasoning });
  });
}

test("single characters give the same, where nothing depends on what follows", () => {
  for (const [given, text, reasoning] of CASES) {
    if (given.includes("x <think>")) continue;
    assert.deepEqual(filtered([...given]), { text, reasoning }, given);
  }
});

test("text is not held back longer than a tag", () => {
  const filter = createThinkFilter();
  assert.equal(filter.push("a < b").text, "a < b");
  assert.equal(filter.push(" <thin").text, " ");
  assert.equal(filter.push("g").text, "<thing");
});

function filtered(parts: readonly string[]) {
  const filter = createThinkFilter();
  const all = [...parts.map((part) => filter.push(part)), filter.end()];
  return { text: all.map((part) => part.text).join(""), reasoning: all.map((part) => part.reasoning).join("") };
}
