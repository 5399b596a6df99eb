import assert from "node:assert/strict";
import { test } from "node:test";
import { markBidi } from "./bidi.js";

test("controls that turn the direction of a text are shown as marks, and letters of any script stay as they are", () => {
  assert.equal(markBidi("Fix the \u202eeltit\u202c"), "Fix the ⟪U+202E⟫eltit⟪U+202C⟫");
  assert.equal(markBidi("\u061c\u200e\u200f\u2066\u2069"), "⟪U+061C⟫⟪U+200E⟫⟪U+200F⟫⟪U+2066⟫⟪U+2069⟫");
  for (const text of ["", "plain", "שלום עולם", "مرحبا", "\u{1f468}\u200d\u{1f469}", "a\nb\tc"])
    assert.equal(markBidi(text), text);
});
