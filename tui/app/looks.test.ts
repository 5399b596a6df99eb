import assert from "node:assert/strict";
import test from "node:test";
import { key, openScreen } from "../../fixtures/tui/screen.js";
import type { Message } from "../model/messages.js";
import type { Depth } from "../theme/colour.js";
import { DISPLAY } from "./display.js";

const session: Message = { type: "session", id: "s", title: "t", model: "m", items: [] };
const said = (id: number, role: "user" | "assistant", content: string): Message => ({
  type: "chat",
  event: "message.added",
  data: { id, role, content, session_id: "s", ordinal: id },
});
const words = (count: number) => "word ".repeat(count).trim();
const paragraphs = (count: number) => Array.from({ length: count }, (_, at) => `line ${at}\n\n`).join("");

async function open(columns: number, rows: number, depth: Depth = "truecolor", ascii = false) {
  const screen = await openScreen(columns, rows, depth, ascii);
  await screen.send(session);
  const cell = (x: number, y: number) => {
    const found = screen.term.buffer.active.getLine(y)?.getCell(x);
    assert.ok(found, `${x}, ${y}`);
    return found;
  };
  const row = (part: string) => {
    const y = screen.lines().findIndex((line) => line.includes(part));
    assert.ok(y >= 0, `${part} in\n${screen.lines().join("\n")}`);
    return y;
  };
  return { ...screen, cell, row };
}

for (const [columns, rows, left, most] of [
  [120, 40, 1, 100],
  [80, 24, 1, 78],
  [40, 12, 1, 38],
  [160, 40, 2, 76],
] as const)
  test(`text at ${columns} x ${rows} has a margin of one column and lines of at most ${most}`, async (t) => {
    const screen = await open(columns, rows);
    t.after(() => screen.close());
    await screen.send(said(1, "assistant", words(90)));
    const full = screen.lines().filter((line) => line.includes("word word"));
    assert.ok(full.length > 1);
    for (const line of full) {
      assert.equal(line.indexOf("word"), left);
      assert.ok(
        line
          .slice(left, left + most)
          .trimEnd()
          .endsWith("word"),
      );
      assert.doesNotMatch(line.slice(left + most, columns === 160 ? 79 : undefined), /word/);
    }
  });

test("a zoomed conversation has no margin and no edge, so that the terminal's own selection is what was written", async (t) => {
  const screen = await open(120, 40);
  t.after(() => screen.close());
  await screen.send(said(1, "assistant", `${words(60)}\n\n\`\`\`js\nlet a = 1;\n\`\`\``), key("f8"));
  const lines = screen.lines().filter((line) => /word|let a/.test(line));
  assert.ok(lines.length >= 4);
  for (const line of lines) assert.match(line, /^(?:word|let)/);
});

test("a person's message stands on a band, from margin to margin, and the answer does not", async (t) => {
  const screen = await open(80, 24);
  t.after(() => screen.close());
  await screen.send(said(1, "user", "what is it?"), said(2, "assistant", "a parser"));
  for (const y of [screen.row("you"), screen.row("what is it?")])
    for (const x of [0, 1, 40, 79]) assert.equal(screen.cell(x, y).getBgColor(), 0x2b3142, `${x}, ${y}`);
  assert.equal(
    screen.cell(1, screen.row("what is it?")).getFgColor(),
    0xe6e9ef,
    "readable on a terminal of any background",
  );
  for (const x of [0, 1, 40]) assert.ok(screen.cell(x, screen.row("a parser")).isBgDefault());
  await screen.send(key("f8"));
  assert.equal(screen.cell(0, screen.row("what is it?")).getBgColor(), 0x2b3142);
});

test("without colours the speaker marks a message, and nothing but text is selected", async (t) => {
  const screen = await open(80, 24, "none");
  t.after(() => screen.close());
  await screen.send(said(1, "user", "what is it?"));
  assert.match(screen.lines().join("\n"), /\n you *\n what is it\? *\n/);
  assert.ok(screen.cell(1, screen.row("what is it?")).isBgDefault());
  await screen.send(said(2, "assistant", paragraphs(40)));
  assert.equal(screen.row("what is it?"), 1);
  assert.ok(screen.cell(1, 1).isBold(), "the question that stays is no line of the answer");
});

