import assert from "node:assert/strict";
import { test } from "node:test";
import { blockRows, blocksOf, grow, OPENING, rowsOfMarkdown } from "./markdown.js";
import { italic, THEME } from "./theme.js";
import { textCells } from "./width.js";

const shown = (text: string, width = 40): readonly string[] =>
  rowsOfMarkdown(text, width).map((row) =>
    row
      .map(([, part]) => part)
      .join("")
      .trimEnd(),
  );

/** Written as the test reads it; what the pane shows. */
const CASES: readonly (readonly [name: string, text: string, rows: readonly string[], width?: number])[] = [
  ["a line end in a paragraph stays one", "one two\nthree\nfour", ["one two", "three", "four"]],
  [
    "what is marked goes on over a line end",
    "a **b\nc** `d\ne` [f\ng](https://h.i)",
    ["a b", "c d e f", "g (https://h.i)"],
  ],
  ["a paragraph wraps at words", "the quick brown fox", ["the quick", "brown fox"], 10],
  ["a word that is too long is cut", "a abcdefghijkl b", ["a", "abcdefghij", "kl b"], 10],
  ["two blanks keep the line", "one  \ntwo", ["one", "two"]],
  ["a blank row stands between blocks", "one\n\n\n\ntwo", ["one", "", "two"]],
  ["a heading has no signs", "# Title #\ntext", ["Title", "text"]],
  ["an underlined heading", "Title\n=====\ntext", ["Title", "text"]],
  ["a rule goes over the width", "a\n\n---\n\nb", ["a", "", "──────", "", "b"], 6],
  ["a list with a part", "- one\n  - two\n- three", ["• one", "  • two", "• three"]],
  ["an item wraps below its text", "- one two three", ["• one two", "  three"], 10],
  ["numbers stay as they are", "3. c\n4. d", ["3. c", "4. d"]],
  ["numbers go on behind blank lines", "1. a\n\n2. b\n\ntext", ["1. a", "", "2. b", "", "text"]],
  ["tasks", "- [ ] open\n- [x] done", ["☐ open", "☑ done"]],
  [
    "what goes on in an item behind a blank line keeps its place",
    "- one\n\n  more\n\n- two",
    ["• one", "", "  more", "", "• two"],
  ],
  [
    "items of a list in an item keep their place behind a blank line, and so does what follows them",
    "- a\n\n  - b\n\n  - c\n- d",
    ["• a", "", "  • b", "", "  • c", "• d"],
  ],
  ["text behind a table is no row of it", "|a|b|\n|-|-|\n|1|2|\ntext", ["a │ b", "──┼──", "1 │ 2", "text"]],
  ["a bar in code in the head of a table", "|`a|b`|c|\n|-|-|\n|1|`x\\|y`|", ["a|b │ c", "────┼────", "1   │ x|y"]],
  ["a definition of a link is shown", "[a]: https://b.c", ["[a]: https://b.c"]],
  ["quotes in each other, as deep as is shown", `${">".repeat(10)} x`, [`${"│ ".repeat(8)}>> x`]],
  [
    "names that every object has are no entities and no tags",
    "a &toString; <constructor>b</constructor>",
    ["a &toString;", "<constructor>b</constructor>"],
  ],
  [
    "tags that people write for themselves stay, with Markdown in them",
    "<think>\n**a**\n</think>",
    ["<think>", "a", "</think>"],
  ],
  ["a quote", "> one\n> two", ["│ one", "│ two"]],
  ["a list in a quote", "> - one\n> - two", ["│ • one", "│ • two"]],
  ["code is left alone", "```js\nlet  a\n\n  b\n```\nend", ["let  a", "", "  b", "", "end"]],
  ["an open fence is code", "text\n```\n# not a heading", ["text", "", "# not a heading"]],
  ["code in an item", "- one\n  ```\n  a\n\n  b\n  ```\n- two", ["• one", "  a", "", "  b", "• two"]],
  ["a table is fitted", "| a | bb |\n|---|---:|\n| ccc | d |", ["a   │ bb", "────┼───", "ccc │  d"]],
  [
    "a table that is too wide becomes one block per row",
    `|name|what|\n|-|-|\n|a|b c|\n|d|${"x".repeat(30)}|`,
    ["name: a", "what: b c", "", "name: d", "what:", "xxxxxxxxxxxx", "xxxxxxxxxxxx", "xxxxxx"],
    12,
  ],
  ["a bar in code is no column", "|a|b|\n|-|-|\n|`x|y`|z|", ["a   │ b", "────┼──", "x|y │ z"]],
  [
    "a link shows where it leads",
    "see [the docs](https://a.example/b) now",
    ["see the docs (https://a.example/b) now"],
  ],
  ["an address stands once", "[https://a.b](https://a.b) <https://c.d>", ["https://a.b https://c.d"]],
  [
    "tags within a line make it look so",
    'a <b>bold</b> <i>one</i> <a href="https://a.b/?x=1&amp;y=2">here</a>',
    ["a bold one here (https://a.b/?x=1&y=2)"],
  ],
  ["a picture is told", 'see <img src="a.png" alt="the plan">', ["see [the plan] (a.png)"]],
  ["tabs of text go to every fourth column", "a\tb\tccccc\td", ["a b ccccc d"]],
  [
    "tabs of code go to every eighth column",
    "text\n\n```\na\tb\n\tcccccccc\td\n```",
    ["text", "", "a       b", "        cccccccc        d"],
  ],
  ["code in an item that is indented by a tab", "1. foo\n\n\t```\n\tcode\n\t```", ["1. foo", "", "code"]],
  [
    "a tag that is not ended, or not known, stays",
    "the <b> element, Array<string>, <path>, a<b>c",
    ["the <b> element, Array<string>, <path>,", "a<b>c"],
  ],
  [
    "entities are read, but not those of signs that are not seen",
    "a &lt;b&gt; &amp; &#8364; &#27;[2J &#x202e; &none;",
    ["a <b> & € &#27;[2J &#x202e; &none;"],
  ],
  ["entities in code stay", "`&lt;b&gt;`", ["&lt;b&gt;"]],
  [
    "blocks of HTML",
    '<div align="center">\n<h2>Title</h2>\n<p>one<br>two</p>\n<p>three\nfour</p>\n</div>',
    ["Title", "", "one", "two", "", "three four"],
  ],
  [
    "lists of HTML",
    "<ul>\n<li>one</li>\n<li>two <b>bold</b>\n<ol><li>in</li><li>it</li></ol></li>\n</ul>",
    ["• one", "• two bold", "  1. in", "  2. it"],
  ],
  [
    "what can be unfolded",
    "<details>\n<summary>More <b>of</b> it</summary>\n\nthe *rest*\n\n</details>\n\nend",
    ["▸ More of it", "", "the rest", "", "end"],
  ],
  [
    "a table of HTML",
    "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2<br>3</td></tr></table>",
    ["a │ b", "──┼────", "1 │ 2 3"],
  ],
  ["code of HTML", "<pre><code>a  &lt; b\n  c</code></pre>", ["a  < b", "  c"]],
  ["a comment of HTML is shown as it is", "<!-- not\nseen --> text", ["<!-- not", "seen -->", "text"]],
  ["HTML goes before what follows a blank line", "<p>one</p>\n\n# two", ["one", "", "two"]],
  ["a paragraph ends where a block of HTML begins", "one\n<hr>\ntwo", ["one", "──────", "", "two"], 6],
  [
    "signs that mean nothing stay",
    "2 * 3 * 4, snake_case_name, a < b, [x], 50~60",
    ["2 * 3 * 4, snake_case_name, a < b, [x],", "50~60"],
  ],
  ["escaped signs are plain", "\\*not\\* \\# this", ["*not* # this"]],
  ["wide characters never stand over the edge", "漢字漢字漢", ["漢字", "漢字", "漢"], 5],
  ["joined emoji stay whole", "👨‍👩‍👧‍👦👨‍👩‍👧‍👦", ["👨‍👩‍👧‍👦", "👨‍👩‍👧‍👦"], 3],
];

