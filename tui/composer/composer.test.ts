import assert from "node:assert/strict";
import { test } from "node:test";
import { alt, ctrl, ENTER, opened, paste, session, text } from "../../fixtures/tui/composer-screen.js";
import { key } from "../../fixtures/tui/screen.js";
import type { Message } from "../model/messages.js";
import type { State } from "../model/state.js";

const SIZES = [
  [80, 24],
  [40, 12],
  [160, 40],
] as const;
const SIGNS = "漢字 😀 👨‍👩‍👧‍👦 🇯🇵 e\u0301 ❤️ ";

for (const [columns, rows] of SIZES)
  test(`W22: at ${columns} x ${rows} nothing that is typed moves a border, and backspace takes whole signs`, async (t) => {
    const { send, lines, cursor, state, close, term } = await opened(columns, rows);
    t.after(close);
    for (let n = 0; n < 15; n++) {
      await send(text(n % 7 === 0 ? "x" : SIGNS));
      const { x, y } = cursor();
      assert.ok(x < columns && y < rows, "the cursor is on the screen");
      if (columns === 160) for (const line of lines().slice(0, -2)) assert.match(line.slice(-1), /[╗╝║┐┘│┃]/, line);
    }
    assert.equal(term.rows, rows);
    const signs = [...new Intl.Segmenter("en", { granularity: "grapheme" }).segment(state().composer.editor.text)]
      .length;
    await send(...Array.from({ length: signs }, () => key("backspace")));
    assert.equal(state().composer.editor.text, "");
  });

test("the composer grows with its text to ten rows and a third of the screen, then it scrolls with the cursor", async (t) => {
  const { send, lines, cursor, close, resize } = await opened(80, 40);
  t.after(close);
  const shown = () => lines().filter((line) => /^[› ] line \d+/.test(line));
  for (let n = 1; n <= 14; n++) await send(text(`line ${n}`), ...(n < 14 ? [ctrl("j")] : []));
  assert.equal(shown().length, 10);
  assert.match(shown().at(-1) ?? "", /line 14/);
  for (let n = 0; n < 5; n++) await send(key("up"));
  assert.match(shown().at(-1) ?? "", /line 14/, "what is seen stays while the cursor is in it");
  assert.match(lines()[cursor().y] ?? "", /line 9/);
  for (let n = 0; n < 8; n++) await send(key("up"));
  assert.match(shown()[0] ?? "", /^› line 1 *$/);
  await resize(80, 24);
  assert.equal(shown().length, 8);
  await resize(80, 12);
  assert.equal(shown().length, 1);
});

const AT_THE_EDGE: readonly (readonly [
  what: string,
  typed: string,
  cursor: readonly [x: number, fromBottom: number],
])[] = [
  ["an empty line", "", [2, 0]],
  ["a full row", "x".repeat(37), [39, 0]],
  ["one sign more", "x".repeat(38), [3, 0]],
  ["a blank behind a full row", `${"x".repeat(37)} `, [2, 0]],
  ["a word that does not fit", `${"x".repeat(34)} word`, [6, 0]],
  ["blanks at the end", "ab    ", [8, 0]],
  ["a wide sign that does not fit", `${"x".repeat(36)}漢`, [4, 0]],
  ["a new line", "ab\n", [2, 0]],
];

for (const [what, typed, [x]] of AT_THE_EDGE)
  test(`the cursor stands right behind ${what}`, async (t) => {
    const { send, cursor, lines, close } = await opened(40, 24);
    t.after(close);
    await send(paste(typed));
    const { x: seen, y } = cursor();
    assert.equal(seen, x, lines().join("\n"));
    assert.equal(lines().findLastIndex((line) => line.startsWith("› ")) <= y, true);
  });

test("a backslash before Enter is a new line, and nothing is sent", async (t) => {
  const { send, typed, done, close } = await opened();
  t.after(close);
  await send(text("one\\"), ENTER, text("two"));
  assert.deepEqual([typed(), done("submit")], ["one\ntwo", []]);
});

