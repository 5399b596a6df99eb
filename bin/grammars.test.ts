import assert from "node:assert/strict";
import { test } from "node:test";
import { paintLines } from "../tui/draw/highlight.js";
import { THEME } from "../tui/draw/theme.js";
import { hasSameText } from "../tui/grammar/code.js";
import { findGrammar, GRAMMAR_NAMES } from "../tui/grammar/names.js";
import { paintCode } from "./grammars.js";

/** Style of the first place of a text in painted lines. */
function styleOf(painted: Awaited<ReturnType<typeof paintCode>>, at: number, wanted: string): number | undefined {
  const line = painted?.[at] ?? [];
  const place = line
    .map(([, text]) => text)
    .join("")
    .indexOf(wanted);
  let from = 0;
  for (const [style, text] of line) {
    if (place >= from && place < from + text.length) return style;
    from += text.length;
  }
  return undefined;
}

const NESTED = [`const a = \`x \${f(\`in`, `\${b} p\`)} y\`;`, "const after = 1;"];

test("a template within a template ends where it ends: the code behind it is no string", async () => {
  const painted = await paintCode({ lang: "ts", lines: NESTED });
  assert.equal(styleOf(painted, 0, "in"), THEME.codeString);
  assert.equal(styleOf(painted, 1, " y`"), THEME.codeString);
  assert.equal(styleOf(painted, 2, "const"), THEME.codeKeyword);
  assert.equal(styleOf(painted, 2, "1"), THEME.codeNumber);
  assert.equal(styleOf(paintLines(NESTED, "ts"), 0, "in"), THEME.codeKeyword, "the first colours have it wrong");
});

test("words in the text of JSX are no keywords, its tags and attributes are names", async () => {
  const lines = ["export const Page = () => (", '  <p className="x">wait for it, or return</p>', ");", "const n = 2;"];
  const painted = await paintCode({ lang: "tsx", lines });
  assert.notEqual(styleOf(painted, 1, "for"), THEME.codeKeyword);
  assert.equal(styleOf(painted, 1, "className"), THEME.codeName);
  assert.equal(styleOf(painted, 1, '"x"'), THEME.codeString);
  assert.equal(styleOf(painted, 3, "const"), THEME.codeKeyword);
});

test("a here-document is one string, and what follows it is code", async () => {
  const lines = ["cat <<EOF", "if this don't end", "EOF", 'if [ -n "$x" ]; then echo; fi'];
  const painted = await paintCode({ lang: "sh", lines });
  assert.equal(styleOf(painted, 1, "if"), THEME.codeString);
  assert.equal(styleOf(painted, 3, "if"), THEME.codeKeyword);
});

test("where a grammar says nothing, options, commands and operators keep their first colours", async () => {
  const painted = await paintCode({ lang: "sh", lines: ["npm test --silent | grep -c ok"] });
  assert.equal(styleOf(painted, 0, "npm"), THEME.codeName);
  assert.equal(styleOf(painted, 0, "--silent"), THEME.codeName);
  assert.equal(styleOf(painted, 0, "|"), THEME.codeOperator);
});

const SAMPLE = [
  "# a comment & <b>bold</b> &amp; \"text\" 'quoted'",
  "// another /* and */ --and ; this",
  "",
  "public class Foo<T> extends Bar { int x = 0x1F; }  ",
  `def f(a, b): return \`\${a}\` + "\\n" # 世界 🙂 é`,
  "<?php $x = <<<EOT",
  "SELECT * FROM t WHERE a = 'b'",
  "key: [1, 2.5e3, true]",
  "</script><style>p { color: #fff }</style>",
];

for (const name of GRAMMAR_NAMES)
  test(`the text of ${name} is the same in its colours, line by line`, async () => {
    const fence = [name, "console", "objc"].find((one) => findGrammar(one) === name);
    assert.ok(fence);
    const painted = await paintCode({ lang: fence, lines: SAMPLE });
    assert.ok(painted !== undefined && hasSameText(painted, SAMPLE));
  });

test("a language without a grammar, and diffs, keep their first colours", async () => {
  assert.equal(await paintCode({ lang: "diff", lines: ["+a"] }), undefined);
  assert.equal(await paintCode({ lang: "nonesuch", lines: ["a"] }), undefined);
});