for (const [name, text, rows, width] of CASES)
  test(`Markdown: ${name}`, () => assert.deepEqual(shown(text, width), rows));

const MIXED = CASES.map(([, text]) => text).join("\n\n");

for (const [name, text] of CASES) {
  test(`Markdown that arrives in pieces looks the same: ${name}`, () => {
    const whole = rowsOfMarkdown(`${text}\n`, 40);
    let outline = OPENING;
    for (const char of `${text}\n`) outline = grow(outline, char);
    assert.deepEqual(
      blocksOf(outline).flatMap((block) => blockRows(block, 40)),
      whole,
    );
  });
}

test("blocks that are sealed are never made again", () => {
  let outline = OPENING;
  const seen: unknown[] = [];
  for (let at = 0; at < MIXED.length; at += 7) {
    outline = grow(outline, MIXED.slice(at, at + 7));
    const sealed = outline.sealed.flat();
    for (const [place, block] of seen.entries()) assert.equal(sealed[place], block);
    seen.push(...sealed.slice(seen.length));
  }
  assert.ok(seen.length > 20);
});

test("no row is wider than the pane, at any width", () => {
  for (let width = 2; width < 60; width++) {
    for (const row of rowsOfMarkdown(MIXED, width)) {
      const cells = textCells(row.map(([, part]) => part).join(""));
      assert.ok(cells <= Math.max(width, 26), `${cells} > ${width}`);
    }
  }
});

