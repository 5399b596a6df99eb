import assert from "node:assert/strict";
import { test } from "node:test";
import { wordAt } from "./ask.js";

const WORDS: readonly (readonly [typed: string, word: string | undefined])[] = [
  ["see @lex", "@lex"],
  ["see @folder:src/", "@folder:src/"],
  ['see @folder:"some wo', '@folder:"some wo'],
  ['one @file:"a b" and @file:"c d', '@file:"c d'],
  ['see @file:"a b" then', undefined],
  ['he said "some wo', undefined],
  ["mail me@home", undefined],
];
for (const [typed, word] of WORDS)
  test(`what is completed of ${JSON.stringify(typed)} is ${word ?? "nothing"}`, () => {
    const found = wordAt(typed, typed.length);
    assert.equal(found === undefined ? undefined : typed.slice(found.from), word);
  });
