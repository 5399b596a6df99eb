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
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 30, size: "max" }), (all) => {
      const text = all.join("");
      let before = "";
      for (let end = 0; end <= text.length; end++) {
        const seen = seenText(text.slice(0, end), false);
        assert.ok(seen.startsWith(before.trimEnd()), JSON.stringify([before, seen]));
        assert.ok(!/<think|<\/think/.test(seen), seen);
        assert.ok(/["`>]/.test(text) || !/MEDIA:\/|\[\[as|!\[/.test(seen), seen);
        before = seen;
      }
      assert.ok(seenText(text, true).startsWith(before));
    }),
    { numRuns: 60 },
  );
});
