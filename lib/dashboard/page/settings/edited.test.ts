import assert from "node:assert/strict";
import { test } from "node:test";
import { choicesOf, fromField, groups, toField } from "./edited.js";
import type { SettingKey } from "./types.js";

const ROUND_TRIPS: readonly (readonly [type: SettingKey["type"], value: unknown])[] = [
  ["boolean", true],
  ["boolean", false],
  ["integer", 7],
  ["number", 0.5],
  ["string", "a b"],
  ["strings", ["a", "b c"]],
  ["limit", 3],
  ["limit", "unlimited"],
  ["any", { a: [1] }],
  ["any", "text"],
];

for (const [type, value] of ROUND_TRIPS)
  test(`a ${type} that is ${JSON.stringify(value)} is the same after it was shown and saved`, () => {
    assert.deepEqual(fromField({ type }, toField({ type }, value)), { ok: true, value });
  });

test("an empty field takes the key out of the file", () => {
  assert.deepEqual(fromField({ type: "string" }, " "), { ok: true, value: null });
});

test("numbers out of their bounds are refused in words", () => {
  const bounds = { type: "integer", min: 1, max: 10 } as const;
  const problems = ["0", "11", "1.5", "x"].map((text) => fromField(bounds, text));
  assert.deepEqual(
    problems.map((one) => (one.ok ? "" : one.problem)),
    ["At least 1.", "At most 10.", "This must be a whole number.", "This must be a whole number."],
  );
});

const key = (name: string, help: string): SettingKey => ({
  key: name,
  help,
  type: "string",
  default: "",
  env: null,
  secret: false,
});

test("settings are grouped by their first word and found by all words in name or help", () => {
  const keys = [key("kanban.b", "the second"), key("dashboard.port", "where it listens"), key("kanban.a", "the first")];
  assert.deepEqual(
    groups(keys, "").map(([name, found]) => [name, found.map((one) => one.key)]),
    [
      ["dashboard", ["dashboard.port"]],
      ["kanban", ["kanban.a", "kanban.b"]],
    ],
  );
  assert.deepEqual(
    groups(keys, "kanban FIRST").flatMap(([, found]) => found.map((one) => one.key)),
    ["kanban.a"],
  );
});

test("switches and settings of a list are changed by a list", () => {
  assert.deepEqual(choicesOf({ type: "boolean" }), ["true", "false"]);
  assert.deepEqual(choicesOf({ type: "choice", of: ["auto", "on"] }), ["auto", "on"]);
  for (const type of ["string", "integer", "number", "strings", "limit", "any"] as const)
    assert.equal(choicesOf({ type }), undefined);
});
