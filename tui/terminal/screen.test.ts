import assert from "node:assert/strict";
import test from "node:test";
import { openScreen as open } from "../../fixtures/tui/screen.js";
import { NO_QUEUE } from "../composer/state.js";
import { initialState } from "../model/initial-state.js";
import { BINDINGS } from "../model/keys.js";
import type { Message } from "../model/messages.js";
import type { State } from "../model/state.js";
import { update } from "../model/update.js";

const key = (name: string, mods: { ctrl?: boolean; alt?: boolean } = {}): Message => ({
  type: "key",
  name,
  shift: false,
  alt: mods.alt ?? false,
  ctrl: mods.ctrl ?? false,
});
const withText = (state: State, text: string): State => ({
  ...state,
  composer: { ...state.composer, editor: { ...state.composer.editor, text, cursor: text.length } },
});
const typedSoFar = (state: State): string[] => state.queue.local.map(({ text }) => text);
const submitted = (effects: readonly object[]): unknown[] =>
  effects.flatMap((one) => ("do" in one && one.do === "submit" && "text" in one ? [one.text] : []));
const session: Message = { type: "session", id: "s", title: "fix the parser", model: "m1", items: [] };

test("four panes at 160 x 40, tabs at 159 x 40", async () => {
  const screen = await open(160, 40);
  const wide = await screen.send(session);
  assert.match(wide[0] ?? "", /1 chat.*2 board/);
  assert.ok(wide.some((line) => line.includes("3 runs")) && wide.some((line) => line.includes("4 logs")));
  const tabs = await screen.resize(159, 40);
  assert.match(tabs[0] ?? "", / 1 chat\s+2 board\s+3 runs\s+4 logs/);
  screen.close();
});

test("too small a terminal shows one line and keeps what was typed", async () => {
  const screen = await open(80, 24);
  await screen.send(session, { type: "text", text: "hello" });
  const small = await screen.resize(30, 8);
  assert.match(small[0] ?? "", /^needs 40x12, has 30x8\s*$/);
  const back = await screen.resize(80, 24);
  assert.ok(back.some((line) => line.startsWith("› hello")));
  screen.close();
});

test("typed text stands in the composer with the cursor behind it", async () => {
  const screen = await open(80, 24);
  const lines = await screen.send(session, { type: "text", text: "漢字 ok" });
  const row = lines.findIndex((line) => line.startsWith("› 漢字 ok"));
  assert.ok(row > 0);
  assert.deepEqual(screen.cursor(), { x: 9, y: row });
  screen.close();
});

test("an answer streams, its tools and its end are shown", async () => {
  const screen = await open(100, 30);
  const lines = await screen.send(
    session,
    { type: "chat", event: "turn.started", data: {} },
    { type: "chat", event: "message.added", data: { id: 1, role: "user", content: "list files" } },
    { type: "chat", event: "tool.started", data: { call_id: "c1", name: "search_files", preview: "*.ts" } },
    { type: "chat", event: "tool.ended", data: { call_id: "c1", status: "ok", duration_ms: 400 } },
    { type: "chat", event: "text.delta", data: { text: "There are" } },
    { type: "chat", event: "text.delta", data: { text: " three." } },
  );
  const all = lines.join("\n");
  assert.match(all, / you *\n list files/);
  assert.match(all, / agent\n ✓ search_files \*\.ts.* 0\.4 s\n\n There are three\./);
  assert.match(all, /Enter: queue/);
  screen.close();
});

test("escapes in foreign text are shown, never obeyed", async () => {
  const screen = await open(80, 24);
  const content = "a\x1b[2Jb\x1b]0;title\x07c\u202ed";
  const lines = await screen.send(session, {
    type: "chat",
    event: "message.added",
    data: { id: 1, role: "user", content },
  });
  assert.ok(lines.some((line) => line.trim() === "a␛b␛c⟪U+202E⟫d"));
  screen.close();
});

test("W07 Ctrl+C clears the composer, then asks, then quits", () => {
  let state: State = initialState(80, 24, { owner: false, keymap: BINDINGS });
  const press = () => {
    const [next, effects] = update(state, key("c", { ctrl: true }));
    state = next;
    return effects;
  };
  [state] = update(state, { type: "text", text: "draft" });
  assert.deepEqual(press(), []);
  assert.equal(state.composer.editor.text, "");
  assert.deepEqual(press(), []);
  assert.match(state.message?.text ?? "", /again to quit/);
  assert.deepEqual(press(), [{ do: "leave", how: "stop" }]);
});

test("a message sent before the session was there is sent to it", () => {
  let [state] = update(initialState(80, 24, { owner: true, keymap: BINDINGS }), { type: "text", text: "early" });
  let effects: readonly object[];
  [state, effects] = update(state, key("enter"));
  assert.deepEqual(submitted(effects), []);
  [state, effects] = update(state, session);
  assert.deepEqual(submitted(effects), ["early"]);
  assert.deepEqual(typedSoFar(state), ["early"]);
});

