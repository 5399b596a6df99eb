import assert from "node:assert/strict";
import { test } from "node:test";
import { proves } from "../../../fixtures/requirements.js";
import { mutationFooter, recordMutations } from "./footer.js";
import { newTurnUsage } from "./turn-usage.js";

const failed = (...notChanged: string[]) => ({
  tool: "write_file",
  content: '{"error": "no space\\nat all"}',
  changed: [],
  notChanged,
});
const written = (...changed: string[]) => ({ tool: "write_file", content: "{}", changed, notChanged: [] });

test("the footer names what did not change, with the tool and its error, and not what a later call wrote", (t) => {
  proves(t, "editing.footer-lists");
  const turnUsage = newTurnUsage();
  assert.equal(mutationFooter(turnUsage), "");
  for (const call of [failed("/a", "/b"), written("/b"), written("/c"), failed("/c")]) recordMutations(turnUsage, call);
  const [head, ...lines] = mutationFooter(turnUsage).split("\n");
  assert.match(head ?? "", /2 file\(s\) were NOT modified/);
  assert.deepEqual(lines, ["  • `/a` — [write_file] no space", "  • `/c` — [write_file] no space"]);
  recordMutations(turnUsage, written("/a", "/c"));
  assert.equal(mutationFooter(turnUsage), "");
});

test("a path in an error stands in backticks, once", () => {
  const turnUsage = newTurnUsage();
  const content = JSON.stringify({ error: "File not found: /w/a b.txt, see ~/x/y.md (or `/w/c`) and and/or 1/2" });
  recordMutations(turnUsage, { tool: "patch", content, changed: [], notChanged: ["/w/a"] });
  assert.match(
    mutationFooter(turnUsage),
    /\[patch\] File not found: `\/w\/a` b\.txt, see `~\/x\/y\.md` \(or `\/w\/c`\) and and\/or 1\/2$/,
  );
});

const COUNTS = [
  { files: 10, lines: 10, more: false },
  { files: 11, lines: 11, more: true },
  { files: 40, lines: 11, more: true },
];
for (const { files, lines, more } of COUNTS) {
  test(`of ${files} files that did not change at most ten are named`, (t) => {
    proves(t, "editing.footer-lists", "limit.footer");
    const turnUsage = newTurnUsage();
    recordMutations(turnUsage, failed(...Array.from({ length: files }, (_, n) => `/f${n}`)));
    const shown = mutationFooter(turnUsage).split("\n").slice(1);
    assert.equal(shown.length, lines);
    assert.equal(shown.filter((line) => line.includes("`/f")).length, Math.min(files, 10));
    assert.equal(shown.at(-1)?.includes(`… and ${files - 10} more`), more);
  });
}

const LINES = [
  [
    "Patch validation failed (no files were modified):\n• a.txt: the file does not exist",
    "Patch validation failed (no files were modified): a.txt: the file does not exist",
  ],
  ["Could not find old_string in the file. Closest places:\nline 1:\nx", "Could not find old_string in the file."],
  ["It failed:", "It failed"],
] as const;
for (const [error, shown] of LINES) {
  test(`the reason under an answer is a whole sentence: ${shown}`, () => {
    const turnUsage = newTurnUsage();
    recordMutations(turnUsage, {
      tool: "patch",
      content: JSON.stringify({ error }),
      changed: [],
      notChanged: ["a.txt"],
    });
    assert.equal(mutationFooter(turnUsage).split("\n")[1], `  • \`a.txt\` — [patch] ${shown}`);
  });
}
