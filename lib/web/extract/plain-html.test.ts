import assert from "node:assert/strict";
import { test } from "node:test";
import { extractText, extractTitle } from "./plain-html.js";

test("markup becomes words, whatever it looks like, in one pass", () => {
  const html =
    "a < b<!-- no --><br>c &lt;d&gt; &#65;&#x42;<ul><li>one<li>two</ul><template><p>unseen</p></template><p>last";
  assert.equal(extractText(html), "a < b\nc <d> AB\n\n- one\n- two\n\nlast");
  assert.equal(extractTitle("<title>\n A &amp; B </title>"), "A & B");
  for (const piece of ["<", "<a ", "<!--", "<script>", "</", "&#", "<p>"])
    assert.ok(extractText(piece.repeat(100_000)).length <= 700_000);
});
