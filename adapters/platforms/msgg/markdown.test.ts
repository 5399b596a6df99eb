import assert from "node:assert/strict";
import { test } from "node:test";
import { toChat } from "./markdown.js";

const CASES: readonly (readonly [markdown: string, chat: string])[] = [
  ["**b** and ~~s~~ and *i*", "*b* and ~s~ and _i_"],
  ["# Head **x**", "*Head x*"],
  ["[t](https://u/a_(b))", "<https://u/a_(b)|t>"],
  ["![pic](https://u)", "<https://u|pic>"],
  ["`**code**` stays", "`**code**` stays"],
  ["```ts\nconst a = b ** c;\n```", "```\nconst a = b ** c;\n```"],
  ["* one\n  + two\n- three", "- one\n  - two\n- three"],
  ["a\u200Bb\u202Ec\uFEFF", "abc"],
  ["👩‍💻 ☺️", "👩‍💻 ☺️"],
  ["2 * 3 * 4", "2 * 3 * 4"],
  ["**bold with *inner* words**", "*bold with _inner_ words*"],
];

for (const [markdown, chat] of CASES) {
  test(`${JSON.stringify(markdown)} becomes ${JSON.stringify(chat)}`, () => assert.equal(toChat(markdown), chat));
}
