import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { DEFAULT, USER } from "../../fixtures/sim/board-world.js";
import { openBoardScreen } from "../../fixtures/tui/board-screen.js";
import { key, openScreen } from "../../fixtures/tui/screen.js";
import { DISPLAY } from "../app/display.js";
import { findSelectedCard } from "../board/cursor.js";
import type { Message } from "../model/messages.js";
import { toRunRow } from "../runs/row.js";

const ON: Message = { type: "display", display: { ...DISPLAY, mouse: true } };
const at = (code: number, x: number, y: number): Message => ({ type: "mouse", code, x, y, up: false });

/** A press where this text stands. */
function pressOn(lines: readonly string[], text: string): Message {
  const y = lines.findIndex((line) => line.includes(text));
  assert.ok(y >= 0, `nothing says ${text}:\n${lines.join("\n")}`);
  return at(0, (lines[y] ?? "").indexOf(text), y);
}

for (const columns of [160, 70])
  test(`in the drawer on ${columns} columns a press on a child opens it, and one on its parent leads back`, async (t) => {
    const screen = await openBoardScreen(t, {
      columns,
      rows: 40,
      before: async (world) => {
        const { task } = await world.board.create(DEFAULT, { title: "the parent" }, USER);
        await world.board.create(DEFAULT, { title: "the child", parents: [task.id] }, USER);
      },
    });
    await screen.until((text) => text.includes("the parent"));
    await screen.send(ON);
    await screen.press("f8", "enter");
    await screen.until((text) => text.includes("children"));
    const lines = screen.lines();
    const y = lines.findIndex((line) => line.includes("children")) + 1;
    await screen.send(at(0, (lines[y] ?? "").indexOf("the child"), y));
    await screen.until((text) => text.includes("waits for"));
    assert.equal(findSelectedCard(screen.state().board)?.title, "the child");
    await screen.send(pressOn(screen.lines(), "t_00010001 the parent"));
    await screen.until((text) => text.includes("children"));
    assert.equal(findSelectedCard(screen.state().board)?.title, "the parent");
  });

test("the cursor goes with the last card of its column", async (t) => {
  const screen = await openBoardScreen(t, {
    before: (world) => world.board.create(DEFAULT, { title: "the only one" }, USER),
  });
  await screen.until((text) => text.includes("the only one"));
  const id = findSelectedCard(screen.state().board)?.id;
  await screen.world.board.complete(DEFAULT, id as never, {}, USER);
  await screen.until((text) => text.includes("done 1"));
  assert.deepEqual([screen.state().board.at.column, findSelectedCard(screen.state().board)?.id], ["done", id]);
});

const run = (n: number) =>
  toRunRow({
    id: `task:default/${n}`,
    kind: "task",
    title: `run ${n}.`,
    waits: false,
    profile: "dev",
    tokens: 1,
    activity: "",
    state: "running",
    session: `s${n}`,
    process: null,
    started_at: 1_000 * n,
    ended_at: null,
    task: { board: "default", id: `t_${n}`, run: n },
  }) ?? assert.fail();

async function openRuns(t: TestContext, count: number) {
  const screen = await openScreen(160, 40);
  t.after(() => screen.close());
  screen.at(1_000_000, 2_000_000);
  const rows = Array.from({ length: count }, (_, n) => run(n));
  await screen.send(
    { type: "session", id: "s", title: "", model: "", items: [] },
    ON,
    { type: "runs.read", rows },
    key("f4"),
  );
  return screen;
}

test("more runs than fit have a scrollbar, and fewer have none", async (t) => {
  const many = await openRuns(t, 60);
  assert.ok(
    many.lines().some((line) => line.endsWith("┃") || line.includes("┃")),
    many.lines().join("\n"),
  );
  const few = await openRuns(t, 2);
  assert.ok(!few.lines().some((line) => line.includes("┃")));
});

test("the head of an opened run is pressed to look at it in another way", async (t) => {
  const screen = await openRuns(t, 3);
  await screen.send(key("enter"));
  assert.equal(screen.state().runs.opened?.aspect, "transcript");
  await screen.send(pressOn(screen.lines(), "I information"));
  assert.equal(screen.state().runs.opened?.aspect, "information");
  await screen.send(pressOn(screen.lines(), "l log"));
  assert.equal(screen.state().runs.opened?.aspect, "log");
});

test("a press in the conversation puts the cursor on what stands there, and moves nothing", async (t) => {
  const screen = await openScreen(80, 24);
  t.after(() => screen.close());
  const said = (id: number, text: string): Message => ({
    type: "chat",
    event: "message.added",
    data: { id, role: "user", content: text },
  });
  await screen.send(
    { type: "session", id: "s", title: "", model: "", items: [] },
    ON,
    said(1, "the first"),
    said(2, "the second"),
  );
  const before = screen.lines().slice(1, 12);
  await screen.send(pressOn(screen.lines(), "the first"));
  assert.deepEqual(
    screen
      .lines()
      .slice(1, 12)
      .map((line) => line.trimEnd()),
    before.map((line) => line.trimEnd()),
  );
  await screen.send({ type: "text", text: "y" });
  assert.deepEqual(screen.effects.at(-1), { do: "copy", text: "the first" });
});

