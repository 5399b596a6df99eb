import assert from "node:assert/strict";
import { test } from "node:test";
import { readMarkdown } from "./read.js";
import type { Inline, MarkdownBlock } from "./tree.js";

const HREF = /^(?:https?:\/\/|mailto:)/;

const HOSTILE: readonly (readonly [what: string, text: string])[] = [
  ["a script link", "[x](javascript:alert(1))"],
  ["a script link in capitals", "[x](JaVaScRiPt:alert(1))"],
  ["a script link with a tab inside", "[x](<java\tscript:alert(1)>)"],
  [
    "a script link behind character references",
    "[x](javascript&#58;alert(1)) [y](&#106;avascript:alert(1)) [z](javascript&colon;alert(1))",
  ],
  ["a script link behind control characters", "[x](<\u0001javascript:alert(1)>)"],
  ["a script link by reference", "[x][1]\n\n[1]: javascript:alert(1)"],
  ["a script autolink", "<javascript:alert(1)>"],
  ["a data link", "[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)"],
  ["a vbscript link", "[x](vbscript:msgbox(1))"],
  ["a file link", "[x](file:///etc/passwd)"],
  ["a blob link", "[x](blob:http://localhost/1)"],
  ["a link to this page", "[x](#/settings) [y](/api/config) [z](//evil.example/x)"],
  ["a picture", "![pixel](http://evil.example/p.gif?secret)"],
  ["a data picture", "![x](data:image/svg+xml,<svg onload=alert(1)>)"],
  ["a picture in a link", "[![x](http://evil.example/a.gif)](javascript:alert(1))"],
  [
    "raw markup",
    '<img src=x onerror=alert(1)><script>alert(1)</script><a href="javascript:alert(1)" onclick="x()">y</a>',
  ],
  ["markup inside a line", "hello <b onmouseover=alert(1)>there</b> <iframe src=//evil.example>"],
  ["unclosed markup", "<img src=x onerror=alert(1) //\n\n<svg><g/onload=alert(1)//<p>"],
  ["unclosed code", "```html\n<script>alert(1)</script>"],
  ["unclosed marks", "**a *b ~~c [d](e"],
  [
    "a link in a heading, a list, a table and a quote",
    "# [x](javascript:a)\n- [x](javascript:a)\n> [x](javascript:a)\n\n|a|\n|-|\n|[x](javascript:a)|",
  ],
  ["a link within a link", "[a [b](http://b.example/) c](http://a.example/)"],
  ["quotes as deep as they go", `${">".repeat(3_000)} x`],
  ["lists as deep as they go", Array.from({ length: 300 }, (_, depth) => `${"  ".repeat(depth)}- x`).join("\n")],
  ["marks as deep as they go", `${"**a *b ".repeat(500)}${"* b** a".repeat(500)}`],
  ["a line without an end", "a_b".repeat(90_000)],
  ["brackets without an end", "[".repeat(200_000)],
  ["a huge table", `|a|b|\n|-|-|\n${"|x|y|\n".repeat(20_000)}`],
  ["null characters and halves of pairs", "\u0000 \ud800 [x](http://a.example/\ud800)"],
];

for (const [what, text] of HOSTILE) {
  test(`${what}: read at once, and only web pages and mail addresses are links`, () => {
    const began = process.cpuUsage();
    const blocks = readMarkdown(text);
    const spent = process.cpuUsage(began).user / 1000;
    for (const href of hrefsOf(blocks)) assert.match(href, HREF);
    assert.ok(depthOf(blocks) < 80);
    assert.ok(spent < 1_500, `took ${Math.round(spent)} ms`);
  });
}

test("raw HTML is shown as it was written", () => {
  assert.match(textOf(readMarkdown('a <b onclick="x()">c</b>')), /<b onclick="x\(\)">c<\/b>/);
  assert.deepEqual(readMarkdown("<script>alert(1)</script>"), [{ kind: "plain", text: "<script>alert(1)</script>" }]);
});

test("a picture is a link to it, named by its words", () => {
  const [block] = readMarkdown("![a cat](https://cats.example/1.png)");
  assert.deepEqual(block, {
    kind: "paragraph",
    inner: [{ kind: "link", href: "https://cats.example/1.png", inner: [{ kind: "text", text: "a cat" }] }],
  });
});

test("a link that may not be followed shows its address beside its words", () => {
  assert.equal(textOf(readMarkdown("[press](javascript:alert(1))")), "press (javascript:alert(1))");
});

test("headings, lists, ticks, tables, code and marks are what they are", () => {
  const text =
    "# One\n\nsome **bold** *slanted* `code` ~~gone~~\n\n1. a\n2. b\n\n- [x] done\n- [ ] open\n\n|a|b|\n|:-|-:|\n|1|2|\n\n```ts\nlet x;\n```\n\n---";
  const blocks = readMarkdown(text);
  assert.deepEqual(
    blocks.map(({ kind }) => kind),
    ["heading", "paragraph", "list", "list", "table", "code", "rule"],
  );
  assert.equal(textOf(blocks), "Onesome bold slanted code goneab☑done☐openab12let x;");
});

