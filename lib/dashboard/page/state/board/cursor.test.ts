import assert from "node:assert/strict";
import { test } from "node:test";
import { everyColumn } from "./columns.js";
import { keptCursor, stepped } from "./cursor.js";

const shown = {
  names: ["triage", "todo", "ready", "running"] as const,
  columns: { ...everyColumn<readonly string[]>([]), todo: ["a", "b", "c"], running: ["x"] },
};

const CASES = [
  { from: undefined, step: "down", to: "a" },
  { from: "a", step: "down", to: "b" },
  { from: "c", step: "down", to: "c" },
  { from: "a", step: "up", to: "a" },
  { from: "b", step: "last", to: "c" },
  { from: "c", step: "first", to: "a" },
  { from: "c", step: "right", to: "x" },
  { from: "x", step: "left", to: "a" },
  { from: "x", step: "right", to: "x" },
  { from: "gone", step: "down", to: "a" },
] as const;

for (const { from, step, to } of CASES)
  test(`from ${from ?? "nowhere"} a step ${step} leads to ${to}, over empty columns and never off the board`, () => {
    assert.equal(stepped(shown, from, step), to);
  });

test("a board without cards has nowhere to go", () => {
  assert.equal(
    stepped({ names: ["ready"], columns: everyColumn<readonly string[]>([]) }, undefined, "down"),
    undefined,
  );
});

const without = (...gone: readonly string[]) => ({
  ...shown,
  columns: { ...shown.columns, todo: shown.columns.todo.filter((id) => !gone.includes(id)) },
});

const KEPT = [
  { name: "a card that is still there keeps the cursor", after: without("a"), cursor: "b", to: "b" },
  { name: "the next card takes it when its card is gone", after: without("b"), cursor: "b", to: "c" },
  { name: "the last card takes it at the end", after: without("c"), cursor: "c", to: "b" },
  { name: "an empty column lets it go", after: without("a", "b", "c"), cursor: "b", to: undefined },
  { name: "a card that was not shown keeps it", after: without("a"), cursor: "elsewhere", to: "elsewhere" },
] as const;

for (const { name, after, cursor, to } of KEPT)
  test(name, () => {
    assert.equal(keptCursor(shown, after, cursor), to);
  });
