import assert from "node:assert/strict";
import test from "node:test";
import { key, openScreen } from "../../fixtures/tui/screen.js";
import { DISPLAY } from "../app/display.js";
import type { Message } from "../model/messages.js";

const session: Message = { type: "session", id: "s", title: "fix the parser", model: "m1", items: [] };
const on: Message = { type: "display", display: { ...DISPLAY, mouse: true } };
const said: Message = {
  type: "chat",
  event: "message.added",
  data: { id: 1, role: "user", content: "first word here\nsecond line there" },
};

const at = (code: number, x: number, y: number, up = false): Message => ({ type: "mouse", code, x, y, up });
const press = (x: number, y: number) => at(0, x, y);
const drag = (x: number, y: number) => at(32, x, y);
const release = (x: number, y: number) => at(0, x, y, true);

async function opened() {
  const screen = await openScreen(160, 40);
  const lines = await screen.send(session, on, said);
  const y = lines.findIndex((line) => line.includes("first word here"));
  return { screen, y, x: (lines[y] ?? "").indexOf("first") };
}

test("dragging within a pane selects its text alone, and copies it on release", async () => {
  const { screen, x, y } = await opened();
  await screen.send(press(x + 6, y), drag(150, y + 1), release(150, y + 1));
  assert.deepEqual(screen.effects.at(-1), { do: "copy", text: "word here\nsecond line there" });
  const cell = screen.term.buffer.active.getLine(y)?.getCell(x + 7);
  assert.ok(cell && !cell.isBgDefault(), "what is selected is seen");
  await screen.send(key("escape"));
  assert.equal(screen.state().terminal.selection, undefined);
  screen.close();
});

test("dragging and clicking may begin in the margin, and take the text alone", async () => {
  const { screen, x, y } = await opened();
  await screen.send(press(x - 1, y), drag(150, y + 1), release(150, y + 1));
  assert.deepEqual(screen.effects.at(-1), { do: "copy", text: "first word here\nsecond line there" });
  await screen.send(key("escape"));
  for (let times = 0; times < 3; times++) await screen.send(press(x - 1, y), release(x - 1, y));
  assert.deepEqual(screen.effects.at(-1), { do: "copy", text: "first word here" });
  screen.close();
});

test("a double click takes a word, a triple one the line", async () => {
  const { screen, x, y } = await opened();
  await screen.send(press(x + 7, y), release(x + 7, y), press(x + 7, y), release(x + 7, y));
  assert.deepEqual(screen.effects.at(-1), { do: "copy", text: "word" });
  await screen.send(press(x + 7, y), release(x + 7, y));
  assert.deepEqual(screen.effects.at(-1), { do: "copy", text: "first word here" });
  screen.close();
});

test("a click focuses what is under it", async () => {
  const { screen } = await opened();
  await screen.send(press(120, 5), release(120, 5));
  assert.equal(screen.state().focus, "board");
  await screen.send(press(10, 36));
  assert.equal(screen.state().focus, "composer");
  await screen.resize(100, 30);
  const [tabs = ""] = await screen.send(press(0, 0));
  await screen.send(press(tabs.indexOf("logs"), 0));
  assert.equal(screen.state().focus, "logs");
  screen.close();
});

test("a press on a key in the row of hints is that key, of a pane, over an overlay and beside a message", async () => {
  const { screen } = await opened();
  const hint = async (
    text: string,
    ...more: Message[]
  ): Promise<{ type: "mouse"; code: number; x: number; y: number; up: boolean }> => {
    const lines = await screen.send(...more);
    const y = lines.findLastIndex((line) => line.includes(text));
    assert.ok(y > 30, lines.join("\n"));
    return { type: "mouse", code: 0, x: (lines[y] ?? "").indexOf(text) + 1, y, up: false };
  };
  await screen.send(await hint("^P palette"));
  assert.equal(screen.state().overlay?.kind, "palette");
  await screen.send(await hint("Esc back"));
  assert.equal(screen.state().overlay, undefined);
  const zoom = await hint("F8 zoom", { type: "say", text: "copied", error: false });
  await screen.send(press(zoom.x - 2, zoom.y));
  assert.equal(screen.state().zoom, false, "between two hints there is none");
  await screen.send(zoom);
  assert.equal(screen.state().zoom, true);
  await screen.send(await hint("F1 help", { type: "display", display: DISPLAY }));
  assert.equal(screen.state().overlay, undefined, "without the mouse a press is the terminal's");
  screen.close();
});

test("a click in the composer places the cursor, between whole characters", async () => {
  const { screen } = await opened();
  const lines = await screen.send({ type: "text", text: "one 漢字 two" });
  const y = lines.findIndex((line) => line.startsWith("│› one"));
  const x = 3;
  await screen.send(press(x + 1, y));
  assert.deepEqual(screen.cursor(), { x: x + 1, y });
  await screen.send(press(x + 5, y)); // the second half of a wide one
  assert.ok([x + 4, x + 6].includes(screen.cursor().x));
  await screen.send(press(x + 60, y));
  assert.deepEqual(screen.cursor(), { x: x + 12, y });
  screen.close();
});

test("W25: with the mouse off its reports do nothing", async () => {
  const { screen, x, y } = await opened();
  await screen.send({ type: "display", display: DISPLAY }, press(x, y), drag(x + 9, y), release(x + 9, y));
  assert.equal(screen.effects.filter((one) => one.do === "copy").length, 0);
  screen.close();
});
