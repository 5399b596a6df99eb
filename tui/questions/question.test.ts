import assert from "node:assert/strict";
import test from "node:test";
import { paint } from "../app/paint.js";
import { initialState } from "../model/initial-state.js";
import { BINDINGS } from "../model/keys.js";
import type { Effect, Message } from "../model/messages.js";
import { NO_SESSION } from "../model/session.js";
import type { State } from "../model/state.js";
import { update } from "../model/update.js";
import { createCellScreen } from "../terminal/screen.js";
import { PALETTES } from "../theme/palette.js";
import { questionRows } from "./view.js";

const RULE = "{command: rm, flags: [-r, -f], paths: [./q]}";
const approval = (more: Readonly<Record<string, unknown>> = {}): Message => ({
  type: "chat",
  event: "approval.requested",
  data: {
    request: "q_1",
    kind: "command",
    tool: "terminal",
    call_id: "c",
    command: "rm -rf q",
    cwd: "/work",
    segments: [],
    reasons: [{ class: "rm-recursive", text: "removes recursively" }],
    options: ["once", "session", "project", "always", "deny"],
    rules: { session: [RULE], project: [RULE], always: [RULE] },
    expires_at: 300_000,
    origin: {},
    ...more,
  },
});
const clarify: Message = {
  type: "chat",
  event: "clarify.requested",
  data: { request: "q_2", question: "Which?", choices: ["tea", "coffee"] },
};
const key = (name: string, mods: { ctrl?: boolean; alt?: boolean } = {}): Message => ({
  type: "key",
  name,
  shift: false,
  alt: false,
  ctrl: false,
  ...mods,
});
const typed = (text: string): Message => ({ type: "text", text });

/** A screen at which messages arrive at given times. */
function screen() {
  let state: State = {
    ...initialState(100, 30, { owner: true, keymap: BINDINGS }),
    session: { ...NO_SESSION, id: "s" },
  };
  const effects: Effect[] = [];
  return {
    at: (ms: number, ...messages: Message[]) => {
      for (const message of messages) {
        const [next, more] = update({ ...state, now: ms }, message);
        state = next;
        effects.push(...more.filter((effect) => effect.do !== "call"));
      }
    },
    effects,
    rows: (height = 14) => questionRows(state, 90, height).map((row) => row.map(([, text]) => text).join("")),
    now: () => state,
  };
}

const answered = (answer: string | null, more: object = {}) => ({
  do: "answer",
  request: "q_1",
  kind: "approval",
  answer,
  ...more,
});

for (const [letter, answer] of [
  ["o", "once"],
  ["s", "session"],
  ["p", "project"],
  ["a", "always"],
  ["d", "deny"],
] as const) {
  test(`${letter} answers ${answer} when the composer is empty and nothing was typed for a moment`, () => {
    const { at, effects } = screen();
    at(0, approval());
    at(700, typed(letter));
    assert.deepEqual(effects, [answered(answer)]);
  });
}

test("W09: what is typed while a question appears stays in the composer and answers nothing", () => {
  const { at, effects, now } = screen();
  at(0, typed("d"));
  at(25, approval());
  [..."eny it"].forEach((letter, index) => {
    at(50 + index * 50, typed(letter));
  });
  assert.equal(now().composer.editor.text, "deny it");
  assert.deepEqual(effects, []);
});

test("a key pressed soon after the question came goes to the composer", () => {
  const { at, effects, now } = screen();
  at(0, approval());
  at(300, typed("o"));
  assert.deepEqual([effects, now().composer.editor.text], [[], "o"]);
});

test("a composer that holds text keeps the keys until Alt+A", () => {
  const { at, effects, now } = screen();
  at(0, typed("half a message"));
  at(100, approval());
  at(5_000, typed("s"));
  assert.equal(now().composer.editor.text, "half a messages");
  at(6_000, key("a", { alt: true }));
  at(6_500, typed("s"));
  assert.deepEqual(effects, [answered("session")]);
  assert.equal(now().composer.editor.text, "half a messages");
});

test("refusing is marked first, and Enter takes nothing in the first second", () => {
  const { at, effects } = screen();
  at(0, approval());
  at(100, key("a", { alt: true }), key("enter"));
  assert.deepEqual(effects, []);
  at(1_200, key("enter"));
  assert.deepEqual(effects, [answered("deny")]);
});

test("the rule that the marked answer would store is shown before it is stored", () => {
  const { at, effects, rows } = screen();
  at(0, approval());
  at(700, key("a", { alt: true }), key("left"), key("left"));
  assert.ok(
    rows().some((row) => row.includes(`    ${RULE}`)),
    rows().join("\n"),
  );
  at(1_200, key("enter"));
  assert.deepEqual(effects, [answered("project")]);
});

test("t adds a reason to the refusal", () => {
  const { at, effects } = screen();
  at(0, approval());
  at(700, typed("t"), typed("keep it"), key("enter"));
  assert.deepEqual(effects, [answered("deny", { text: "keep it" })]);
});

