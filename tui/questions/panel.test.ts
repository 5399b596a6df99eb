import assert from "node:assert/strict";
import { test } from "node:test";
import { ask, NARROW, openQuestionScreen as setup, text, WIDE } from "../../fixtures/tui/question-screen.js";
import { key } from "../../fixtures/tui/screen.js";
import { THEME } from "../draw/theme.js";
import type { Message } from "../model/messages.js";
import { questionPanel } from "./view.js";

const ALT_A = key("a", { alt: true });
const CLARIFY: Message = {
  type: "chat",
  event: "clarify.requested",
  data: { request: "q_2", question: "Which **drink**?\n\n- hot\n- cold", choices: ["tea", "coffee"], origin: {} },
};

test("W09: what is typed with Enter at twenty keys a second while a question comes stays in the composer", async (t) => {
  const { at, answers, state, effects } = await setup(t);
  await at(1_000, ask());
  for (const [index, letter] of [..."deny it"].entries()) await at(1_050 + index * 50, text(letter));
  const shown = await at(1_400, key("enter"));
  assert.equal(state().composer.editor.text, "deny it");
  assert.deepEqual([answers(), effects.filter((one) => one.do === "submit")], [[], []]);
  assert.match(shown, /› deny it/);
  assert.match(shown, /›\[d\]eny‹/);
});

test("the same Enter answers no question of the model either", async (t) => {
  const { at, answers, state } = await setup(t);
  await at(1_000, text("a message"), CLARIFY);
  await at(1_200, key("enter"));
  assert.deepEqual([answers(), state().composer.editor.text], [[], "a message"]);
  await at(2_100, key("enter"));
  assert.deepEqual(answers(), [{ do: "answer", request: "q_2", kind: "clarify", answer: "a message" }]);
});

const ODD = `cat <<'E'  \n\tтаб 漢字 ${"x".repeat(130)}  y   \n⟪U+001B⟫[2K ⟪U+202E⟫ ${"0123456789 ".repeat(20)}\nE`;
for (const columns of [160, 80, 60])
  test(`W11: on ${columns} columns the command is shown byte for byte as it is stored`, async (t) => {
    const { at, state } = await setup(t, columns, 60);
    await at(1_000, ask({ command: ODD }));
    const { rows } = questionPanel(state(), columns, 60);
    const spans = rows.flatMap((row) =>
      row.filter(([style, part]) => style === THEME.code || (style === THEME.warn && /^\\[tn]$/.test(part))),
    );
    const rules = rows.filter((row) => row.some(([, part]) => part.includes("command: rm"))).length;
    assert.equal(rules, 0, "refusing is marked, so that no rule is among them");
    const read = spans.map(([style, part]) => (style === THEME.code ? part : part === "\\t" ? "\t" : "\n")).join("");
    assert.equal(read, ODD);
    for (const row of rows) assert.ok(row.map(([, part]) => part).join("").length <= columns * 2);
  });

test("the panel says what is asked and by whom, each part with its risk, and what the marked answer stores", async (t) => {
  const { at } = await setup(t);
  const shown = await at(1_000, ask({ origin: { child: "s_9" } }));
  assert.match(shown, /a child of this conversation wants to run a command: terminal/);
  assert.match(shown, / {2}in \/work/);
  assert.match(shown, /ls +needs no approval/);
  assert.match(shown, /rm -rf q +rm-recursive: removes recursively/);
  assert.match(shown, /the command will not run/);
  const project = await at(3_000, key("left"), key("left"));
  assert.match(project, /›\[p\]roject‹/);
  assert.ok(
    project.includes(`saves this rule, exactly this, in .agent/permissions.yaml of the project:`) &&
      project.includes(NARROW),
    project,
  );
});

test("w makes the rule wider and narrow again, and the rule that is shown is the one that is answered", async (t) => {
  const { at, answers } = await setup(t);
  await at(1_000, ask());
  await at(3_000, ALT_A, key("left"), key("left"));
  const wide = await at(3_100, text("w"));
  assert.ok(wide.includes(WIDE) && wide.includes("this directory"), wide);
  const narrow = await at(3_200, text("w"));
  assert.ok(narrow.includes(NARROW) && !narrow.includes(WIDE));
  await at(3_300, text("w"), key("enter"));
  assert.deepEqual(answers(), [
    { do: "answer", request: "q_1", kind: "approval", answer: "project", width: "directory" },
  ]);
});

test("an answer without a rule says so when it is asked for a wider one", async (t) => {
  const { at, state } = await setup(t);
  await at(1_000, ask());
  await at(3_000, ALT_A, text("w"));
  assert.equal(state().questions.asking.width, "exact");
  assert.equal(state().composer.editor.text, "");
});

