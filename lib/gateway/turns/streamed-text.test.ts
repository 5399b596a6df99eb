import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { seenText } from "./streamed-text.js";

const ROWS = [
  ["plain text", "plain text"],
  ["<think>secret</think>shown", "shown"],
  ["shown <thinking>never closed", "shown"],
  ["here it is MEDIA:/tmp/a.png and more", "here it is and more"],
  ["MEDIA:/tmp/a b.png\nbelow", "below"],
  ["above\nMEDIA:/tmp/a.png\nbelow", "above\nbelow"],
  ["a [[as_document]] b", "a b"],
  ["![a](/tmp/a.png) b", "b"],
  ["it is /tmp/a.png there", "it is /tmp/a.png there"],
  ["`MEDIA:/tmp/a.png` names it", "`MEDIA:/tmp/a.png` names it"],
  ["a < b and [1]", "a < b and [1]"],
  ["MEDIAN: 4", "MEDIAN: 4"],
] as const;

for (const [text, shown] of ROWS)
  test(`${JSON.stringify(text)} is seen as ${JSON.stringify(shown)}`, () => assert.equal(seenText(text, true), shown));

/** Written piece by piece, what was seen stays, and no part of a tag or a mark is seen. */
function assertSteady(text: string): void {
  let before = "";
  for (let end = 0; end <= text.length; end++) {
    const seen = seenText(text.slice(0, end), false);
    assert.ok(seen.startsWith(before.trimEnd()), JSON.stringify([before, seen]));
    assert.ok(!/<think|<\/think/.test(seen), seen);
    // Within a word it is no mark: it belongs to the text that is sent.
    assert.ok(/["`>]/.test(text) || !/(?<!\w)MEDIA:\/|\[\[as|!\[/.test(seen), seen);
    before = seen;
  }
  assert.ok(seenText(text, true).startsWith(before));
}

test("quotes on both sides of a code block bring back no mark that was taken away (seed -1943271834)", () => {
  assertSteady('"![a](/tmp/a b.png)```\n```"');
  assertSteady('"word MEDIA:/tmp/a b.pdf```\n```"');
  assert.equal(seenText('"MEDIA:/tmp/a.pdf in a string" ```\n```"', true), '"MEDIA:/tmp/a.pdf in a string" ```\n```"');
});

test("a word that ends like the beginning of a mark is seen as it will be sent", () => {
  assertSteady("MMEDIA:/tmp/a b.pdf\n");
  assertSteady("MEDIA:/tmp/a b.pdfMEDIA:/tmp/a b.pdf\n");
});

test("however a text is cut while it is written, no part of a tag is ever seen, and what was seen stays", () => {
  const pieces = [
    "word ",
    "<think>",
    "no</think>",
    " MEDIA:/tmp/x.png ",
    "[[as_document]]",
    "a < b ",
    "[link](x) ",
    "\n",
    "`code` ",
    "M",
    "<b>",
    "![a](/tmp/a b.png)",
    "MEDIA:/tmp/a b.pdf",
    '"',
    "```",
    "> ",
    " /tmp/bare.png ",
  ];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 30, size: "max" }), (all) =>
      assertSteady(all.join("")),
    ),
    { numRuns: 60 },
  );
});
