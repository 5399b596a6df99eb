import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { key, openScreen } from "../../../fixtures/tui/screen.js";
import { EMPTY, replaceAll } from "../../composer/editor.js";
import { textCells } from "../../draw/width.js";
import type { Message } from "../../model/messages.js";
import type { FormField, FormOverlay } from "../form/state.js";
import type { PickOverlay } from "../pick/state.js";
import type { Overlay } from "../state.js";
import type { ConfirmOverlay } from "./state.js";

const SIZES = [
  [40, 12],
  [80, 24],
  [120, 40],
  [200, 60],
] as const;

const CONFIRM: ConfirmOverlay = {
  kind: "confirm",
  asker: "test",
  title: "Archive t_1",
  lines: ["t_1 “漢字 😀 parser” goes to the archive.", "Its run is ended."],
  choices: [
    { name: "cancel", label: "keep it", key: "k" },
    { name: "archive", label: "archive", key: "a" },
  ],
  at: 0,
  subject: { task: "t_1" },
};

const PICK: PickOverlay = {
  kind: "pick",
  asker: "test",
  title: "Move t_1",
  items: [
    { value: "todo", label: "todo", detail: "waits" },
    { value: "ready", label: "ready", detail: "", refused: "its parent t_0 is not done" },
    { value: "done", label: "done", detail: "asks for a summary" },
  ],
  filter: "",
  at: 0,
  subject: { task: "t_1" },
};

const field = (name: string, kind: FormField["kind"], more: Partial<FormField> = {}): FormField => ({
  name,
  label: name,
  kind,
  editor: EMPTY,
  ...more,
});
const PROFILES = [
  { value: "dev", detail: "writes code" },
  { value: "review", detail: "reads code" },
  { value: "writer", detail: "writes words" },
];
const FORM: FormOverlay = {
  kind: "form",
  asker: "test",
  title: "New task",
  lines: [],
  fields: [
    field("title", "line", { required: true }),
    field("body", "text"),
    field("assignee", "choice", { choices: PROFILES }),
  ],
  at: 0,
  button: "Create",
  error: "",
  busy: false,
  subject: { board: "default" },
};

const text = (value: string): Message => ({ type: "text", text: value });

async function setup(t: TestContext, overlay: Overlay, [columns, rows]: readonly [number, number] = [80, 24]) {
  const made = await openScreen(columns, rows);
  t.after(made.close);
  made.open(overlay);
  const tell = () => made.effects.flatMap((one) => (one.do === "tell" ? [one.message] : []));
  return { ...made, tell, screen: async (...messages: Message[]) => (await made.send(...messages)).join("\n") };
}

for (const size of SIZES)
  for (const overlay of [CONFIRM, PICK, FORM])
    test(`the dialog ${overlay.kind} stands whole on a screen of ${size.join("x")}`, async (t) => {
      const { screen, lines } = await setup(t, overlay, size);
      const shown = await screen();
      assert.match(shown, new RegExp(overlay.title));
      const top = lines().findIndex((line) => line.includes(overlay.title));
      const framed = lines()
        .slice(top)
        .findIndex((line) => /[─━═][┘┛╝]/.test(line));
      assert.ok(top > 0 && framed > 0 && top + framed < size[1], shown);
      const edges = lines()
        .slice(top, top + framed + 1)
        .map((line) => line.trimEnd().length);
      assert.ok(overlay.kind === "confirm" || new Set(edges).size <= 2, shown);
    });

test("a confirmation says what will happen, and its safe choice is what Enter takes", async (t) => {
  const { screen, tell } = await setup(t, CONFIRM);
  const shown = await screen();
  assert.match(shown, /t_1 “漢字 😀 parser” goes to the archive\./);
  assert.match(shown, /\[k\] keep it {3,}\[a\] archive/);
  await screen(key("enter"));
  assert.deepEqual(tell(), [{ type: "confirmed", asker: "test", choice: "cancel", subject: { task: "t_1" } }]);
});

test("letters and digits choose in a confirmation, a pasted letter does not", async (t) => {
  const { screen, state, tell } = await setup(t, CONFIRM);
  await screen({ type: "paste", text: "a" });
  assert.deepEqual(tell(), []);
  await screen(text("a"));
  assert.equal(state().overlay, undefined);
  assert.deepEqual(
    tell().map((one) => "choice" in one && one.choice),
    ["archive"],
  );
});

test("two choices whose letters differ in size alone are told apart", async (t) => {
  const choices = [
    { name: "some", label: "stop", key: "s" },
    { name: "all", label: "stop all", key: "S" },
  ];
  const { screen, tell } = await setup(t, { ...CONFIRM, choices });
  await screen(text("S"));
  assert.deepEqual(
    tell().map((one) => "choice" in one && one.choice),
    ["all"],
  );
});

test("a confirmation too long for the screen can be read to its end", async (t) => {
  const { screen } = await setup(
    t,
    { ...CONFIRM, lines: Array.from({ length: 30 }, (_, at) => `line ${at}`) },
    [40, 12],
  );
  assert.match(await screen(), /more lines/);
  assert.match(await screen(...Array.from({ length: 6 }, () => key("pagedown"))), /line 29/);
});