test("v opens the whole text above the panes; Escape and Ctrl+C close that and answer nothing", async (t) => {
  const { at, answers, state } = await setup(t);
  const command = Array.from({ length: 60 }, (_, line) => `echo line ${line}`).join("\n");
  assert.match(await at(1_000, ask({ command })), /↓ 51 more lines/);
  assert.match(await at(3_000, text("v")), /echo line 20/);
  assert.match(await at(3_100, key("end")), /echo line 59[\s\S]*rm -rf q +rm-recursive/);
  await at(3_200, key("escape"));
  assert.equal(state().overlay, undefined);
  await at(3_300, text("v"), key("c", { ctrl: true }));
  assert.deepEqual([state().overlay, answers(), state().questions.asking.focused], [undefined, [], true]);
});

const LONG = `${"word ".repeat(45)}END`;
const long: Message = {
  ...CLARIFY,
  data: { request: "q_2", question: "Which?", choices: [LONG, `${LONG} too`, "coffee"], origin: {} },
};

test("a long choice of a question is there whole, and its rows are all it", async (t) => {
  const { at, state } = await setup(t);
  assert.match(await at(1_000, long), /1 word[\s\S]*END[\s\S]*2 word[\s\S]*END\s+too[\s\S]*3 coffee/);
  const { rows, spots } = questionPanel(state(), 120, 20);
  assert.equal(spots.length, rows.length - 3, "its head, the question and the keys alone do nothing");
});

test("where choices have no room, the marked one is there whole and the others begin", async (t) => {
  const { at } = await setup(t, 80, 20);
  await at(1_000, long);
  const shown = await at(3_000, ALT_A);
  assert.match(shown, /1 word[\s\S]*END *\n *2 word.*…[\s\S]*3 coffee[\s\S]*1-9: choose/);
});

test("i asks how the rules come to ask, and shows it", async (t) => {
  const { at, effects } = await setup(t);
  await at(1_000, ask());
  await at(3_000, text("i"));
  const call = effects.find((one) => one.do === "call" && one.method === "question.explain");
  assert.deepEqual(call?.do === "call" && call.params, { request: "q_1" });
  const result = {
    command: "rm -rf q",
    decision: "ask",
    by: "removes recursively",
    segments: [{ argv: "rm -rf q", classes: ["rm-recursive"] }],
    findings: [],
    read_only: false,
    rule_to_allow: "rm -rf q",
  };
  const shown = await at(3_100, { type: "called", to: "questions.path:q_1", ok: true, result });
  assert.match(shown, /decision: ask/);
  assert.match(shown, /rm -rf q +rm-recursive/);
  assert.match(shown, /a rule that would allow it: rm -rf q/);
});

test("the time until it closes runs on, and stands still while the panel has the keys", async (t) => {
  const { at, effects } = await setup(t);
  assert.match(await at(1_000, ask()), /299 s/);
  const tick = (ms: number): Message => ({ type: "tick", now: ms, wall: 1_000_000 + ms });
  assert.match(await at(11_000, tick(11_000)), /289 s/);
  await at(12_000, ALT_A);
  const touches = () => effects.filter((one) => one.do === "call" && one.method === "question.touch").length;
  assert.equal(touches(), 1);
  const touched: Message = { type: "called", to: "questions.touch:q_1", ok: true, result: { expires_at: 1_312_000 } };
  assert.match(await at(12_000, touched), /300 s/);
  assert.match(await at(60_000, tick(60_000)), /300 s/);
  assert.equal(touches(), 2);
  assert.match(await at(61_000, key("escape")), /251 s/);
});

test("several questions are answered oldest first, and Alt+A goes through them", async (t) => {
  const { at, answers } = await setup(t);
  assert.match(await at(1_000, ask(), ask({ request: "q_3", command: "npm publish" })), /rm -rf q[\s\S]*! 2 questions/);
  assert.match(await at(3_000, ALT_A), /1 of 2/);
  assert.match(await at(3_100, ALT_A), /2 of 2[\s\S]*npm publish/);
  await at(3_200, text("o"));
  assert.deepEqual(answers(), [{ do: "answer", request: "q_3", kind: "approval", answer: "once" }]);
  const closed: Message = {
    type: "chat",
    event: "approval.resolved",
    data: { request: "q_3", answer: "once", by: "workspace" },
  };
  assert.match(await at(3_300, closed), /rm -rf q[\s\S]*! 1 question /);
});

