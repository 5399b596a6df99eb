import assert from "node:assert/strict";
import { test } from "node:test";
import { slugOf } from "./board-actions.js";

const NAMES = [
  { name: "Release 2.0", slug: "release-2-0" },
  { name: "Späte Züge!", slug: "spate-zuge" },
  { name: "__a b__", slug: "a-b__" },
  { name: "日本", slug: "" },
  { name: "x".repeat(80), slug: "x".repeat(64) },
] as const;

for (const { name, slug } of NAMES)
  test(`a board that is named "${name.slice(0, 20)}" has the slug "${slug.slice(0, 20)}"`, () => {
    assert.equal(slugOf(name), slug);
  });