const CARDS = 30;

async function longColumn(t: TestContext, columns: number) {
  const screen = await openBoardScreen(t, {
    columns,
    rows: 30,
    before: async (world) => {
      for (let n = 0; n < CARDS; n++)
        await world.board.create(DEFAULT, { title: `card ${String(n).padStart(2, "0")}` }, USER);
    },
  });
  await screen.until((text) => text.includes("card 00"));
  await screen.send(ON);
  await screen.press("f8");
  const shown = () => screen.lines().join("\n");
  const cards = () => [...shown().matchAll(/card (\d\d)/g)].map(([, n]) => Number(n));
  const wheel = async (down: boolean, x: number, times = 1) =>
    screen.send(...Array.from({ length: times }, () => at(down ? 65 : 64, x, 8)));
  /** Where the cards stand. */
  const over = () => Math.max(0, (screen.lines().find((line) => line.includes("card ")) ?? "").indexOf("card "));
  return { screen, shown, cards, wheel, over };
}

for (const columns of [160, 50])
  test(`the wheel scrolls the cards under it on ${columns} columns, and the cursor goes along only to stay in sight`, async (t) => {
    const { screen, shown, cards, wheel, over } = await longColumn(t, columns);
    const cursor = () => Number(/\d+/.exec(findSelectedCard(screen.state().board)?.title ?? "")?.[0]);
    const first = cards();
    for (let n = 0; n < 3; n++) await screen.press("down");
    await wheel(true, over());
    assert.ok((cards()[0] ?? 0) > 0, shown());
    assert.equal(cursor(), 3, "the card with the cursor is still seen");
    await wheel(true, over(), 60);
    assert.equal(cards().at(-1), CARDS - 1);
    assert.equal(cursor(), cards()[0]);
    await wheel(false, over(), 60);
    assert.deepEqual(cards(), first);
    assert.ok(cards().includes(cursor()));
  });

test("the wheel scrolls a column without the cursor and leaves the cursor where it is", async (t) => {
  const { screen, cards, wheel, over } = await longColumn(t, 160);
  await screen.world.board.create(DEFAULT, { title: "by itself", triage: true }, USER);
  await screen.until((text) => text.includes("by itself"));
  for (let n = 0; n < 8; n++) await screen.press("left");
  assert.equal(findSelectedCard(screen.state().board)?.title, "by itself");
  await wheel(true, over(), 4);
  assert.equal(cards()[0], 4);
  assert.equal(findSelectedCard(screen.state().board)?.title, "by itself");
});

const told = (event: string, data: Readonly<Record<string, unknown>> = {}): Message => ({ type: "chat", event, data });

/** Reads that stand in one row, a call with a long result, and thoughts. */
async function openChat(t: TestContext) {
  const screen = await openScreen(100, 40);
  t.after(() => screen.close());
  const call = (id: string, name: string, preview: string) => told("tool.started", { call_id: id, name, preview });
  const done = (id: string) => told("tool.ended", { call_id: id, status: "ok", duration_ms: 400 });
  const output = Array.from({ length: 9 }, (_, n) => `row ${n} of it`).join("\n");
  const result = {
    id: 70,
    role: "tool",
    tool_call_id: "c",
    tool_name: "terminal",
    content: JSON.stringify({ output, exit_code: 0 }),
  };
  await screen.send({ type: "session", id: "s", title: "", model: "m1", items: [] }, ON);
  await screen.send(
    told("message.added", {
      id: 1,
      role: "user",
      content: Array.from({ length: 9 }, (_, n) => `said ${n}`).join("\n"),
    }),
  );
  await screen.send(call("a", "read_file", "a.ts"), done("a"), call("b", "read_file", "b.ts"), done("b"));
  await screen.send(call("c", "terminal", "npm test"), told("message.added", result), done("c"));
  await screen.send(told("message.added", { id: 71, role: "assistant", content: "done", reasoning: "first I look" }));
  const shown = () => screen.lines().join("\n");
  const press = (text: string) => screen.send(pressOn(screen.lines(), text));
  return { screen, shown, press };
}

test("the sign before a call, before calls in one row and before thoughts folds and unfolds them", async (t) => {
  const { shown, press, screen } = await openChat(t);
  let now = 0;
  const slowly = async (sign: string) => {
    now += 10_000;
    screen.at(now);
    await press(sign);
  };
  for (const [sign, unfolded, inside] of [
    ["✓ 2 reads", "▾ 2 reads", "read_file a.ts"],
    ["✓ terminal", "✓ terminal", "row 7 of it"], // the last row stands beside the folded call
    ["▸ thought", "▾ thought", "first I look"],
  ] as const) {
    assert.ok(!shown().includes(inside), shown());
    await slowly(sign);
    assert.ok(shown().includes(inside), shown());
    await slowly(unfolded);
    assert.ok(!shown().includes(inside), shown());
  }
  await slowly("terminal npm");
  assert.ok(!shown().includes("row 7 of it"), "words fold nothing");
});

test("the row that says how much of a message is hidden shows it", async (t) => {
  const { shown, press } = await openChat(t);
  assert.ok(!shown().includes("said 4"), shown());
  await press("more lines (Space)");
  assert.ok(shown().includes("said 4"), shown());
});
