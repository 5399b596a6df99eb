import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { key, openScreen } from "../../fixtures/tui/screen.js";
import { DISPLAY } from "../app/display.js";
import { EMPTY, replaceAll } from "../composer/editor.js";
import { textCells } from "../draw/width.js";
import type { Message } from "../model/messages.js";
import type { ConfirmOverlay } from "../overlays/confirm/state.js";
import type { FormOverlay } from "../overlays/form/state.js";
import type { PickOverlay } from "../overlays/pick/state.js";
import type { ReadOverlay } from "../overlays/read/state.js";

const at = (code: number, x: number, y: number): Message => ({ type: "mouse", code, x, y, up: false });

async function opened(t: TestContext, [columns, rows]: readonly [number, number] = [120, 40]) {
  const screen = await openScreen(columns, rows);
  t.after(() => screen.close());
  await screen.send(
    { type: "session", id: "s", title: "", model: "m1", items: [] },
    { type: "display", display: { ...DISPLAY, mouse: true } },
  );
  /** Press where this text stands: the first place, or the last one. */
  const press = async (text: string, last = false) => {
    const lines = screen.lines();
    const y = last
      ? lines.findLastIndex((line) => line.includes(text))
      : lines.findIndex((line) => line.includes(text));
    assert.ok(y >= 0, `nothing says ${text}:\n${lines.join("\n")}`);
    return screen.send(at(0, textCells((lines[y] ?? "").split(text)[0] ?? ""), y));
  };
  const wheel = (down: boolean, times = 1) =>
    screen.send(...Array.from({ length: times }, () => at(down ? 65 : 64, 60, 20)));
  return { screen, press, wheel };
}

const CONFIRM: ConfirmOverlay = {
  kind: "confirm",
  asker: "test",
  title: "Archive t_1?",
  lines: ["it goes"],
  choices: [
    { name: "no", label: "keep it", key: "k" },
    { name: "yes", label: "archive it", key: "a" },
  ],
  at: 0,
  subject: {},
};

for (const size of [
  [120, 40],
  [40, 12],
] as const)
  test(`a choice of a dialog is taken by a press on it, and not by one beside it, on ${size.join(" x ")}`, async (t) => {
    const { screen, press } = await opened(t, size);
    screen.open(CONFIRM);
    await screen.send();
    await press("it goes");
    assert.equal(screen.state().overlay?.kind, "confirm");
    await press("archive it");
    assert.deepEqual(screen.effects.at(-1), {
      do: "tell",
      message: { type: "confirmed", asker: "test", choice: "yes", subject: {} },
    });
    assert.equal(screen.state().overlay, undefined);
  });

test("a press beside an overlay closes it as Escape does, and reaches nothing under it", async (t) => {
  const { screen } = await opened(t);
  await screen.send(key("p", { ctrl: true }), { type: "text", text: "zoom" }, key("tab"));
  await screen.send(at(0, 1, 0));
  assert.deepEqual(screen.state().overlay?.kind, "palette", "Escape goes back from the actions first");
  await screen.send(at(0, 1, 0));
  assert.deepEqual([screen.state().overlay, screen.state().focus], [undefined, "composer"]);
});

test("what the palette has found is done by a press", async (t) => {
  const { screen, press } = await opened(t);
  await screen.send(key("p", { ctrl: true }), { type: "text", text: "board" });
  await press("pane     board");
  assert.deepEqual([screen.state().overlay, screen.state().focus], [undefined, "board"]);
});

const pick = (count: number): PickOverlay => ({
  kind: "pick",
  asker: "test",
  title: "Move",
  items: Array.from({ length: count }, (_, n) => ({
    value: `v${n}`,
    label: `item ${n}.`,
    detail: "",
    ...(n === 1 ? { refused: "it waits for t_2" } : {}),
  })),
  filter: "",
  at: 0,
  subject: {},
});

test("an item of a menu is chosen by a press, also where the list was turned; one that is refused says why", async (t) => {
  const { screen, press, wheel } = await opened(t);
  screen.open(pick(60));
  await screen.send();
  await press("item 1.");
  assert.match(screen.state().message?.text ?? "", /it waits for t_2/);
  await wheel(true, 12);
  assert.match(screen.lines().join("\n"), /item 37\./);
  await press("item 40.");
  const told = screen.effects.at(-1);
  assert.ok(told?.do === "tell" && told.message.type === "picked" && told.message.value === "v40");
});