test("going up through what was sent brings the draft back at its end", async (t) => {
  const { send, typed, close } = await opened();
  t.after(close);
  for (const words of ["first", "second", "first"]) await send(text(words), ENTER);
  await send(text("my draft"), key("up"));
  assert.equal(typed(), "first");
  await send(key("up"));
  assert.equal(typed(), "second");
  await send(key("up"));
  assert.equal(typed(), "second", "each text stands there once");
  await send(key("down"), key("down"));
  assert.equal(typed(), "my draft");
});

test("what the home has kept is there, behind what was sent here", async (t) => {
  const { send, typed, close } = await opened();
  t.after(close);
  await send(
    text("now"),
    ENTER,
    { type: "composed", history: ["before", "now"], program: ["vi"] },
    key("up"),
    key("up"),
  );
  assert.equal(typed(), "before");
});

test("Ctrl+R finds in what was sent, and undo brings back what stood there", async (t) => {
  const { send, typed, close } = await opened();
  t.after(close);
  await send(text("run the tests"), ENTER, text("mend the parser"), ENTER, text("draft"), ctrl("r"));
  await send(text("tests"), ENTER);
  assert.equal(typed(), "run the tests");
  await send(ctrl("_"));
  assert.equal(typed(), "draft");
  await send(alt("_"));
  assert.equal(typed(), "run the tests");
});

test("W23: a paste of 47 lines is a chip that one backspace takes, that Enter on it expands, and that is sent in full", async (t) => {
  const { send, typed, lines, done, rule, close } = await opened();
  t.after(close);
  const long = Array.from({ length: 47 }, (_, n) => `row ${n}`).join("\r\n");
  await send(text("look: "), paste(long));
  assert.match(lines().join("\n"), /› look: \[Pasted text 1: 47 lines\]/);
  await send(key("backspace"));
  assert.equal(typed(), "look: ");
  await send(ctrl("_"), key("left"));
  assert.match(rule(), /Enter: expand the paste/);
  await send(ENTER);
  assert.equal(typed(), `look: ${long.replaceAll("\r\n", "\n")}`);
  await send(ctrl("_"), key("end"), ENTER);
  assert.deepEqual(
    done("submit").map((one) => (one.do === "submit" ? one.text : "")),
    [`look: ${long.replaceAll("\r\n", "\n")}`],
  );
});

test("the line feed at the end of a paste begins no line", async (t) => {
  const { send, lines, close } = await opened();
  t.after(close);
  await send(paste("one row\n".repeat(47)));
  assert.match(lines().join("\n"), /\[Pasted text 1: 47 lines\]/);
});

test("W23: a paste of 2 MB is offered as a file, and named in the message when it is one", async (t) => {
  const { send, typed, lines, done, effects, close } = await opened();
  t.after(close);
  await send(paste("0123456789abcde\n".repeat(131_072)));
  assert.match(lines().join("\n"), /Large paste \(2\.0 MB\)/);
  assert.equal(typed(), "");
  await send(text("f"));
  assert.equal(done("keepPaste").length, 1);
  await send({
    type: "file",
    asked: undefined,
    path: "/h/cache/pastes/paste-1.txt",
    name: "paste-1.txt",
    bytes: 2 << 20,
  });
  assert.match(lines().join("\n"), /\[File paste-1\.txt: 2\.0 MB\]/);
  await send(text(" what is it?"), ENTER);
  assert.ok(effects.some((one) => one.do === "submit" && one.text === "@file:/h/cache/pastes/paste-1.txt what is it?"));
});

test("W23: of escape sequences in a paste nothing arrives, and nothing is sent", async (t) => {
  const { send, typed, done, close } = await opened();
  t.after(close);
  await send(paste("a\x1b[31mred\x1b[0m\x1b]0;title\x07\x00\x9b2Jb\tc\x7f\n/quit\n"));
  assert.equal(typed(), "aredb\tc\n/quit\n");
  assert.deepEqual([...done("submit"), ...done("command"), ...done("leave")], []);
});

