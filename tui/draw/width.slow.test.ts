import assert from "node:assert/strict";
import { test } from "node:test";
import { measure, setAmbiguousWidth, splitGraphemes } from "./width.js";

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });
const slowly = (text: string) => Array.from(segmenter.segment(text), (part) => part.segment);

test("every character of the first plane is cut as the segmenter cuts it, whatever stands beside it", () => {
  const all = Array.from({ length: 0xffff }, (_, point) => point).filter((point) => point < 0xd800 || point > 0xdfff);
  for (const point of all) {
    const one = String.fromCharCode(point);
    for (const text of [`a${one}`, `${one}ı`, `─${one}─`, `${one}${one}`])
      assert.deepEqual(splitGraphemes(text), slowly(text), point.toString(16));
  }
});

test("a row of a frame, letters of other scripts and joined pictures are cut as the segmenter cuts them", () => {
  for (const text of [
    "╭─── title ───╮",
    "żółw žluť",
    "e\u0301te",
    "日本語",
    "がぎ",
    "한국어",
    "👩‍👩‍👧 🇩🇪",
    "a\u200db",
    "☎\ufe0f",
    "\r\n",
  ])
    assert.deepEqual(splitGraphemes(text), slowly(text), JSON.stringify(text));
});

test("the width of a character follows the setting at once", (t) => {
  t.after(() => setAmbiguousWidth(1));
  assert.equal(measure("α").cells, 1);
  setAmbiguousWidth(2);
  assert.equal(measure("α").cells, 2);
});
