import assert from "node:assert/strict";
import { test } from "node:test";
import { match, pattern, scoreOf } from "./fuzzy.js";

const ranked = (words: string, texts: readonly string[]): string[] =>
  texts
    .flatMap((text) => {
      const score = scoreOf(pattern(words), text);
      return score === undefined ? [] : [{ text, score }];
    })
    .sort((a, b) => b.score - a.score)
    .map(({ text }) => text);

const ROWS: readonly (readonly [words: string, best: string, worse: string])[] = [
  ["fix", "fix", "fix the parser"],
  ["fp", "fix parser", "flap"],
  ["xt", "text", "exit"],
  ["ser", "serve", "the parser"],
];
for (const [words, best, worse] of ROWS)
  test(`"${words}" finds "${best}" before "${worse}"`, () =>
    assert.deepEqual(ranked(words, [worse, best]), [best, worse]));

test("letters are found in order, whatever stands between", () => {
  assert.deepEqual(match(pattern("fxp"), "fix the parser")?.at, [0, 2, 8]);
  assert.equal(match(pattern("pxf"), "fix the parser"), undefined);
});

test("small letters find both, a capital finds only itself", () => {
  assert.notEqual(scoreOf(pattern("readme"), "README.md"), undefined);
  assert.equal(scoreOf(pattern("Readme"), "README.md"), undefined);
  assert.notEqual(scoreOf(pattern("READ"), "README.md"), undefined);
});

test("beginnings of words are marked rather than the first letters that would do", () => {
  assert.deepEqual(match(pattern("tp"), "step the parser")?.at, [5, 9]);
});

test("letters of other scripts are found", () => {
  assert.deepEqual(match(pattern("漢字"), "wide 漢字 here")?.at, [5, 6]);
});

test("no words match everything, and marks nothing", () =>
  assert.deepEqual(match(pattern(" "), "any"), { score: 0, at: [] }));
