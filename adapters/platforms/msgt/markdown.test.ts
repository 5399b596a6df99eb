import assert from "node:assert/strict";
import { test } from "node:test";
import { parseMarkdownV2 } from "../../../fixtures/servers/msgt/markup.js";
import { toMarkdownV2 } from "./markdown.js";

const CASES: readonly (readonly [what: string, markdown: string, dialect: string])[] = [
  ["plain words", "Hi. (1/2)", "Hi\\. \\(1/2\\)"],
  ["a header", "## Title **x**", "*Title x*"],
  ["bold, italic, struck", "**b** *i* _j_ ~~s~~", "*b* _i_ _j_ ~s~"],
  ["nested marks", "**bold *it* on**", "*bold _it_ on*"],
  ["a link", "[a.b](http://x/y(1))", "[a\\.b](http://x/y(1\\))"],
  ["code", "`a*b\\c`", "`a*b\\\\c`"],
  ["a fence", "```ts\na `b` *c*\n```", "```ts\na \\`b\\` *c*\n```"],
  ["a fence that never ends", "```ts\na", "\\`\\`\\`ts\na"],
  ["a list", "- one\n  - two", "• one\n  • two"],
  ["a quote", "> said.", ">said\\."],
  ["names with underscores", "snake_case_name 2*3*4", "snake\\_case\\_name 2\\*3\\*4"],
  ["a table", "| a | b |\n|---|--:|\n| 1 | 12.5 |\nend", "```\na     b\n-  ----\n1  12.5\n```\nend"],
  ["a table that is too wide", `| a | b |\n|---|---|\n| ${"x".repeat(60)} | 2.5 |`, `• a: ${"x".repeat(60)}; b: 2\\.5`],
];

for (const [what, markdown, dialect] of CASES) {
  test(`${what} in the dialect of the platform`, () => assert.equal(toMarkdownV2(markdown), dialect));
}

test("whatever is written, the platform can parse it", () => {
  const pieces = [
    "*",
    "**",
    "_",
    "__",
    "~~",
    "`",
    "```",
    "\n",
    "[",
    "](x)",
    "|",
    "> ",
    "- ",
    "#",
    "a",
    " ",
    "😀",
    "\\",
    ".",
    "(",
    ")",
    "~",
  ];
  let seed = 7;
  const draw = (below: number) => {
    seed = (seed * 48271) % 2147483647;
    return seed % below;
  };
  for (let round = 0; round < 3000; round++) {
    const text = Array.from({ length: 1 + draw(14) }, () => pieces[draw(pieces.length)] ?? "").join("");
    const parsed = parseMarkdownV2(toMarkdownV2(text));
    assert.ok(
      "text" in parsed,
      `${JSON.stringify(text)} became ${JSON.stringify(toMarkdownV2(text))}: ${JSON.stringify(parsed)}`,
    );
  }
});