test("while an answer is read its question stays in the top row, and no row of the answer is hidden by it", async (t) => {
  const screen = await open(80, 24);
  t.after(() => screen.close());
  await screen.send(said(1, "user", "\n\nwhat is it?\nmore of it"), said(2, "assistant", paragraphs(40)));
  const seen = new Set<string>();
  const note = () => {
    for (const line of screen.lines().slice(2)) seen.add(line.trim());
  };
  assert.equal(screen.lines()[1]?.trim(), "what is it?");
  assert.equal(screen.cell(0, 1).getBgColor(), 0x2b3142);
  note();
  for (let times = 0; times < 70; times++) {
    await screen.send({ type: "key", name: "up", shift: false, alt: false, ctrl: false }, key("f2"), key("k"));
    note();
  }
  for (let at = 0; at < 40; at++) assert.ok(seen.has(`line ${at}`), `line ${at}`);
  assert.equal(screen.lines()[1]?.trim(), "", "the question itself is seen");
  assert.ok(screen.row("more of it") > 1);
});

test("a press on the question in the top row brings it into view", async (t) => {
  const screen = await open(80, 24);
  t.after(() => screen.close());
  await screen.send({ type: "display", display: { ...DISPLAY, mouse: true } });
  await screen.send(said(1, "user", "what is it?"), said(2, "assistant", paragraphs(40)));
  await screen.send({ type: "mouse", code: 0, x: 5, y: 1, up: false });
  assert.ok(screen.row("you") > 1);
  assert.ok(screen.row("what is it?") > screen.row("you"));
  assert.equal(screen.state().chat.cursor, "m1");
});

test("on a small screen every row is the conversation's", async (t) => {
  const screen = await open(40, 12);
  t.after(() => screen.close());
  await screen.send(said(1, "user", "what is it?"), said(2, "assistant", paragraphs(40)));
  assert.doesNotMatch(screen.lines().join("\n"), /what is it/);
  assert.match(screen.lines()[1] ?? "", /^ line \d+|^$/);
});

test("code has an edge at its left, in ASCII too, and none of it is copied", async (t) => {
  const text = "before\n\n```js\nlet a = 1;\n\nlet b = 2;\n```\n\n- item\n\n  ```sh\n  ls\n  ```\n";
  for (const [ascii, edge] of [
    [false, "▏"],
    [true, "|"],
  ] as const) {
    const screen = await open(80, 24, "truecolor", ascii);
    t.after(() => screen.close());
    await screen.send(said(1, "assistant", text));
    const from = screen.row("let a");
    assert.deepEqual(
      screen
        .lines()
        .slice(from, from + 3)
        .map((line) => line.trimEnd()),
      [`${edge}let a = 1;`, edge, `${edge}let b = 2;`],
    );
    assert.match(screen.lines()[screen.row("ls")] ?? "", ascii ? /^\| +ls/ : /^▏ +ls/);
    assert.match(screen.lines()[screen.row("before")] ?? "", /^ before/);
  }
});

test("an empty session has its lines above the composer, which says what can be typed", async (t) => {
  const screen = await open(80, 24);
  t.after(() => screen.close());
  assert.ok(screen.row("New session.") > 15);
  assert.match(screen.lines()[screen.row("› ")] ?? "", /^› Ask anything/);
  assert.deepEqual(screen.cursor(), { x: 2, y: screen.row("› Ask") });
  await screen.send({ type: "text", text: "x" });
  assert.match(screen.lines()[screen.row("› ")] ?? "", /^› x *$/);
  await screen.send(key("backspace"), said(1, "user", "hello"));
  assert.doesNotMatch(screen.lines().join("\n"), /Ask anything/);
});

test("what lies behind an overlay is dimmed, but not the keys of the overlay", async (t) => {
  const screen = await open(120, 40);
  t.after(() => screen.close());
  await screen.send(said(1, "user", "what is it?"), key("p", { ctrl: true }));
  const y = screen.row("what is it?");
  assert.equal(screen.cell(1, y).getFgColor(), 0x8b93a5);
  assert.ok(screen.cell(0, y).isBgDefault(), "the band too");
  assert.notEqual(screen.cell(1, 38).getFgColor(), 0x8b93a5);
  await screen.send(key("escape"));
  assert.equal(screen.cell(1, y).getFgColor(), 0xe6e9ef);
});