test("a question of the model is shown as Markdown, and answered by a digit, a choice or words of one's own", async (t) => {
  const { at, answers } = await setup(t);
  const shown = await at(1_000, CLARIFY);
  assert.match(shown, /Which drink\?/);
  assert.match(shown, /• hot/);
  assert.match(shown, /3 Other \(type your answer\)/);
  assert.match(shown, /Enter: answer/);
  await at(3_000, text("2"));
  await at(3_000, ALT_A, key("down"), key("enter"));
  await at(3_000, ALT_A, text("3"), text("green tea"));
  assert.match(await at(3_100), /answer: green tea/);
  await at(3_100, key("enter"));
  await at(3_200, ALT_A, key("escape"));
  assert.deepEqual(
    answers().map((one) => one.answer),
    ["coffee", "coffee", "green tea", null],
  );
});

test("W08: the line above the composer says what Enter does: queue in a turn, answer to a question, queue again once Alt+A has said so", async (t) => {
  const { at, answers } = await setup(t);
  assert.match(await at(500), /Enter: queue/);
  assert.match(await at(1_000, CLARIFY), /Enter: answer/);
  await at(3_000, ALT_A);
  assert.match(await at(3_100, ALT_A), /Enter: queue/);
  await at(3_200, text("a message"));
  assert.match(await at(4_000, key("enter")), /a message/);
  assert.deepEqual(answers(), []);
  assert.match(await at(5_000, ALT_A), /Enter: answer/);
});

test("what a write would change is shown with its signs", async (t) => {
  const { at, state } = await setup(t);
  const shown = await at(
    1_000,
    ask({ kind: "write", command: "write docs/a.md", diff: "@@ -1 +1 @@\n-old\n+new", segments: [] }),
  );
  assert.match(shown, /wants to write files/);
  assert.match(shown, /-old\s+\+new/);
  const styles = questionPanel(state(), 120, 20).rows.flatMap((row) =>
    row.filter(([, part]) => part === "-old" || part === "+new"),
  );
  assert.deepEqual(
    styles.map(([style]) => style),
    [THEME.diffDel, THEME.diffAdd],
  );
});

test("the cursor stands in the line that is typed, and a password is dots", async (t) => {
  const { at, cursor, lines } = await setup(t);
  await at(1_000, ask());
  await at(3_000, text("t"), text("no"), text(" way"));
  assert.match(lines()[cursor().y]?.slice(0, cursor().x) ?? "", /reason: no way$/);
  await at(3_100, key("left", { ctrl: true }), text("good "));
  assert.match(lines()[cursor().y] ?? "", /reason: no good way/);
  await at(3_200, key("escape"), {
    type: "chat",
    event: "approval.resolved",
    data: { request: "q_1", answer: "deny" },
  });
  await at(4_000, {
    type: "chat",
    event: "password.requested",
    data: { request: "q_5", prompt: "Password of sudo", origin: {} },
  });
  const shown = await at(5_000, text("a"), text("漢b"));
  assert.match(shown, /•••/);
  assert.doesNotMatch(shown, /漢/);
});

test("the keys go back to the pane that had them, once the question is answered or left", async (t) => {
  const { at, state } = await setup(t, 160, 40);
  await at(1_000, key("f3"), ask());
  await at(3_000, text("s"));
  assert.equal(state().focus, "board", "a pane that has the focus keeps its keys");
  await at(3_100, ALT_A);
  await at(3_200, key("escape"));
  assert.deepEqual([state().focus, state().questions.asking.focused], ["board", false]);
  await at(3_300, ALT_A, text("o"));
  assert.equal(state().focus, "board");
  await at(3_400, ALT_A);
  await at(3_500, { type: "chat", event: "approval.resolved", data: { request: "q_1", answer: "once", by: "cli" } });
  assert.equal(state().focus, "board");
});

test("questions of one conversation are not shown in another", async (t) => {
  const { at } = await setup(t);
  await at(1_000, ask());
  const other: Message = { type: "session", id: "s_2", title: "y", model: "m", items: [], fresh: true };
  assert.doesNotMatch(await at(2_000, other), /rm -rf q/);
});

test("what needs the permission is told before what does not, however many parts a command has", async (t) => {
  const { at } = await setup(t, 80, 24);
  const segments = [
    ...Array.from({ length: 9 }, (_, n) => ({ argv: `echo ${n}` })),
    { argv: "npm publish", class: "publish", why: "publishes" },
  ];
  const shown = await at(1_000, ask({ segments, reasons: [{ class: "disguised", text: "hides what it does" }] }));
  assert.match(shown, /disguised: hides what it does[\s\S]*npm publish +publish: publishes[\s\S]*9 parts without risk/);
});

test("w goes nowhere but to the panel, whatever answer is marked", async (t) => {
  const { at, state } = await setup(t);
  await at(1_000, ask());
  await at(3_000, text("w"));
  assert.deepEqual([state().composer.editor.text, state().message?.text], ["", "this answer stores no rule"]);
});