test("Ctrl+C says first what it will do, and refuses the second time", () => {
  const { at, effects, now } = screen();
  at(0, approval());
  at(700, key("c", { ctrl: true }));
  assert.deepEqual([effects, now().message?.text], [[], "Press Ctrl+C again to deny"]);
  at(900, key("c", { ctrl: true }));
  assert.deepEqual(effects, [answered("deny")]);
});

test("a paste is never an answer", () => {
  const { at, effects, now } = screen();
  at(0, approval());
  at(700, { type: "paste", text: "o" });
  assert.deepEqual([effects, now().composer.editor.text], [[], "o"]);
});

test("W11: nothing of the command is hidden, and a long one can be read to its end", () => {
  const { at, rows } = screen();
  const command = Array.from({ length: 40 }, (_, line) => `echo ${line}`).join("\n");
  at(0, approval({ command: `ls ⟪U+001B⟫[2K ⟪U+202E⟫\n${command}` }));
  assert.ok(
    rows(20).some((row) => row.includes("ls ⟪U+001B⟫[2K ⟪U+202E⟫\\n")),
    rows(20).join("\n"),
  );
  at(700, key("a", { alt: true }), ...Array.from({ length: 10 }, () => key("pagedown")));
  assert.ok(
    rows(20).some((row) => row.includes("echo 39")),
    rows(20).join("\n"),
  );
});

test("a question that was answered elsewhere closes, and says by whom", () => {
  const { at, now } = screen();
  at(0, approval());
  at(100, { type: "chat", event: "approval.resolved", data: { request: "q_1", answer: "once", by: "cli" } });
  assert.deepEqual(now().questions.open, []);
  assert.deepEqual(now().chat.items.at(-1), {
    kind: "notice",
    key: "n1",
    level: "info",
    text: "approval: rm -rf q → once (cli)",
  });
});

test("the open questions of a session that is opened are shown, each once", () => {
  const { at, now } = screen();
  const row = {
    request: "q_1",
    kind: "approval",
    data: { kind: "command", command: "rm -rf q", options: ["once", "deny"] },
  };
  at(0, { type: "questions", rows: [row], yolo: false }, approval());
  assert.equal(now().questions.open.length, 1);
  assert.deepEqual(
    now().questions.open[0]?.choices.map((choice) => choice.answer),
    ["once", "deny"],
  );
});

test("a clarification is answered by a digit, or by what is typed and sent", () => {
  const one = screen();
  one.at(0, clarify);
  one.at(700, typed("2"));
  assert.deepEqual(one.effects, [{ do: "answer", request: "q_2", kind: "clarify", answer: "coffee" }]);
  const other = screen();
  other.at(0, clarify);
  other.at(700, typed("water"));
  other.at(1_100, key("enter"));
  assert.deepEqual(other.effects, [{ do: "answer", request: "q_2", kind: "clarify", answer: "water" }]);
  assert.equal(other.now().composer.editor.text, "");
});

test("a password is shown as dots and goes nowhere but into the answer", () => {
  const { at, effects, rows, now } = screen();
  at(0, { type: "chat", event: "password.requested", data: { request: "q_3", prompt: "Password of sudo" } });
  at(700, ...[..."s3cret"].map(typed));
  assert.ok(rows().some((row) => row.includes("••••••")) && !rows().join("").includes("s3cret"));
  at(720, key("enter"));
  assert.deepEqual(effects, [{ do: "answer", request: "q_3", kind: "password", answer: "s3cret" }]);
  assert.ok(!JSON.stringify(now()).includes("s3cret"));
});

for (const [columns, rows] of [
  [160, 40],
  [80, 24],
  [40, 12],
] as const) {
  test(`a question fits ${columns} x ${rows}, with its answers in sight`, async () => {
    const cells = await createCellScreen(columns, rows, {
      depth: "none",
      palette: PALETTES.dark,
      ascii: false,
      links: false,
    });
    const [state] = update(
      { ...initialState(columns, rows, { owner: true, keymap: BINDINGS }), session: { ...NO_SESSION, id: "s" } },
      approval(),
    );
    const { body } = paint(cells, state, (error) => {
      throw error;
    });
    for (const seen of ["rm -rf q", "[o]nce", "[d]eny"].slice(0, columns > 40 ? 3 : 2))
      assert.ok(body.includes(seen), seen);
    cells.close();
  });
}

test("a refusal that was announced by Ctrl+C is forgotten after two seconds", () => {
  const { at, effects } = screen();
  at(0, approval());
  at(700, key("c", { ctrl: true }));
  at(2_900, key("c", { ctrl: true }));
  assert.deepEqual(effects, []);
});

test("an empty line is no password", () => {
  const { at, effects } = screen();
  at(0, { type: "chat", event: "password.requested", data: { request: "q_3", prompt: "Password of sudo" } });
  at(1_700, key("enter"));
  assert.deepEqual(effects, []);
  at(2_400, key("escape"));
  assert.deepEqual(effects, [{ do: "answer", request: "q_3", kind: "password", answer: null }]);
});