test("a file that was dropped on the terminal is a chip; a path that is none stays text", async (t) => {
  const { send, typed, lines, done, close } = await opened();
  t.after(close);
  await send(text("see "), paste("/tmp/shot.png"));
  assert.deepEqual(done("look"), [{ do: "look", path: "/tmp/shot.png", session: "s" }]);
  assert.equal(typed(), "see /tmp/shot.png");
  await send({ type: "file", asked: "/tmp/shot.png", path: "/tmp/shot.png", name: "shot.png", bytes: 5_000 });
  assert.match(lines().join("\n"), /› see \[File shot\.png: 5000 bytes\]/);
});

const ROWS = [
  { text: "status", label: "/status", detail: "what it is doing", kind: "command" },
  { text: "statusbar", label: "/statusbar", detail: "", kind: "command" },
];
const offer = (state: State, rows: typeof ROWS, from = 1): Message => ({
  type: "offered",
  asked: state.composer.completion.asked,
  from,
  rows,
});

test("what is offered is taken by Tab or Enter, and what was typed in full is sent", async (t) => {
  const { send, typed, lines, state, done, close } = await opened();
  t.after(close);
  await send(text("/sta"));
  const shown = await send(offer(state(), ROWS));
  assert.match(shown.join("\n"), /› \/status +what it is doing *\n +\/statusbar *\n─ Enter: take \/status/);
  await send(key("tab"));
  assert.equal(typed(), "/status ");
  await send(ctrl("u"), text("/sta"));
  await send(offer(state(), ROWS), key("down"), ENTER);
  assert.equal(typed(), "/statusbar ");
  await send(ctrl("u"), text("/status"));
  await send(offer(state(), ROWS));
  assert.match(lines().join("\n"), /Enter: run \/status/);
  await send(ENTER);
  assert.equal(done("command").length, 1);
});

test("Esc closes the list until the word changes; late answers and other words show nothing", async (t) => {
  const { send, typed, lines, state, close } = await opened();
  t.after(close);
  await send(text("/sta"));
  const late = offer(state(), ROWS);
  await send(text("t"), late);
  assert.doesNotMatch(lines().join("\n"), /statusbar/);
  const last = offer(state(), ROWS);
  await send(last, key("escape"));
  assert.doesNotMatch(lines().join("\n"), /statusbar/);
  await send(key("left"), key("right"), last);
  assert.doesNotMatch(lines().join("\n"), /statusbar/, "nothing was typed");
  await send(text("u"));
  await send(offer(state(), ROWS));
  assert.match(lines().join("\n"), /statusbar/);
  assert.equal(typed(), "/statu");
});

test("Tab before it is known what is offered takes what comes, however late, and never goes to another pane", async (t) => {
  const { send, typed, state, done, close } = await opened();
  t.after(close);
  await send(text("/sta"));
  const soon = offer(state(), ROWS);
  await send(key("tab"), key("tab"), soon);
  assert.deepEqual(
    [state().focus, typed()],
    ["composer", "/sta"],
    "the answer to the impatient question is no longer awaited",
  );
  assert.equal(
    done("complete").filter((one) => one.do === "complete" && one.patient === true).length,
    1,
    "the second Tab asks no more",
  );
  await send(offer(state(), ROWS));
  assert.deepEqual([state().focus, typed()], ["composer", "/status "]);
});

test("Tab that waits for what is offered is forgotten when something else is typed, and does nothing where nothing is offered", async (t) => {
  const { send, typed, state, close } = await opened();
  t.after(close);
  await send(text("/sta"), key("tab"));
  const late = offer(state(), ROWS);
  await send(text("t"), late, offer(state(), ROWS));
  assert.equal(typed(), "/stat", "letters typed behind it decide anew");
  await send(ctrl("u"), text("/nothing"), key("tab"));
  await send(offer(state(), []));
  assert.deepEqual([state().focus, typed()], ["composer", "/nothing"]);
  await send(key("tab"));
  assert.equal(state().focus, "chat", "now it is known");
});

test("Tab goes to the next pane where nothing is offered", async (t) => {
  const { send, state, close } = await opened();
  t.after(close);
  await send(text("hello"), key("tab"));
  assert.equal(state().focus, "chat");
});

