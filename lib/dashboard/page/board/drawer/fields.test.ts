import assert from "node:assert/strict";
import { test } from "node:test";
import { type FieldKind, fromEdited, OUTCOME, PROPERTIES, TITLE, toEdited, toFieldChange } from "./fields.js";

const ROUND_TRIPS: readonly (readonly [kind: FieldKind, value: unknown])[] = [
  ["line", "a word"],
  ["line", null],
  ["markdown", "# one\n\n  two\n"],
  ["number", 7],
  ["number", -3],
  ["number", null],
  ["words", ["a", "b-c"]],
  ["words", []],
  ["choice", "worktree"],
  ["flag", true],
  ["flag", false],
  ["time", 1_799_999_940],
  ["json", { a: [1, { b: null }] }],
  ["json", null],
];

for (const [kind, value] of ROUND_TRIPS)
  test(`a ${kind} that is ${JSON.stringify(value)} is the same after it was opened and saved`, () => {
    assert.deepEqual(fromEdited({ kind, label: "x" }, toEdited(kind, value)), { ok: true, value });
  });

const BAD: readonly (readonly [kind: FieldKind, text: string])[] = [
  ["number", "1.5"],
  ["number", "ten"],
  ["time", "tomorrow"],
  ["json", "{"],
  ["json", "[1]"],
  ["json", "7"],
];

for (const [kind, text] of BAD)
  test(`"${text}" is no ${kind}, and the words of the refusal name the field`, () => {
    const parsed = fromEdited({ kind, label: "Depth" }, text);
    assert.ok(!parsed.ok && parsed.problem.startsWith("Depth "));
  });

test("skills are told apart by commas or spaces, each once", () => {
  assert.deepEqual(fromEdited({ kind: "words", label: "x" }, " a, b  c,,a "), { ok: true, value: ["a", "b", "c"] });
});

test("no one is an empty assignee, and no priority is priority 0", () => {
  const row = (key: string) => PROPERTIES.find((one) => one.key === key) ?? TITLE;
  assert.deepEqual(toFieldChange(row("assignee"), null), { assignee: "" });
  assert.deepEqual(toFieldChange(row("priority"), null), { priority: 0 });
  assert.deepEqual(toFieldChange(row("tenant"), null), { tenant: null });
});

test("every field that a change may carry can be edited", () => {
  const keys = [TITLE, ...PROPERTIES, ...OUTCOME].map(({ key }) => key);
  const wanted =
    "assignee priority title tenant skills max_runtime_seconds max_retries model_override workspace_kind workspace_path branch_name";
  const more = "goal_mode goal_max_turns auto_decompose external hold scheduled_at result summary metadata verdict";
  for (const key of `${wanted} ${more}`.split(" ")) assert.ok(keys.includes(key), key);
});
