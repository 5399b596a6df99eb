import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { key, openScreen } from "../../../fixtures/tui/screen.js";
import type { PaletteItems } from "../../../lib/contracts/ui/palette.js";
import type { Message } from "../../model/messages.js";

const ITEMS: PaletteItems = {
  sessions: [
    { id: "s_1", title: "fix the parser", cwd: "/work" },
    { id: "s_2", title: "漢字 notes", cwd: "/work" },
  ],
  tasks: [
    { board: "default", id: "t_9f2c", title: "Rough idea", status: "triage", assignee: "" },
    { board: "other", id: "t_77aa", title: "Docs for the lexer", status: "ready", assignee: "writer" },
  ],
  files: ["src/lex.ts"],
  settings: [{ key: "display.compact", value: "false", help: "No blank rows." }],
  recent: [],
};
const COMMANDS = [
  {
    path: "compress",
    summary: "Make the conversation shorter.",
    aliases: [],
    positionals: ["text"],
    flags: [{ name: "text" }],
  },
  {
    path: "title",
    summary: "Name the conversation.",
    aliases: [],
    positionals: ["title"],
    flags: [{ name: "title", required: true }],
  },
];

const typed = (text: string): Message => ({ type: "text", text });
const answer = (to: string, result: unknown): Message => ({ type: "called", to, ok: true, result });

async function setup(
  t: TestContext,
  [columns, rows]: readonly [number, number] = [120, 40],
  items: PaletteItems = ITEMS,
) {
  const made = await openScreen(columns, rows);
  t.after(made.close);
  await made.send({ type: "session", id: "s_0", title: "", model: "m", items: [] });
  const models = [{ provider: "acme", model: "big-one" }];
  await made.send(
    key("p", { ctrl: true }),
    answer("palette.items", items),
    answer("palette.commands", COMMANDS),
    answer("palette.models", models),
  );
  const screen = async (...messages: Message[]) => (await made.send(...messages)).join("\n");
  const calls = () =>
    made.effects.filter((one) => one.do === "call" && one.reads !== true && one.to !== "palette.used");
  return { ...made, screen, calls };
}

const FOUND: readonly (readonly [input: string, first: RegExp])[] = [
  ["fxp", /›session +fix the parser/],
  [">comp", /›command +\/compress/],
  ["#t_77", /›task +Docs for the lexer +t_77aa · ready · @writer · other/],
  ["#rough", /›task +Rough idea/],
  ["~漢", /›session +漢字 notes/],
  ["%big", /›model +big-one +acme/],
  ["@lex", /›file +src\/lex\.ts/],
  ["zoom", /›action +zoom +F8/],
  ["board", /›pane +board +F3/],
  ["compact", /›setting +display\.compact +false/],
];
for (const [input, first] of FOUND)
  test(`W20 the palette finds ${input}`, async (t) => {
    const { screen } = await setup(t);
    assert.match(await screen(typed(input)), first);
  });

test("W20 a prefix narrows to one kind", async (t) => {
  const { screen } = await setup(t);
  assert.doesNotMatch(await screen(typed("#fix")), /fix the parser/);
});

test("Enter opens a session, and it is remembered as used", async (t) => {
  const { screen, effects, state } = await setup(t);
  await screen(typed("fxp"), key("enter"));
  assert.equal(state().overlay, undefined);
  assert.deepEqual(effects.slice(-2), [
    { do: "open", session: "s_1" },
    { do: "call", method: "palette.used", params: { key: "session:s_1" }, to: "palette.used" },
  ]);
});

test("without input the last ten that were used are listed", async (t) => {
  const { screen } = await setup(t, [120, 40], { ...ITEMS, recent: ["task:other/t_77aa", "session:s_1"] });
  const shown = await screen();
  assert.match(shown, /›task +Docs for the lexer[\s\S]*session +fix the parser/);
});

test("Tab shows what else can be done; a value is asked for in the same line", async (t) => {
  const { screen, calls } = await setup(t);
  const shown = await screen(typed("fxp"), key("tab"));
  for (const label of ["open", "fork", "rename…", "archive"]) assert.ok(shown.includes(label), shown);
  assert.match(await screen(key("down"), key("down"), key("enter")), /new title: fix the parser/);
  await screen(key("u", { ctrl: true }), typed("mend it"), key("enter"));
  assert.deepEqual(calls().at(-1), {
    do: "call",
    method: "session.rename",
    to: "palette.done",
    params: { session_id: "s_1", title: "mend it" },
  });
});

test("a command that needs a value asks for it, another one runs at once", async (t) => {
  const { screen, effects } = await setup(t);
  assert.match(await screen(typed("/title"), key("enter")), /\/title title:/);
  await screen(key("enter")); // nothing typed: it still asks
  await screen(typed("Words"), key("enter"));
  assert.ok(effects.some((one) => one.do === "command" && one.text === "/title Words"));
  await screen(key("p", { ctrl: true }), answer("palette.commands", COMMANDS), typed(">compress"), key("enter"));
  assert.ok(effects.some((one) => one.do === "command" && one.text === "/compress"));
});

test("Escape goes back from a value to the results, and then closes with nothing done", async (t) => {
  const { screen, state, calls } = await setup(t);
  await screen(typed("compact"), key("enter"), key("escape"));
  assert.equal(state().overlay?.kind, "palette");
  await screen(key("escape"));
  assert.deepEqual([state().overlay, calls()], [undefined, []]);
});

test("Alt+Enter opens with the whole screen", async (t) => {
  const { screen, state } = await setup(t);
  await screen(typed("pane.board"), key("enter", { alt: true }));
  assert.deepEqual([state().focus, state().zoom], ["board", true]);
});

test("text of titles never acts as terminal control", async (t) => {
  const hostile = { ...ITEMS, sessions: [{ id: "s_1", title: "evil\u001b[2J\u202etitle", cwd: "/" }] };
  const { screen } = await setup(t, [120, 40], hostile);
  assert.match(await screen(typed("~evil")), /evil␛⟪U\+202E⟫title/);
});

for (const size of [
  [40, 12],
  [80, 24],
  [200, 60],
] as const)
  test(`the palette stands whole on a screen of ${size.join("x")}`, async (t) => {
    const { screen, cursor } = await setup(t, size);
    const shown = await screen(typed("fxp"));
    assert.match(shown, /╔ Palette/);
    assert.match(shown, /╝/);
    assert.match(shown.split("\n")[cursor().y] ?? "", /› fxp/);
  });

test("a task is opened on its board, assigned and commented from the palette", async (t) => {
  const { screen, calls, state } = await setup(t);
  await screen(typed("#t_77"), key("tab"), key("down"), key("down"), key("enter"));
  await screen(typed("dev"), key("enter"));
  assert.deepEqual(calls().at(-1)?.do === "call" && calls().at(-1), {
    do: "call",
    method: "kanban.assign",
    to: "palette.done",
    params: { id: "t_77aa", profile: "dev", board: "other" },
  });
  await screen(key("p", { ctrl: true }), answer("palette.items", ITEMS), typed("#t_77"), key("enter"));
  assert.deepEqual([state().focus, state().board.slug, state().board.drawer?.id], ["board", "other", "t_77aa"]);
});
