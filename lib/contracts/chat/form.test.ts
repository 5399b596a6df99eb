import assert from "node:assert/strict";
import { test } from "node:test";
import { checkForm, type FormField, type FormValue } from "./form.js";
import { fieldText, parseField } from "./form-text.js";

const field = (more: Partial<FormField>): FormField => ({
  name: "x",
  label: "X",
  type: "text",
  required: false,
  ...more,
});
const choices = [
  { value: "r", label: "Red" },
  { value: "b", label: "Blue" },
];
const fault = (more: Partial<FormField>, value: unknown): string | undefined => {
  const checked = checkForm([field(more)], { x: value });
  return checked.ok ? undefined : checked.faults["x"];
};

const ACCEPTED: readonly (readonly [Partial<FormField>, FormValue])[] = [
  [{ format: "email" }, "a.b+c@example.org"],
  [{ format: "email" }, "a@localhost"],
  [{ format: "uri" }, "https://example.org/a?b=c"],
  [{ format: "uri" }, "mailto:a@b.c"],
  [{ format: "date" }, "2028-02-29"],
  [{ format: "date" }, "0099-12-31"],
  [{ format: "date-time" }, "2028-02-29T23:59:60Z"],
  [{ format: "date-time" }, "2028-01-01t00:00:00.5+05:30"],
  [{ type: "number", min: 0, max: 1 }, 0.5],
  [{ type: "integer", min: -2 }, -2],
  [{ type: "boolean" }, false],
  [{ min_length: 2, max_length: 2 }, "🙂é"],
  [{ type: "choice", choices }, "b"],
  [{ type: "choices", choices, min: 1, max: 2 }, ["b", "r"]],
  [{ type: "choices", choices, min: 0, required: true }, []],
  [{ pattern: "^[a-z]+$" }, "abc"],
];
for (const [more, value] of ACCEPTED)
  test(`a form takes ${JSON.stringify(value)} for ${JSON.stringify(more)}`, () => {
    assert.deepEqual(checkForm([field(more)], { x: value }), { ok: true, values: { x: value } });
  });

const REFUSED: readonly (readonly [Partial<FormField>, unknown, string])[] = [
  [{ required: true }, undefined, "required"],
  [{ required: true }, "", "required"],
  [{ required: true, type: "choices", choices }, [], "choose at least one"],
  [{ format: "email" }, "a b@c.d", "must be an email address"],
  [{ format: "email" }, "a@b.", "must be an email address"],
  [{ format: "uri" }, "example.org", "must be a full address, like https://…"],
  [{ format: "uri" }, "https://a b", "must be a full address, like https://…"],
  [{ format: "date" }, "2027-02-29", "must be a date: YYYY-MM-DD"],
  [{ format: "date" }, "2027-13-01", "must be a date: YYYY-MM-DD"],
  [{ format: "date-time" }, "2027-01-01T24:00:00Z", "must be a date and time: 2030-01-31T12:00:00Z"],
  [{ format: "date-time" }, "2027-01-01T10:00:00", "must be a date and time: 2030-01-31T12:00:00Z"],
  [{ type: "number", min: 1 }, 0, "at least 1"],
  [{ type: "number", max: 1 }, 2, "at most 1"],
  [{ type: "number" }, "1", "must be a number"],
  [{ type: "number" }, Number.NaN, "must be a number"],
  [{ type: "integer" }, 1.5, "must be a whole number"],
  [{ type: "integer" }, 2 ** 60, "must be a whole number"],
  [{ type: "boolean" }, "yes", "must be yes or no"],
  [{ min_length: 1 }, 5, "must be text"],
  [{ min_length: 3 }, "ab", "at least 3 characters"],
  [{ max_length: 1 }, "ab", "at most 1 character"],
  [{ type: "choice", choices }, "Red", "must be one of Red, Blue"],
  [{ type: "choices", choices }, ["r", "x"], "must be some of Red, Blue"],
  [{ type: "choices", choices, min: 2 }, ["r", "r"], "choose at least 2"],
  [{ type: "choices", choices, max: 1 }, ["r", "b"], "choose at most 1"],
  [{ pattern: "^[a-z]+$" }, "ab1", "must match ^[a-z]+$"],
];
for (const [more, value, told] of REFUSED)
  test(`a form refuses ${JSON.stringify(value)} for ${JSON.stringify(more)}: ${told}`, () => {
    assert.equal(fault(more, value), told);
  });

test("a field that is left out has its default, or no value when it is not required", () => {
  const fields = [field({ name: "a", default: 3, type: "integer", required: true }), field({ name: "b" })];
  assert.deepEqual(checkForm(fields, {}), { ok: true, values: { a: 3 } });
  assert.deepEqual(checkForm(fields, { b: "" }), { ok: true, values: { a: 3 } });
});

test("a default that breaks the field's own bounds is refused like any value", () => {
  assert.equal(fault({ type: "integer", min: 5, default: 3 }, undefined), "at least 5");
});

test("an answer names every faulty field once, and fields that the form does not have", () => {
  const fields = [field({ name: "a", required: true }), field({ name: "toString", type: "integer" })];
  assert.deepEqual(checkForm(fields, { c: 1 }), { ok: false, faults: { c: "unknown field", a: "required" } });
});

test("a pattern of a server never takes long: one that could is left to the server", () => {
  const evil = `${"a".repeat(200)}!`;
  for (const pattern of ["^(a+)+$", "^(a|a)*$", "^a*a*a*a*$", "^(?:a{1,}){2,}$", "(a)\\1+$", "["])
    assert.equal(fault({ pattern }, evil), undefined, pattern);
});

test("a typed line is read as the field's type says", () => {
  const read = (more: Partial<FormField>, text: string) => {
    const checked = parseField(field(more), text);
    return "fault" in checked ? checked.fault : checked.value;
  };
  assert.equal(read({ type: "integer" }, " 12 "), 12);
  assert.equal(read({ type: "number" }, "-1.5e3"), -1_500);
  assert.equal(read({ type: "number" }, "0x10"), "must be a number");
  assert.equal(read({ type: "boolean" }, "No"), false);
  assert.equal(read({ type: "boolean" }, "perhaps"), "must be yes or no");
  assert.equal(read({ type: "choice", choices }, "2"), "b");
  assert.equal(read({ type: "choice", choices }, "red"), "r");
  assert.deepEqual(read({ type: "choices", choices }, "blue, 1"), ["b", "r"]);
  assert.equal(read({ type: "text", default: "d" }, ""), "d");
  assert.equal(fieldText(field({ type: "choices", choices }), ["b", "r"]), "Blue, Red");
});