const FORM: FormOverlay = {
  kind: "form",
  asker: "test",
  title: "New task",
  lines: [],
  fields: [
    { name: "title", label: "Title", kind: "line", editor: replaceAll(EMPTY, "one 漢字 two") },
    { name: "body", label: "Body", kind: "text", editor: replaceAll(EMPTY, "first\nsecond line\nthird") },
    {
      name: "who",
      label: "Assignee",
      kind: "choice",
      editor: EMPTY,
      choices: ["ada", "bob"].map((value) => ({ value, detail: "" })),
    },
  ],
  at: 0,
  button: "Create",
  error: "",
  busy: false,
  subject: {},
};

for (const size of [
  [120, 40],
  [44, 20],
] as const)
  test(`a press in a form goes to its field, to the letter, chooses, and presses the button, on ${size.join(" x ")}`, async (t) => {
    const { screen, press } = await opened(t, size);
    const form = () => {
      const { overlay } = screen.state();
      assert.ok(overlay?.kind === "form");
      return overlay;
    };
    screen.open({ ...FORM, at: 1 });
    await screen.send();
    await press("line"); // the second line of the body
    assert.deepEqual([form().at, form().fields[1]?.editor.cursor], [1, "first\nsecond ".length]);
    await press("two");
    assert.deepEqual([form().at, form().fields[0]?.editor.cursor], [0, "one 漢字 ".length]);
    await press("Assignee");
    await press("bob");
    assert.equal(form().fields[2]?.editor.text, "bob");
    await press("[ Create ]");
    const told = screen.effects.findLast((one) => one.do === "tell");
    assert.ok(told?.do === "tell" && told.message.type === "filled");
    assert.deepEqual(told.message.values, { title: "one 漢字 two", body: "first\nsecond line\nthird", who: "bob" });
  });

test("in the help a press marks a key, and another one does it", async (t) => {
  const { screen, press } = await opened(t);
  await screen.send(key("f1"), { type: "text", text: "/F8" }, key("enter"));
  await press("F8, Alt+Z");
  assert.equal(screen.state().zoom, true);
  assert.equal(screen.state().overlay, undefined);
});

test("the help names the row that is pressed when it was turned", async (t) => {
  const { screen, press, wheel } = await opened(t);
  await screen.send(key("f1"));
  await wheel(true, 20);
  const lines = await press("suspend");
  assert.ok(
    lines.some((line) => /›\S.*suspend/.test(line)),
    lines.join("\n"),
  );
});

test("the theme that is pressed is shown, and stays when it is pressed again", async (t) => {
  const { screen, press } = await opened(t);
  await screen.send({ type: "act", action: "themes" });
  await press("light");
  assert.equal(screen.state().display.theme, "light");
  await press("light");
  assert.deepEqual([screen.state().overlay, screen.state().display.theme], [undefined, "light"]);
});

test("a text is turned by the wheel to its end and back from there at once", async (t) => {
  const { screen, wheel } = await opened(t);
  const lines = Array.from({ length: 100 }, (_, n) => ["text", `line ${n}. ${"x".repeat(60)}`] as const);
  const read: ReadOverlay = { kind: "read", title: "All", lines, exact: false, top: 0 };
  screen.open(read);
  await wheel(true, 100);
  assert.match(screen.lines().join("\n"), /line 99\./);
  await wheel(false);
  assert.doesNotMatch(screen.lines().join("\n"), /line 99\./);
});

test("End and then up moves a text that is read, however long its lines are", async (t) => {
  const { screen } = await opened(t);
  const lines = Array.from({ length: 100 }, (_, n) => ["text", `line ${n}. ${"x".repeat(60)}`] as const);
  screen.open({ kind: "read", title: "All", lines, exact: false, top: 0 });
  await screen.send(key("end"), key("up"));
  assert.doesNotMatch(screen.lines().join("\n"), /line 99\./);
  assert.match(screen.lines().join("\n"), /line 98\./);
});

test("a long dialog is turned by the wheel, and back from its end at once", async (t) => {
  const { screen, wheel } = await opened(t, [80, 24]);
  screen.open({ ...CONFIRM, lines: Array.from({ length: 60 }, (_, n) => `line ${n}.`) });
  await wheel(true, 60);
  assert.match(screen.lines().join("\n"), /line 59\./);
  await wheel(false);
  assert.doesNotMatch(screen.lines().join("\n"), /line 59\./);
});

