import assert from "node:assert/strict";
import test from "node:test";
import { key, openScreen } from "../../fixtures/tui/screen.js";
import type { Message } from "../model/messages.js";

const session: Message = { type: "session", id: "s", title: "fix the parser", model: "m1", items: [] };
const hello: Message = { type: "text", text: "hello" };

const SIZES = [
  [160, 40, /┌1 chat─ fix the parser ─+┐┌2 board/],
  [159, 40, /^ 1 chat +2 board/],
  [160, 29, /^ 1 chat +2 board/],
  [80, 24, /^ 1 chat +2 board/],
  [40, 12, /^1chat 2brd 3run 4log/],
  [39, 12, /^needs 40x12, has 39x12 *$/],
  [1, 1, /^…/],
] as const;

for (const [columns, rows, first] of SIZES) {
  test(`W01: ${columns} x ${rows} has its layout, and typed text comes back at 80 x 24`, async () => {
    const screen = await openScreen(80, 24);
    await screen.send(session, hello);
    const lines = await screen.resize(columns, rows);
    assert.match(lines[0] ?? "", first);
    if (columns >= 40) {
      assert.ok(
        lines.some((line) => /^[│║]?› hello/.test(line)),
        "the composer is there",
      );
      assert.match(lines[rows - 1] ?? "", /idle/);
    }
    const back = await screen.resize(80, 24);
    assert.ok(back.some((line) => line.startsWith("› hello")));
    screen.close();
  });
}

test("the screen is whole at every size from 1 x 1 to 500 x 200", async () => {
  const screen = await openScreen(80, 24);
  await screen.send(session, hello, {
    type: "chat",
    event: "message.added",
    data: { id: 1, role: "user", content: "漢字 😀 ".repeat(40) },
  });
  const sizes = [1, 2, 3, 7, 12, 13, 14, 29, 30, 39, 40, 41, 60, 80, 159, 160, 200, 500];
  for (const columns of sizes)
    for (const rows of [1, 2, 11, 12, 13, 14, 24, 30, 60, 200]) {
      const lines = await screen.resize(columns, rows);
      assert.equal(lines.length, rows);
      if (columns >= 40 && rows >= 12) assert.match(lines.join("\n"), /› hello/, `${columns} x ${rows}`);
    }
  screen.close();
});

test("W03: what was typed stays through panes, zoom and sizes, with the cursor at its end", async () => {
  const screen = await openScreen(160, 40);
  await screen.send(session, hello, key("f3"), key("f8"), key("escape"), key("f2"));
  await screen.resize(60, 15);
  await screen.resize(160, 40);
  const lines = await screen.send(key("f8"), key("escape"));
  const row = lines.findIndex((line) => line.startsWith("│› hello"));
  assert.deepEqual(screen.cursor(), { x: 8, y: row });
  screen.close();
});

test("W02: the pane with the focus has another frame, so that it is seen without colour", async () => {
  const screen = await openScreen(160, 40, "none");
  const board = (await screen.send(session, key("f3")))[0] ?? "";
  assert.match(board, /^┌1 chat.*┐╔2 board.*╗$/);
  const logs = await screen.send(key("f5"));
  assert.ok(logs.some((line) => /╔4 logs.*╗$/.test(line)));
  screen.close();
});

test("one frame is around chat and composer, and its corners meet", async () => {
  const screen = await openScreen(160, 40);
  const lines = await screen.send(session, hello);
  const chat = lines.map((line) => line.slice(0, 80));
  assert.match(chat[0] ?? "", /^┌.*┐$/);
  assert.match(chat[35] ?? "", /^├─ Enter: send.*┤$/);
  assert.match(chat[36] ?? "", /^│› hello +│$/);
  assert.match(chat[37] ?? "", /^└─+┘$/);
  screen.close();
});

test("the sizes of panes follow Ctrl+Alt+arrows, hold for terminals of that size, and are kept", async () => {
  const screen = await openScreen(200, 40);
  const [first = ""] = await screen.send(session);
  const [wider = ""] = await screen.send(
    key("right", { ctrl: true, alt: true }),
    key("right", { ctrl: true, alt: true }),
  );
  assert.equal(first.indexOf("┌2 board"), 100);
  assert.equal(wider.indexOf("┌2 board"), 120);
  assert.deepEqual(screen.effects.at(-1), {
    do: "keep",
    key: "display.layout.wider",
    value: { chat: 60, board: 45, runs: 30 },
  });
  const [other = ""] = await screen.resize(160, 40);
  assert.equal(other.indexOf("┌2 board"), 80);
  screen.close();
});

test("the chat keeps 80 columns and the panes at the right what they need, whatever was asked for", async () => {
  const screen = await openScreen(160, 30);
  for (let times = 0; times < 20; times++)
    await screen.send(key("left", { ctrl: true, alt: true }), key("down", { ctrl: true, alt: true }));
  const lines = await screen.send(session);
  assert.equal(lines[0]?.indexOf("┌2 board"), 80);
  for (const pane of ["3 runs", "4 logs"])
    assert.ok(
      lines.some((line) => line.includes(pane)),
      pane,
    );
  screen.close();
});

test("W25: a zoomed pane has no frame, so that what is selected holds none", async () => {
  const screen = await openScreen(160, 40);
  await screen.send(session, {
    type: "chat",
    event: "message.added",
    data: { id: 1, role: "user", content: "word ".repeat(90) },
  });
  const lines = await screen.send(key("f2"), key("f8"));
  const text = lines.slice(0, 8).join("\n");
  assert.match(text, /word word/);
  assert.doesNotMatch(text, /[│║┌╔]/);
  screen.close();
});

test("W24: frames and signs are ASCII where the locale is not UTF-8", async () => {
  const screen = await openScreen(160, 40, "16", true);
  const lines = await screen.send(session, { type: "chat", event: "turn.started", data: {} }, hello);
  assert.match(lines[0] ?? "", /^\+1 chat- fix the parser -+\+\+2 board/);
  assert.doesNotMatch(lines.join("\n"), /[^ -~\n]/);
  screen.close();
});

test("W22: frames are straight whatever stands at their edge", async () => {
  const screen = await openScreen(160, 40);
  const text = "漢字 😀 👨‍👩‍👧‍👦 🇯🇵 e\u0301 ❤️ ";
  const said = {
    type: "chat",
    event: "message.added",
    data: { id: 1, role: "user", content: text.repeat(30) },
  } as const;
  await screen.send(session, said, { type: "text", text: text.repeat(8) });
  for (let y = 1; y < 16; y++) {
    const line = screen.term.buffer.active.getLine(y);
    assert.deepEqual(
      [0, 79, 80, 159].map((x) => line?.getCell(x)?.getChars()),
      ["│", "│", "│", "│"],
      `row ${y}`,
    );
  }
  screen.close();
});
