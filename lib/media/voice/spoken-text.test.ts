import assert from "node:assert/strict";
import { test } from "node:test";
import { toSpokenText } from "./spoken-text.js";

const CASES: readonly (readonly [what: string, answer: string, spoken: string])[] = [
  [
    "Markdown is not read",
    "# Done\n\nThe **build** is _green_, see `make check`",
    "Done.\nThe build is green, see make check.",
  ],
  [
    "code is counted",
    "Run this:\n\n```sh\nmake\nmake test\n```\n\nThat is all.",
    "Run this:\nCode, 2 lines.\nThat is all.",
  ],
  ["tables are counted", "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |", "Table, 2 rows."],
  ["links are their words", "See [the manual](https://example.org/m?x=1).", "See the manual."],
  ["addresses are their host", "Look at https://www.example.org/a/b?c=d, please.", "Look at example.org, please."],
  ["points are sentences", "- one\n- two\n  - three", "one.\ntwo.\nthree."],
  ["what names files is left out", "Here:\n\nMEDIA:/tmp/a.png\n[[audio_as_voice]]", "Here:"],
  ["tags are left out", "<b>bold</b> words<br>here", "bold words here."],
  ["signs alone are not spoken", "---\n\n```\n```\n\n👍", "Code, 1 line."],
  ["nothing is nothing", " \n ", ""],
];

for (const [what, answer, spoken] of CASES)
  test(`in a spoken answer ${what}`, () => assert.equal(toSpokenText(answer), spoken));

test("a long answer ends at a sentence and says that there is more", () => {
  const spoken = toSpokenText("This is a sentence of some length. ".repeat(100));
  assert.ok(spoken.length < 1_560 && spoken.endsWith("length.\nThe rest is in the text."), spoken.slice(-80));
});