test("a session is marked by a press, opened by another, and deleted only by the word for it", async (t) => {
  const { screen, press } = await opened(t);
  const row = (id: string, title: string) => ({
    id,
    title,
    preview: "",
    cwd: "/p",
    model: "m",
    messages: 2,
    cost: null,
    last_active_at: 0,
    running: false,
    questions: 0,
    archived: false,
    pinned: false,
  });
  await screen.send(key("o", { ctrl: true }));
  await screen.send({
    type: "called",
    to: "sessions.rows",
    ok: true,
    result: [row("a1", "first one"), row("b2", "second one")],
  });
  await press("second one");
  await screen.send({ type: "text", text: "x" });
  await press("[k]eep");
  assert.ok(!screen.effects.some((one) => one.do === "call" && one.method === "session.delete"));
  await screen.send({ type: "text", text: "x" });
  await press("[d]elete");
  assert.ok(
    screen.effects.some(
      (one) => one.do === "call" && one.method === "session.delete" && one.params["session_id"] === "b2",
    ),
  );
  await press("✓ second one");
  assert.deepEqual(screen.effects.at(-1), { do: "open", session: "b2" });
});

const QUESTION: Message = {
  type: "chat",
  event: "approval.requested",
  data: {
    request: "q1",
    kind: "command",
    tool: "terminal",
    command: "npm test",
    cwd: "/p",
    options: ["once", "project", "deny"],
    rules: { project: ["terminal(npm test)"] },
    segments: [],
    reasons: [],
  },
};

test("an answer that is pressed shows the rule that it would store, and is given by another press; never in the first second", async (t) => {
  const { screen, press } = await opened(t);
  screen.at(10_000);
  await screen.send(QUESTION);
  await press("[d]eny");
  assert.equal(screen.effects.filter((one) => one.do === "answer").length, 0, "it was just there");
  screen.at(12_000);
  const lines = await press("[p]roject");
  assert.ok(lines.some((line) => line.includes("terminal(npm test)")));
  assert.equal(screen.effects.filter((one) => one.do === "answer").length, 0);
  await press("[p]roject");
  const answer = screen.effects.find((one) => one.do === "answer");
  assert.ok(answer?.do === "answer" && answer.answer === "project");
});

test("what is offered for a word is taken by a press", async (t) => {
  const { screen, press } = await opened(t);
  await screen.send({ type: "text", text: "/mo" });
  const asked = screen.effects.findLast((one) => one.do === "complete");
  assert.ok(asked?.do === "complete");
  const rows = ["/model", "/mouse"].map((text) => ({
    text: text.slice(1),
    label: text,
    detail: `about ${text}`,
    kind: "command",
  }));
  await screen.send({ type: "offered", asked: asked.asked, from: undefined, rows });
  await press("about /mouse");
  assert.equal(screen.state().composer.editor.text, "/mouse ");
});

test("what waits is marked by a press, and edited by a double one", async (t) => {
  const { screen, press } = await opened(t);
  screen.at(5_000);
  const item = (id: string, text: string) => ({ id, text, kind: "message", by: "workspace" });
  const state = screen.state();
  screen.become({ ...state, queue: { ...state.queue, waiting: [item("q1", "the first"), item("q2", "the second")] } });
  await screen.send();
  await press("the second");
  assert.deepEqual([screen.state().queue.focused, screen.state().queue.at], [true, 1]);
  await press("the second");
  assert.equal(screen.state().composer.editor.text, "the second");
});

test("the keys in the lower edge of an overlay can be pressed", async (t) => {
  const { screen, press } = await opened(t);
  const overlay = () => screen.state().overlay;
  await screen.send(key("f1"));
  await press("/ filter");
  await screen.send({ type: "text", text: "zoom" });
  assert.match(screen.lines().join("\n"), /zoom/);
  await press("Esc closes");
  if (overlay() !== undefined) await press("Esc closes"); // the first one clears what was typed
  assert.equal(overlay(), undefined);
  await screen.send(key("p", { ctrl: true }));
  await press("> commands");
  const palette = overlay();
  assert.equal(palette?.kind === "palette" ? palette.input.text : undefined, ">");
});
