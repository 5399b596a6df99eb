import assert from "node:assert/strict";
import { test } from "node:test";
import type { FormAsked } from "../../contracts/chat/form.js";
import { fillIn, formQuestion, NEW_FILL, pressIn } from "./chat-forms.js";

const FORM: FormAsked = {
  title: "Release",
  from: "mcp:ci",
  message: "Fill this in.",
  fields: [
    { name: "tag", label: "Tag", type: "text", required: true, min_length: 2, description: "its name" },
    {
      name: "color",
      label: "Color",
      type: "choice",
      required: false,
      default: "b",
      choices: [
        { value: "r", label: "Red" },
        { value: "b", label: "Blue" },
      ],
    },
    { name: "dry", label: "Dry run", type: "boolean", required: true },
  ],
};
const CONSENT: FormAsked = { ...FORM, fields: [], url: "https://xn--pple-43d.com/a" };

test("the first message of a form says who asks, for what, and what may be typed", () => {
  const { text, buttons } = formQuestion("q_1", FORM, NEW_FILL);
  assert.equal(
    text,
    "📝 mcp:ci asks: Release\nFill this in.\n\n**Tag** (required, at least 2 characters) · 1 of 3\nits name\n\nType your answer; cancel ends the form.",
  );
  assert.deepEqual(buttons, [[{ text: "Cancel", data: "fo:q_1:0:cancel" }]]);
});

test("choices are buttons, and a field that may be left out can be skipped", () => {
  const { text, buttons } = formQuestion("q_1", FORM, { at: 1, content: { tag: "v1" } });
  assert.match(text, /1\. Red\n2\. Blue\n[\s\S]*skip takes Blue, cancel ends the form\./);
  assert.deepEqual(
    buttons.flat().map(({ data }) => data),
    ["fo:q_1:1:0", "fo:q_1:1:1", "fo:q_1:1:skip", "fo:q_1:1:cancel"],
  );
});

test("a form is filled in by texts and buttons; what is wrong asks again", () => {
  assert.deepEqual(fillIn(FORM, NEW_FILL, "v"), { fault: "Tag: at least 2 characters" });
  assert.deepEqual(fillIn(FORM, NEW_FILL, "Skip"), { fault: "Tag is required. cancel ends the form." });
  const first = { at: 1, content: { tag: "v1" } };
  assert.deepEqual(fillIn(FORM, NEW_FILL, "v1"), { next: first });
  assert.equal(pressIn(FORM, first, { at: 0, option: "0" }), undefined, "a button of an earlier field");
  assert.deepEqual(fillIn(FORM, first, "skip"), { next: { at: 2, content: { tag: "v1" } } });
  const second = { at: 2, content: { tag: "v1", color: "r" } };
  assert.deepEqual(pressIn(FORM, first, { at: 1, option: "0" }), { next: second });
  assert.deepEqual(pressIn(FORM, second, { at: 2, option: "1" }), {
    given: { action: "accept", content: { tag: "v1", color: "r", dry: false } },
  });
  assert.deepEqual(fillIn(FORM, second, "Cancel"), { given: { action: "cancel" } });
});

test("an address is shown with its host, and opened by no one but the reader", () => {
  const { text, buttons } = formQuestion("q_1", CONSENT, NEW_FILL);
  assert.match(text, /```\nhttps:\/\/xn--pple-43d\.com\/a\n```\nHost: xn--pple-43d\.com\n⚠️ the host has letters/);
  assert.equal(buttons.length, 1);
  assert.deepEqual(fillIn(CONSENT, NEW_FILL, "agree"), { given: { action: "accept" } });
  assert.deepEqual(fillIn(CONSENT, NEW_FILL, "what?"), { fault: "Answer with agree, decline or cancel." });
});
