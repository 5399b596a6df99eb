import assert from "node:assert/strict";
import { test } from "node:test";
import { openQuestionScreen as setup, text } from "../../../fixtures/tui/question-screen.js";
import { key } from "../../../fixtures/tui/screen.js";
import type { Message } from "../../model/messages.js";

const FIELDS = [
  { name: "tag", label: "Tag", type: "text", required: true, min_length: 2, description: "name of the release" },
  { name: "count", label: "Copies", type: "integer", required: false, default: 3, min: 1, max: 9 },
  { name: "dry", label: "Dry run", type: "boolean", required: false, default: true },
  {
    name: "colors",
    label: "Colors",
    type: "choices",
    required: false,
    choices: [
      { value: "r", label: "Red" },
      { value: "b", label: "Blue" },
    ],
  },
];

const asks = (more: Readonly<Record<string, unknown>> = {}): Message => ({
  type: "chat",
  event: "form.requested",
  data: {
    request: "q_f",
    title: "Release",
    from: "mcp:ci",
    message: "Fill this in",
    fields: FIELDS,
    expires_at: null,
    origin: {},
    ...more,
  },
});

test("a form is filled in field by field with its defaults, and sent as values", async (t) => {
  const { at, answers } = await setup(t);
  await at(1_000, asks());
  const first = await at(3_000, text("v"));
  assert.match(first, /mcp:ci asks this conversation/);
  assert.match(first, /› Tag \* +v/);
  assert.match(first, /name of the release/);
  assert.match(first, /Copies +3/);
  assert.match(first, /Dry run +yes/);
  const faulty = await at(3_100, key("enter"));
  assert.match(faulty, /✗ at least 2 characters/);
  await at(3_200, text("1"), key("tab"));
  await at(3_300, key("backspace"), text("12"), key("tab"));
  const dry = await at(3_400, text("n"));
  assert.match(dry, /Copies +12 +✗ at most 9/);
  await at(3_500, key("tab"), key("right"), text(" "), text("1"));
  await at(3_600, key("tab"), key("enter"));
  assert.deepEqual(answers(), []);
  const back = await at(3_700, key("backspace"));
  assert.match(back, /› Copies +1\b/);
  await at(3_800, key("tab"), key("tab"), key("tab"), key("enter"));
  const content = { tag: "v1", count: 1, dry: false, colors: ["b", "r"] };
  assert.deepEqual(answers(), [{ do: "answer", request: "q_f", kind: "form", answer: "accept", content }]);
});

test("a default that is erased is left out, not put back", async (t) => {
  const { at, answers } = await setup(t);
  await at(1_000, asks({ fields: [FIELDS[1]] }));
  await at(3_000, key("backspace"), key("enter"), key("enter"));
  assert.deepEqual(answers(), [
    { do: "answer", request: "q_f", kind: "form", answer: "accept", content: { count: "" } },
  ]);
});

test("a form is declined from its answers, cancelled by Ctrl+C, and kept by Esc", async (t) => {
  const { at, answers, state } = await setup(t);
  await at(1_000, asks({ fields: [FIELDS[1]] }));
  await at(3_000, text("4"), key("escape"));
  assert.equal(state().questions.open[0]?.form?.lines["count"]?.text, "34");
  await at(3_100, key("a", { alt: true }), key("tab"), key("right"), key("enter"));
  await at(5_000, key("a", { alt: true }), key("c", { ctrl: true }));
  assert.deepEqual(
    answers().map(({ answer }) => answer),
    ["decline", null],
  );
});

test("an address is shown whole with its host apart, and only copied once the user agreed", async (t) => {
  const { at, answers, effects } = await setup(t, 80, 24);
  const url = "https://login.xn--pple-43d.com/authorize?client=abc&scope=everything&state=0123456789abcdefghijklmnop";
  const shown = await at(1_000, asks({ fields: [], url, message: "Log in to continue" }));
  assert.match(shown, /host {2}login\.xn--pple-43d\.com/);
  assert.match(shown, /letters that may look like others/);
  assert.ok(shown.replace(/\s+/g, "").includes(url), shown);
  assert.match(shown, /›\[d\]ecline‹/);
  assert.equal(
    effects.some((one) => one.do === "copy"),
    false,
  );
  await at(3_000, text("o"));
  assert.deepEqual(answers(), [{ do: "answer", request: "q_f", kind: "form", answer: "accept" }]);
  assert.deepEqual(effects.at(-1), { do: "copy", text: url, what: "the address" });
});

for (const [columns, rows] of [
  [80, 24],
  [60, 12],
] as const)
  test(`on ${columns} by ${rows} the field with the keys and the answers are in sight, whichever it is`, async (t) => {
    const { at, state } = await setup(t, columns, rows);
    const fields = Array.from({ length: 30 }, (_, index) => ({
      name: `f${index}`,
      label: `Field number ${index}`,
      type: "text",
      required: index === 0,
      default: "x",
    }));
    await at(1_000, asks({ fields, message: "word ".repeat(400) }));
    for (let index = 0; index < 30; index += 1) {
      assert.match(
        await at(3_000 + index, key("tab")),
        index < 29 ? new RegExp(`› Field number ${index + 1} `) : /›Send‹/,
      );
    }
    assert.equal(state().questions.open[0]?.form?.at, 30);
  });
