import assert from "node:assert/strict";
import { test } from "node:test";
import { withChips } from "./mentioned.js";

test("what a message mentions is one line each on the screen, and what a person wrote stays whole", () => {
  const said =
    "mend @diff of @file:a.ts\n\n[@diff in /w: 1 file]\n````\ndiff\n```\n+two\n````\n\n[File a.ts: 1 lines]\n```\none\n```\n\n[@url:x is not included: it answers 404]";
  assert.equal(
    withChips(said),
    "mend @diff of @file:a.ts\n\n[@diff in /w: 1 file]\n[File a.ts: 1 lines]\n\n[@url:x is not included: it answers 404]",
  );
  const own = "as in\n\n[Note of mine: one]\n```\ncode\n```";
  assert.equal(withChips(own), own);
});
