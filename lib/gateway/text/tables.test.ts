import assert from "node:assert/strict";
import { test } from "node:test";
import { countCells } from "../../base/text/cells.js";
import { layColumns, layTables } from "./tables.js";

const TABLE = "before\n\n| Name | Größe | 数 |\n|:--|--:|---|\n| `a_b` | 1 | 世界 |\n| **x** | 1000 | 😀 |\n\nafter";

test("the columns of a table stand under each other in a code block, whatever the width of their characters", () => {
  const lines = layTables(TABLE, "monospace").split("\n");
  assert.deepEqual(lines, [
    "before",
    "",
    "```",
    "Name  Größe  数",
    "----  -----  ----",
    "a_b       1  世界",
    "x      1000  😀",
    "```",
    "",
    "after",
  ]);
  const third = lines.slice(3, 7).map((line) => countCells(line.slice(0, line.search(/(?<= )\S+$/))));
  assert.deepEqual(new Set(third), new Set([13]));
});

test("on a platform without monospace a row is a line of a list, with the names of its columns", () => {
  assert.equal(
    layTables(TABLE, "list"),
    "before\n\n- Name: `a_b`; Größe: 1; 数: 世界\n- Name: **x**; Größe: 1000; 数: 😀\n\nafter",
  );
});

const LISTED: readonly (readonly [what: string, cell: string])[] = [
  ["wider than a phone", "x".repeat(61)],
  ["wide for its characters", "世".repeat(31)],
  ["with a link", "[docs](https://example.com/a)"],
];
for (const [what, cell] of LISTED)
  test(`a table that is ${what} becomes a list`, () => {
    assert.equal(layTables(`|a|b|\n|-|-|\n|${cell}|2|`, "monospace"), `- a: ${cell}; b: 2`);
  });

test("a table whose columns make the message too long becomes a list, and stays as it is where that is too long as well", () => {
  const text = `|a|b|\n|-|-|\n|${"x".repeat(20)}|2|\n|y|3|`;
  assert.match(layTables(text, "monospace", 60), /^- a: x+; b: 2\n- a: y; b: 3$/);
  assert.equal(layTables(text, "monospace", 10), text);
});

for (const text of ["a | b\nc | d", "```\n|a|b|\n|-|-|\n```", "| a | b |", "no table", "```sh\nls | wc\n---|---\n```"])
  test(`${JSON.stringify(text)} is no table`, () => assert.equal(layTables(text, "monospace"), text));

test("a bar behind a backslash belongs to its cell, and cells that are missing are empty", () => {
  const laid = layTables("a | b\n--- | ---\nx \\| y |\n1 | 2 | 3", "monospace").split("\n");
  assert.deepEqual(laid, ["```", "a      b", "-----  -", "x | y", "1      2", "```"]);
});

test("what a command prints in columns is shown in monospace where the platform has it, and everything else as it is", () => {
  const columns = "ID    STATUS\nt_1   ready\nt_22  done";
  assert.deepEqual(layColumns("msgt", columns), { text: `\`\`\`\n${columns}\n\`\`\``, format: "markdown" });
  assert.deepEqual(layColumns("msgl", columns), { text: columns, format: "plain" });
  for (const text of ["done", "one line  with blanks", "two sentences.\nand another"])
    assert.deepEqual(layColumns("msgt", text), { text, format: "plain" });
});
