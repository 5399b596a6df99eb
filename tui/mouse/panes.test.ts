import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { DEFAULT, USER } from "../../fixtures/sim/board-world.js";
import { openBoardScreen } from "../../fixtures/tui/board-screen.js";
import { key, openScreen } from "../../fixtures/tui/screen.js";
import { selected } from "../board/cursor.js";
import { DISPLAY } from "../display.js";
import type { Message } from "../messages.js";
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
    assert.equal(selected(screen.state().board)?.title, "the child");
    await screen.send(pressOn(screen.lines(), "t_00010001 the parent"));
    await screen.until((text) => text.includes("children"));
    assert.equal(selected(screen.state().board)?.title, "the parent");
  });

test("the cursor goes with the last card of its column", async (t) => {
  const screen = await openBoardScreen(t, { before: (world) => world.board.create(DEFAULT, { title: "the only one" }, USER) });
  await screen.until((text) => text.includes("the only one"));
  const id = selected(screen.state().board)?.id;
  await screen.world.board.complete(DEFAULT, id as never, {}, USER);
  await screen.until((text) => text.includes("done 1"));
  assert.deepEqual([screen.state().board.at.column, selected(screen.state().board)?.id], ["done", id]);
});

const run = (n: number) =>
  toRunRow({
    ...{ id: `task:default/${n}`, kind: "task", title: `run ${n}.`, waits: false, profile: "dev", tokens: 1, activity: "" },
    ...{ state: "running", session: `s${n}`, process: null, started_at: 1_000 * n, ended_at: null },
    task: { board: "default", id: `t_${n}`, run: n },
  }) ?? assert.fail();

async function openRuns(t: TestContext, count: number) {
  const screen = await openScreen(160, 40);
  t.after(() => screen.close());
  screen.at(1_000_000, 2_000_000);
  const rows = Array.from({ length: count }, (_, n) => run(n));
  await screen.send({ type: "session", id: "s", title: "", model: "", items: [] }, ON, { type: "runs.read", rows }, key("f4"));
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
  const said = (id: number, text: string): Message => ({ type: "chat", event: "message.added", data: { id, role: "user", content: text } });
  await screen.send({ type: "session", id: "s", title: "", model: "", items: [] }, ON, said(1, "the first"), said(2, "the second"));
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
