import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { splitText } from "./split.js";

const PIECES = ["word", "漢字", "👨‍👩‍👧", "\n", "\n\n", " ", "e\u0301", "x".repeat(30), "a.b"];
const texts = fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 400 }).map((pieces) => pieces.join("").trim());
const bare = (text: string) => text.replace(/\s/g, "");

test("a text that is cut loses nothing but white space, and no message is longer than it may be", () => {
  fc.assert(
    fc.property(texts, fc.integer({ min: 100, max: 300 }), (text, max) => {
      const parts = splitText(text, max);
      for (const part of parts) assert.ok(part.length <= max && part.isWellFormed());
      const plain = parts.length === 1 ? parts : parts.map((part) => part.replace(/ \(\d+\/\d+\)$/, ""));
      assert.equal(bare(plain.join("")), bare(text));
    }),
    { numRuns: 300 },
  );
});

test("a block of code that is cut is closed, and opened again with its language", () => {
  const code = Array.from({ length: 40 }, (_, at) => `line ${at}`).join("\n");
  const parts = splitText(`before\n\`\`\`ts\n${code}\n\`\`\`\nafter`, 150);
  assert.ok(parts.length > 2);
  for (const part of parts) assert.equal((part.match(/^```/gm) ?? []).length % 2, 0, part);
  assert.ok(parts.slice(1, -1).every((part) => part.startsWith("```ts\n")));
});