test("code of more than 200 lines goes on as code in the next block", () => {
  const rows = rowsOfMarkdown(`\`\`\`js\n${"let a = 1;\n".repeat(450)}\`\`\`\nend`, 40);
  assert.equal(
    rows.filter((row) => row.some(([style, text]) => style === THEME.codeKeyword && text === "let")).length,
    450,
  );
  assert.deepEqual(rows.slice(-2), [[], [[THEME.text, "end"]]]);
});

test("a line of more than 10,000 characters is cut in the view and says so", () => {
  const rows = shown("x".repeat(10_050), 100);
  assert.equal(rows.length, 101);
  assert.equal(rows.at(-1), "… 50 more chars");
});

test("emphasis, code and links have their styles", () => {
  const [row] = rowsOfMarkdown("a **b _c_** `d` ~~e~~ [f](g)", 80);
  assert.deepEqual(row, [
    [THEME.text, "a "],
    [THEME.bold, "b "],
    [italic(THEME.bold), "c"],
    [THEME.text, " "],
    [THEME.code, "d"],
    [THEME.text, " "],
    [THEME.dim, "e"],
    [THEME.text, " "],
    [THEME.link, "f"],
    [THEME.dim, " (g)"],
  ]);
  assert.deepEqual(rowsOfMarkdown("_x_", 80), [[[italic(THEME.text), "x"]]]);
});

test("comments and strings over several lines keep their colour", () => {
  const rows = rowsOfMarkdown("```ts\nconst a = `x\ny` + 12; // end\n/* one\ntwo */ b\n```", 80);
  const [, second = [], , fourth = []] = rows.map((row) => row.filter(([, text]) => text !== ""));
  assert.deepEqual(second, [
    [THEME.codeString, "y`"],
    [THEME.text, " "],
    [THEME.codeOperator, "+"],
    [THEME.text, " "],
    [THEME.codeNumber, "12"],
    [THEME.text, "; "],
    [THEME.codeComment, "// end"],
  ]);
  assert.deepEqual(fourth[0], [THEME.codeComment, "two */"]);
});

const HOSTILE: readonly (readonly [name: string, text: string])[] = [
  ["stars", "*".repeat(9_000)],
  ["star words", "*a ".repeat(3_000)],
  ["brackets", "[".repeat(9_000)],
  ["tags", "<b>".repeat(3_000)],
  ["tags and ends", `${"<b><i>".repeat(1_500)}${"</i></b>".repeat(1_500)}`],
  ["half tags", "<a x='".repeat(1_500)],
  ["blanks in a tag", `<a ${" ".repeat(8_000)}x`],
  ["blocks of tags", "<div><table><tr><td>".repeat(450)],
  ["entities", "&".repeat(9_000)],
  ["half links", "[a](".repeat(2_000)],
  ["ticks", "` `` ".repeat(1_900)],
  ["quotes", ">".repeat(9_000)],
  ["nested items", Array.from({ length: 190 }, (_, depth) => `${"  ".repeat(depth)}- a`).join("\n")],
  ["bars", `${"|".repeat(4_000)}\n${"|-".repeat(4_000)}`],
  ["rulers", "- ".repeat(4_900)],
  ["blanks", `a${" ".repeat(9_900)}b`],
  ["blanks in a heading", `# a${" ".repeat(9_900)}b`],
];

for (const [name, text] of HOSTILE) {
  test(`many ${name} take no time`, () => {
    const start = process.cpuUsage();
    rowsOfMarkdown(text, 80);
    const { user } = process.cpuUsage(start);
    assert.ok(user < 300_000, `${user} us`);
  });
}
