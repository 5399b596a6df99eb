import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { blockRows, blocksOf, grow, OPENING, rowsOfMarkdown } from "./markdown.js";
import { sanitize } from "./sanitize.js";
import { textCells } from "./width.js";

const numRuns = process.env["AGENT_TEST_SHORT"] === "1" ? 300 : 3_000;

/** Marks of Markdown and HTML, in any order. */
const MARKS = [
  "* ** _ ~~ ` `` ``` ~~~ # ## > - + 1. 2) [ ] ( ) ![ ]( \\ : ! === --- https://a.b",
  "<b> </b> <i> <a href='x'> </a> <br> <div> </div> <ul> <li> <table> <tr> <td> </td> </table> <pre> </pre>",
  "<!-- --> <think> &amp; &#27; &lt; &toString; 漢字 👨‍👩‍👧",
]
  .join(" ")
  .split(" ")
  .concat([" ", "  ", "    ", "\n", "\n", "\n\n", "\t", "[ ] "]);
const mark = fc.constantFrom(...MARKS);
const bars = fc.constantFrom("|", "|", "|-|-|\n", "|a|b|\n");
const word = fc.integer({ min: 0, max: 9_999 }).map((number) => `w${number}w`);
const textOf = (...parts: readonly fc.Arbitrary<string>[]) =>
  fc.array(fc.oneof(...parts), { maxLength: 60 }).map((all) => sanitize(all.join("")));

const shown = (text: string, width: number): string =>
  rowsOfMarkdown(text, width)
    .map((row) => row.map(([, part]) => part).join(""))
    .join("\n");

test("whatever is written is laid out within the width, with no sign that acts on the terminal, and the same in pieces", () => {
  fc.assert(
    fc.property(textOf(mark, bars, word), fc.integer({ min: 2, max: 80 }), fc.nat(), (text, width, cut) => {
      const rows = rowsOfMarkdown(`${text}\n`, width);
      for (const row of rows) {
        const line = row.map(([, part]) => part).join("");
        assert.ok(textCells(line) <= Math.max(width, 40), line);
        assert.equal(sanitize(line), line);
      }
      const at = cut % (text.length + 1);
      const grown = grow(grow(OPENING, text.slice(0, at)), `${text.slice(at)}\n`);
      assert.deepEqual(
        blocksOf(grown).flatMap((block) => blockRows(block, width)),
        rows,
      );
    }),
    { numRuns },
  );
});

test("no word that is written is lost", () => {
  fc.assert(
    fc.property(textOf(mark, word, word), (text) => {
      fc.pre(!/(?:`{3}|~{3}).*w/.test(text)); // the language of code is not shown
      const seen = shown(text, 1_000);
      for (const [one] of text.matchAll(/w\d+w/g)) assert.ok(seen.includes(one), `${one} is lost`);
    }),
    { numRuns },
  );
});