test("W03: text and cursor stay through panes, zoom and sizes", async (t) => {
  const { send, lines, cursor, resize, close } = await opened(120, 40);
  t.after(close);
  await send(text("hello"), key("f3"), key("f8"), key("escape"), key("f2"), key("escape"));
  await resize(60, 15);
  await resize(120, 40);
  assert.ok(lines().some((line) => line.startsWith("› hello")));
  assert.equal(cursor().x, 7);
});

test("unsent text stays with its conversation, and comes back with it", async (t) => {
  const { send, typed, done, close } = await opened();
  t.after(close);
  await send(text("half a thought"), { ...session, id: "b" });
  assert.equal(typed(), "");
  assert.ok(done("keepDraft").some((one) => one.do === "keepDraft" && one.text === "half a thought"));
  await send(text("for b"), session);
  assert.equal(typed(), "half a thought");
  await send({ ...session, id: "b" });
  assert.equal(typed(), "for b");
});

test("unsent text is kept by the owner once nothing more comes, and forgotten when it is sent", async (t) => {
  const { send, done, at, close } = await opened();
  t.after(close);
  at(1_000);
  await send(text("half a thought"), { type: "tick", now: 1_100, wall: 0 });
  assert.deepEqual(done("keepDraft"), []);
  await send({ type: "tick", now: 2_000, wall: 0 }, { type: "tick", now: 3_000, wall: 0 }, ENTER);
  assert.deepEqual(done("keepDraft"), [
    { do: "keepDraft", session: undefined, text: "half a thought" },
    { do: "keepDraft", session: undefined, text: "", before: "half a thought" },
  ]);
});

test("a workspace whose connection comes back claims its unsent text, so that one which opens then does not show it too", async (t) => {
  const { send, done, typed, at, close } = await opened();
  t.after(close);
  at(1_000);
  await send(text("half a thought"), { type: "tick", now: 2_000, wall: 0 });
  const before = done("keepDraft").length;
  await send({ type: "connection", state: "lost" }, { type: "connection", state: "connected" });
  assert.deepEqual(done("keepDraft").slice(before), [
    { do: "keepDraft", session: undefined, text: "half a thought", before: "half a thought" },
  ]);
  assert.equal(typed(), "half a thought");
  await send(ENTER, { type: "connection", state: "lost" }, { type: "connection", state: "connected" });
  assert.deepEqual(done("keepDraft").at(-1), {
    do: "keepDraft",
    session: undefined,
    text: "",
    before: "half a thought",
  });
});

test("a text with a paste is claimed whole while the input history is browsed", async (t) => {
  const { send, done, at, close } = await opened();
  t.after(close);
  at(1_000);
  const long = "one row\n".repeat(47);
  await send({ type: "composed", history: ["an earlier message"], program: [] });
  await send(text("look: "), paste(long), { type: "tick", now: 2_000, wall: 0 });
  const kept = done("keepDraft").at(-1);
  assert.ok(kept?.do === "keepDraft" && kept.text.includes("one row\none row"), "its paste is written out");
  for (let n = 0; n < 2; n++) await send(key("up"));
  await send({ type: "connection", state: "lost" }, { type: "connection", state: "connected" });
  assert.deepEqual(done("keepDraft").at(-1), { ...kept, before: kept.text.slice(0, 200) });
});

test("a text written in the user's own editor comes back when it ended well, and only then", async (t) => {
  const { send, typed, done, close } = await opened();
  t.after(close);
  await send({ type: "composed", history: [], program: ["code", "-w"] }, text("draft"), ctrl("g"));
  assert.deepEqual(done("hand"), [
    { do: "hand", argv: ["code", "-w"], file: { text: "draft", ending: ".md" }, to: "composer.editor" },
  ]);
  await send({ type: "handed", to: "composer.editor", status: 1, text: "no" });
  assert.equal(typed(), "draft");
  await send({ type: "handed", to: "composer.editor", status: 0, text: "written there\n" });
  assert.equal(typed(), "written there");
});