test("character references are resolved once", () => {
  assert.equal(textOf(readMarkdown("a &lt;b&gt; &amp;lt; &#65;&#x42; &unknown;")), "a <b> &lt; AB &unknown;");
  assert.equal(textOf(readMarkdown("`&lt;`")), "&lt;");
  assert.equal(textOf(readMarkdown("&#38;lt; &amp;#65; &toString; &valueOf;")), "&lt; &#65; &toString; &valueOf;");
});

test("a bar in code is no column, and text behind a table is no row of it, as on the screen", () => {
  const [table, text] = readMarkdown("|a|b|\n|-|-|\n|`x|y`|z|\ntext");
  assert.ok(table?.kind === "table");
  assert.deepEqual(
    table.rows.map((row) => row.map(({ inner }) => inner.map(inlineText).join(""))),
    [["x|y", "z"]],
  );
  assert.deepEqual(text, { kind: "paragraph", inner: [{ kind: "text", text: "text" }] });
});

test("a text of a quarter of a megabyte is read whole", () => {
  const text = Array.from(
    { length: 4_000 },
    (_, line) => `line ${line} has **some** [words](https://w.example/${line})`,
  ).join("\n\n");
  assert.equal(readMarkdown(text).length, 4_000);
});

test("code that is longer than a piece stays one block", () => {
  const code = Array.from({ length: 2_000 }, (_, line) => `line ${line}\n`).join("\n");
  const blocks = readMarkdown(`before\n\n\`\`\`\n${code}\`\`\`\n\nafter`);
  assert.deepEqual(
    blocks.map(({ kind }) => kind),
    ["paragraph", "code", "paragraph"],
  );
});

test("code of any length is code, also when it does not end", () => {
  const code = Array.from({ length: 20_000 }, (_, line) => `line ${line};`).join("\n");
  for (const [fence, end] of [
    ["```", "\n```\n\nafter"],
    ["````", "\n```\n````\n\nafter"],
    ["~~~", ""],
  ] as const) {
    const blocks = readMarkdown(`before\n\n${fence}ts\n${code}${end}`);
    assert.deepEqual(
      blocks.map(({ kind }) => kind),
      end === "" ? ["paragraph", "code"] : ["paragraph", "code", "paragraph"],
    );
    const [, block] = blocks;
    assert.ok(block?.kind === "code" && block.language === "ts" && block.text.startsWith(code), fence);
  }
});

test("a paragraph, a list and a table of a quarter of a megabyte without an empty line are what they are, and nothing of them is lost", () => {
  const lines = (line: (at: number) => string) => Array.from({ length: 8_000 }, (_, at) => line(at)).join("\n");
  const paragraph = readMarkdown(lines((at) => `line **${at}** of some words that go on`));
  assert.deepEqual(new Set(paragraph.map(({ kind }) => kind)), new Set(["paragraph"]));
  assert.match(textOf(paragraph), /line 0 of.*line 7999 of some words that go on$/s);
  const list = readMarkdown(lines((at) => `- item ${at} of a list that goes on and on`));
  assert.equal(
    list.reduce((sum, one) => sum + (one.kind === "list" ? one.items.length : Number.NaN), 0),
    8_000,
  );
  const table = readMarkdown(`| a | b |\n|---|--:|\n${lines((at) => `| row ${at} | some words to fill it |`)}`);
  assert.equal(
    table.reduce((sum, one) => sum + (one.kind === "table" ? one.rows.length : Number.NaN), 0),
    8_000,
  );
  assert.ok(table.every((one) => one.kind === "table" && one.head.length === 2));
});

const innerOf = (block: MarkdownBlock): readonly Inline[] => {
  if ("inner" in block) return block.inner;
  if (block.kind === "table") return [block.head, ...block.rows].flat().flatMap((cell) => cell.inner);
  return [];
};

const blocksIn = (block: MarkdownBlock): readonly MarkdownBlock[] => {
  if (block.kind === "quote") return block.blocks;
  return block.kind === "list" ? block.items.flat() : [];
};

const hrefsOf = (blocks: readonly MarkdownBlock[]): string[] =>
  blocks.flatMap((block) => [...innerOf(block).flatMap(hrefsIn), ...hrefsOf(blocksIn(block))]);

function hrefsIn(one: Inline): string[] {
  const own = one.kind === "link" ? [one.href] : [];
  return "inner" in one ? [...own, ...one.inner.flatMap(hrefsIn)] : own;
}

const depthOf = (blocks: readonly MarkdownBlock[]): number =>
  Math.max(
    0,
    ...blocks
      .slice(0, 1_000)
      .map((block) => 1 + Math.max(depthOf(blocksIn(block)), ...innerOf(block).slice(0, 1_000).map(inlineDepth), 0)),
  );

const inlineDepth = (one: Inline): number => ("inner" in one ? 1 + Math.max(0, ...one.inner.map(inlineDepth)) : 1);

const textOf = (blocks: readonly MarkdownBlock[]): string =>
  blocks
    .map((block) => ("text" in block ? block.text : innerOf(block).map(inlineText).join("") + textOf(blocksIn(block))))
    .join("");

function inlineText(one: Inline): string {
  if ("text" in one) return one.text;
  if (one.kind === "box") return one.checked ? "☑" : "☐";
  return "inner" in one ? one.inner.map(inlineText).join("") : "\n";
}