for (const overlay of [CONFIRM, PICK, FORM])
  test(`Escape closes the dialog ${overlay.kind} without any effect, and the focus is where it was`, async (t) => {
    const { screen, state, effects } = await setup(t, overlay);
    const { focus } = state();
    await screen(text("zz"), key("escape"));
    assert.deepEqual([state().overlay, state().focus, effects], [undefined, focus, []]);
  });

test("a list filters while typing, and marks what can be chosen", async (t) => {
  const { screen, tell, cursor } = await setup(t, PICK);
  const shown = await screen(text("do"));
  assert.doesNotMatch(shown, /ready/);
  assert.match(shown, /2 of 3/);
  const { x, y } = cursor();
  assert.match(shown.split("\n")[y]?.slice(0, x) ?? "", /› do$/);
  await screen(key("down"), key("enter"));
  assert.deepEqual(
    tell().map((one) => "value" in one && one.value),
    ["todo"],
  );
});

test("what is refused is shown with its reason and can not be chosen", async (t) => {
  const { screen, state, tell } = await setup(t, PICK);
  assert.match(await screen(), /× ?ready +its parent t_0 is not done/);
  await screen(key("down"), key("enter"));
  assert.deepEqual(
    [tell(), state().overlay?.kind, state().message?.text],
    [[], "pick", "ready: its parent t_0 is not done"],
  );
});

test("a list of thousands moves by pages, to its ends, and filters", async (t) => {
  const items = Array.from({ length: 5_000 }, (_, at) => ({ value: `v${at}`, label: `item ${at}`, detail: "" }));
  const { screen } = await setup(t, { ...PICK, items });
  assert.match(await screen(key("end")), /item 4999/);
  assert.match(await screen(key("pageup")), /item 4989/);
  assert.match(await screen(key("home")), /item 0 /);
  assert.match(await screen(text("4321")), /item 4321/);
  assert.match(await screen(text("x")), /nothing matches 4321x/);
});

test("a form is filled by keys alone, and hands over what was typed", async (t) => {
  const { screen, tell, state } = await setup(t, FORM);
  await screen(text("fix it"), key("tab"), text("line one"), key("enter"), text("line two"), key("tab"), text("rev"));
  const shown = await screen();
  assert.match(shown, /fix it/);
  assert.match(shown, /line two/);
  assert.match(shown, /› review +reads code/);
  await screen(key("enter"), key("enter"));
  const values = { title: "fix it", body: "line one\nline two", assignee: "review" };
  assert.deepEqual(tell(), [{ type: "filled", asker: "test", values, subject: { board: "default" } }]);
  const { overlay } = state();
  assert.equal(overlay?.kind === "form" && overlay.busy, true);
  assert.match(await screen(), /waiting for the answer/);
});

test("a refused form says why and keeps what was typed", async (t) => {
  const { screen, open, state } = await setup(t, FORM);
  assert.match(await screen(key("enter", { ctrl: true })), /title: required/);
  await screen(text("kept"), key("enter", { ctrl: true }));
  const { overlay } = state();
  assert.ok(overlay?.kind === "form");
  open({ ...overlay, busy: false, error: "the board is full" });
  const shown = await screen();
  assert.match(shown, /kept/);
  assert.match(shown, /the board is full/);
});

test("a choice takes none but its choices, unless it is left empty", async (t) => {
  const { screen, tell } = await setup(t, { ...FORM, at: 2 });
  assert.match(
    await screen(text("nobody"), key("enter", { ctrl: true })),
    /nothing matches[\s\S]*assignee: unknown value nobody|title/,
  );
  assert.deepEqual(tell(), []);
});

test("what is hidden is never on the screen", async (t) => {
  const { screen } = await setup(t, { ...FORM, fields: [field("key", "hidden")] });
  const shown = await screen(text("sk-123"));
  assert.doesNotMatch(shown, /sk-123/);
  assert.match(shown, /••••••/);
});

test("wide characters keep the frame of a form straight, and the cursor stands behind them", async (t) => {
  const wide = replaceAll(EMPTY, "漢字 😀 🇯🇵");
  const { screen, cursor, term } = await setup(t, { ...FORM, fields: [field("title", "line", { editor: wide })] });
  const shown = await screen();
  assert.match(shown, /漢字 😀/);
  const at = cursor();
  const cells = (y: number) =>
    Array.from({ length: term.cols }, (_, x) => term.buffer.active.getLine(y)?.getCell(x)?.getChars());
  const edge = (y: number) => cells(y).findLastIndex((one) => one === "│" || one === "║");
  assert.equal(edge(at.y), edge(at.y + 1));
  assert.equal(at.x, cells(at.y).indexOf("漢") + textCells("漢字 😀 🇯🇵"));
});

test("a long line scrolls sideways, and a long text downwards, with the cursor in sight", async (t) => {
  const { screen, cursor } = await setup(t, FORM, [40, 12]);
  const shown = await screen(text("a".repeat(200)), text("END"));
  assert.match(shown, /aEND/);
  const many = Array.from({ length: 30 }, (_, at) => `row ${at}`).join("\n");
  const below = await screen(key("tab"), { type: "paste", text: many });
  assert.match(below, /row 29/);
  assert.match(below.split("\n")[cursor().y] ?? "", /row 29/);
});
