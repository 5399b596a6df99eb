import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { splitText } from "./split-text.js";

const PIECES = ["word", "漢字", "👨‍👩‍👧", "\n", "\n\n", " ", "e\u0301", "x".repeat(30), "a.b", "`a code span`"];
const FENCES = ["\n```ts\n", "\n```\n", "\n~~~\n", "\n````md\n", "\n````\n"];
const textOf = (pieces: readonly string[]) =>
  fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 200, size: "max" }).map((all) => all.join("").trim());
const bare = (text: string) => text.replace(/\s/g, "");
const unnumbered = (part: string) => part.replace(/\s\(\d+\/\d+\)$/, "");

test("a text that is cut loses nothing but white space, and no message is longer than it may be", () => {
  fc.assert(
    fc.property(textOf(PIECES), fc.integer({ min: 100, max: 300 }), (text, max) => {
      const parts = splitText(text, max);
      for (const part of parts) assert.ok(part.length <= max && part.isWellFormed());
      const plain = parts.length === 1 ? parts : parts.map(unnumbered);
      assert.equal(bare(plain.join("")), bare(text));
    }),
    { numRuns: 200 },
  );
});

/** Blocks that a text leaves open, read line by line and apart from the product. */
function leftOpen(text: string): boolean {
  let open = "";
  for (const line of text.split("\n")) {
    const marks = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (marks === undefined) continue;
    if (open === "") open = marks;
    else if (marks.startsWith(open) && line.trim() === marks) open = "";
  }
  return open !== "";
}

test("GW-22: every message of a text with blocks of code closes what it opens, and fits", () => {
  fc.assert(
    fc.property(textOf([...PIECES, ...FENCES]), fc.integer({ min: 120, max: 400 }), (text, max) => {
      const parts = splitText(text, max);
      for (const part of parts) assert.ok(part.length <= max && part.isWellFormed(), part);
      if (parts.length > 1) for (const part of parts) assert.equal(leftOpen(part), false, part);
      if (parts.length > 1)
        for (const [at, part] of parts.entries()) assert.ok(part.endsWith(`(${at + 1}/${parts.length})`), part);
    }),
    { numRuns: 300 },
  );
});

test("a block of code that is cut is closed, and opened again with its language", () => {
  const code = Array.from({ length: 40 }, (_, at) => `line ${at}`).join("\n");
  const parts = splitText(`before\n\`\`\`ts\n${code}\n\`\`\`\nafter`, 150);
  assert.ok(parts.length > 2);
  for (const part of parts) assert.equal(leftOpen(part), false, part);
  assert.ok(parts.slice(1, -1).every((part) => part.startsWith("```ts\n")));
  const lines = parts.flatMap((part) => unnumbered(part).split("\n")).filter((line) => line.startsWith("line "));
  assert.deepEqual(lines, code.split("\n"));
});

test("the number of a message that ends with a block stands on a line of its own", () => {
  const [first = ""] = splitText(`\`\`\`\n${"code\n".repeat(60)}\`\`\`\nafter`, 150);
  assert.match(first, /\n```\n\(1\/\d+\)$/);
});

test("a cut is at the last line of the second half, else at its last space, else anywhere", () => {
  const rows: readonly (readonly [string, string])[] = [
    [`${"a".repeat(60)}\n${"b ".repeat(30)}`, "a".repeat(60)],
    [`${"a".repeat(20)}\n${"b".repeat(50)} ${"c".repeat(60)}`, `${"a".repeat(20)}\n${"b".repeat(50)}`],
    ["a".repeat(150), "a".repeat(90)],
    [`${"a ".repeat(30)}\`${"code ".repeat(12)}\` end of it`, "a ".repeat(30).trimEnd()],
  ];
  for (const [text, first] of rows) assert.equal(unnumbered(splitText(text, 100)[0] ?? ""), first);
});
