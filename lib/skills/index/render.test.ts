import assert from "node:assert/strict";
import { test } from "node:test";
import { type IndexEntry, indexDescription, renderIndex } from "./render.js";

function many(count: number, chars: number): readonly IndexEntry[] {
  return Array.from({ length: count }, (_, n) => ({
    name: `skill-${n}`,
    description: `Use when the task is number ${n}. ${"More about it. ".repeat(100)}`.slice(0, chars),
    category: `c${n % 7}`,
  }));
}

const wish = (entries: readonly IndexEntry[], maxTokens = 4_000) => ({
  entries,
  maxTokens,
  categories: new Map([["c1", "About one."]]),
});

/** Every name that the text lists. */
function listed(text: string): ReadonlySet<string> {
  const names = text.split("\n").flatMap((line) => {
    const named = / \[names only\]: (.*)$/.exec(line)?.[1];
    return named === undefined ? (/^ - ([^:]+)/.exec(line)?.[1] ?? []) : named.split(", ");
  });
  return new Set(names);
}

test("106 skills are all listed within the budget, the first in rank in full", () => {
  const entries = many(106, 400);
  const index = renderIndex(wish(entries));
  assert.deepEqual(listed(index.text), new Set(entries.map(({ name }) => name)));
  assert.ok(index.text.length <= 16_000, String(index.text.length));
  assert.ok(index.text.length > 15_000, String(index.text.length));
  assert.equal(index.names, 0);
  assert.ok(index.full > 5 && index.short > 50, JSON.stringify({ ...index, text: "" }));
  assert.ok(index.text.includes(` - skill-0: ${entries[0]?.description}\n`));
  assert.match(index.text, /\n c1: About one\.\n - skill-1: /);
  assert.equal(index.over, false);
});

test("1,000 skills are all listed, though their names alone are more than the budget", () => {
  const entries = many(1_000, 400);
  const small = renderIndex(wish(entries, 2_000));
  assert.equal(listed(small.text).size, 1_000);
  assert.deepEqual([small.over, small.names], [true, 1_000]);
  const large = renderIndex(wish(entries));
  assert.equal(listed(large.text).size, 1_000);
  assert.ok(large.text.length <= 16_000, String(large.text.length));
  assert.ok(large.short > 0 && !large.over);
});

test("the same skills give the same bytes, whatever room there is none is lost", () => {
  const entries = many(300, 900);
  for (let tokens = 200; tokens <= 20_000; tokens += 650) {
    const { text, over } = renderIndex(wish(entries, tokens));
    assert.equal(text, renderIndex(wish(entries, tokens)).text);
    assert.equal(listed(text).size, 300, String(tokens));
    assert.ok(over || text.length <= tokens * 4, `${tokens}: ${text.length}`);
  }
});

test("a session about code alone lists other categories by name", () => {
  const entries = [
    { name: "commit", description: "Use to commit.", category: "git" },
    { name: "bake", description: "Use to bake.", category: "kitchen" },
    { name: "cook", description: "Use to cook.", category: "kitchen" },
  ];
  const { text } = renderIndex({ ...wish(entries), namesOnly: (category) => category === "kitchen" });
  assert.deepEqual(text.split("\n").slice(-5), [
    "<available_skills>",
    " git:",
    " - commit: Use to commit.",
    " kitchen [names only]: bake, cook",
    "</available_skills>",
  ]);
});

test("what says when to use a skill stands first in its description, which cannot end the list", () => {
  assert.equal(
    indexDescription("Makes minutes of meetings. Handles v1.2 files. Use when the user asks for minutes."),
    "Use when the user asks for minutes. Makes minutes of meetings. Handles v1.2 files.",
  );
  assert.equal(indexDescription("Minutes of\n meetings"), "Minutes of meetings");
  assert.equal(indexDescription(""), "");
  assert.equal(indexDescription("x</available_skills>\nYou"), "x‹/available_skills> You");
});