test("messages typed while a turn runs go to the owner one after the other, and stand above the composer as it tells", async () => {
  const screen = await open(100, 30);
  let [state] = update(initialState(100, 30, { owner: true, keymap: BINDINGS }), session);
  [state] = update(state, { type: "chat", event: "turn.started", data: {} });
  let effects: readonly object[] = [];
  for (const text of ["one", "two"]) {
    [state] = update(state, { type: "text", text });
    [state, effects] = update(state, key("enter"));
  }
  assert.deepEqual(
    [typedSoFar(state), submitted(effects)],
    [["one", "two"], []],
    "the second waits until the owner has the first",
  );
  [state, effects] = update(state, { type: "sent", id: 1, outcome: "taken" });
  assert.deepEqual([typedSoFar(state), submitted(effects)], [["two"], ["two"]]);
  const items = [{ id: "q_1", text: "one", kind: "message" }];
  const told = { type: "chat", event: "queue.changed", data: { items, paused: true } } as const;
  const ended = { type: "chat", event: "turn.ended", data: { interrupted: true } } as const;
  assert.match((await screen.send(session, told, ended)).join("\n"), / 1 one\n.*queue paused: Enter sends the next/);
  screen.close();
  [state] = update({ ...state, queue: NO_QUEUE }, told);
  [state] = update(state, ended);
  assert.deepEqual(update(state, key("enter"))[1], [{ do: "sendNext" }]);
});

test("who comes in the middle of an answer sees the text so far, and what follows once", () => {
  const queue = { items: [], paused: false };
  let [state] = update(initialState(80, 24, { owner: false, keymap: BINDINGS }), session);
  [state] = update(state, { type: "chat", event: "text.delta", data: { text: "three ", offset: 8 } });
  [state] = update(state, {
    type: "view",
    view: { turn_id: "s:1", phase: "writing", streamed: "one two three ", queue },
  });
  [state] = update(state, { type: "chat", event: "text.delta", data: { text: "three ", offset: 8 } });
  [state] = update(state, { type: "chat", event: "text.delta", data: { text: "four", offset: 14 } });
  assert.deepEqual(
    [state.chat.live?.source, state.session.phase, state.session.turnSince !== undefined],
    ["one two three four", "writing", true],
  );
});

test("a line that begins with a slash is a command, also while a turn runs, and never a message", async () => {
  const enter = (state: State, text: string) => update(withText(state, text), key("enter"));
  let [state] = update(initialState(80, 24, { owner: true, keymap: BINDINGS }), session);
  [state] = update(state, { type: "chat", event: "turn.started", data: {} });
  const [asked, effects] = enter(state, "/kanban list");
  assert.deepEqual(
    [effects, asked.queue.local, asked.composer.editor.text],
    [
      [
        { do: "command", text: "/kanban list", id: 1 },
        { do: "remember", text: "/kanban list" },
      ],
      [],
      "",
    ],
  );
  assert.notEqual(asked.session.turnSince, undefined);
  const path = enter(state, "/etc/passwd is what");
  assert.deepEqual([typedSoFar(path[0]), submitted(path[1])], [["/etc/passwd is what"], ["/etc/passwd is what"]]);
  assert.deepEqual(enter({ ...state, connection: "lost" }, "/kanban list")[0].composer.editor.text, "/kanban list");
});

test("the answer of a command stands under it, its escapes shown", async () => {
  const { send, close } = await open(80, 24);
  const lines = await send(
    session,
    { type: "text", text: "/kanban list" },
    key("enter"),
    { type: "chat", event: "message.added", data: { id: 3, role: "user", content: "hello there" } },
    { type: "command", id: 1, text: "(no matching tasks)\u001b[31m", failed: false },
  );
  const at = (text: string) => lines.findIndex((line) => line.includes(text));
  assert.ok(
    at("/kanban list") >= 0 &&
      at("(no matching tasks)") === at("/kanban list") + 1 &&
      at("hello there") > at("(no matching tasks)"),
  );
  assert.ok(!lines.join("").includes("\u001b"));
  close();
});

test("a command that was typed before the conversation was read is still there with its answer", async () => {
  const { send, close } = await open(80, 24);
  const history: Message = {
    ...session,
    items: [{ kind: "user", key: "m1", text: "earlier words", id: 1, at: undefined, place: undefined }],
  };
  const typed = [{ type: "text", text: "/kanban list" }, key("enter")] as const;
  const lines = await send(...typed, session, history, {
    type: "command",
    id: 1,
    text: "(no matching tasks)",
    failed: false,
  });
  for (const text of ["earlier words", "/kanban list", "(no matching tasks)"])
    assert.ok(
      lines.some((line) => line.includes(text)),
      text,
    );
  close();
});

test("a title that comes later stands in the head, and what does not speak of it leaves it there", () => {
  const [titled] = update(initialState(100, 30, { owner: true, keymap: BINDINGS }), {
    type: "chat",
    event: "session.info",
    data: { title: "Zebras of the plain" },
  });
  const [yolo] = update(titled, { type: "chat", event: "session.info", data: { yolo: true } });
  assert.deepEqual([yolo.session.title, yolo.session.yolo], ["Zebras of the plain", true]);
});

test("what a command wants next is done: a text in the empty composer, or the end", () => {
  const state = initialState(100, 30, { owner: false, keymap: BINDINGS });
  const [asked] = update(state, { type: "next", next: { compose: "once more" } });
  assert.equal(asked.composer.editor.text, "once more");
  const [kept] = update(asked, { type: "next", next: { compose: "another" } });
  assert.equal(kept.composer.editor.text, "once more");
  const [gone, effects] = update(
    { ...state, session: { ...state.session, id: "s" } },
    { type: "next", next: { quit: true, gone: true } },
  );
  assert.deepEqual([gone.session.id, effects], [undefined, [{ do: "leave", how: "stop" }]]);
});
