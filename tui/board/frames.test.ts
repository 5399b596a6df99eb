import assert from "node:assert/strict";
import { test } from "node:test";
import { type BoardWorld, DEFAULT, USER } from "../../fixtures/sim/board-world.js";
import { openBoardScreen } from "../../fixtures/tui/board-screen.js";
import { matchesFrame } from "../../fixtures/tui/golden.js";
import { textCells } from "../draw/width.js";
import { layoutOf } from "../layout/layout.js";
import { boardRows } from "./board-view.js";

const make = async (world: BoardWorld, title: string, more: object = {}) =>
  (await world.board.create(DEFAULT, { title, ...more }, USER)).task.id;

/** One task of every kind that a card tells of. */
async function aBoard(world: BoardWorld): Promise<void> {
  await make(world, "Rough idea that nobody has thought through yet", { triage: true });
  const docs = await make(world, "Docs for the lexer", {
    assignee: "alice",
    priority: 2,
    tenant: "acme",
    body: "All of it.\n\n- one\n- two",
  });
  await make(world, "Changelog", { parents: [docs] });
  await world.board.comment(DEFAULT, docs, "which version?", USER);
  const work = await make(world, "Parser tests", { assignee: "bob" });
  await world.board.claim(DEFAULT, work, { profile: "bob", lock: "h:1", by: USER });
  const stuck = await make(world, "Needs a key", { assignee: "bob" });
  await world.board.block(DEFAULT, stuck, { reason: "no key for the registry" }, USER);
  const over = await make(world, "Set up", { assignee: "alice" });
  world.clock.advance(240_000);
  await world.board.complete(DEFAULT, over, { summary: "it runs" }, USER);
  world.clock.advance(3_700_000);
}

const SIZES = [
  { columns: 160, rows: 40 },
  { columns: 80, rows: 24 },
  { columns: 40, rows: 12 },
] as const;

for (const size of SIZES) {
  const named = `${size.columns}x${size.rows}`;
  test(`the board looks as it was reviewed at ${named}: cards, list, drawer`, async (t) => {
    const screen = await openBoardScreen(t, { ...size, before: aBoard });
    await screen.until((text) => text.includes("Docs") && text.includes("⚠"));
    const frame = (name: string) => {
      const box = layoutOf(screen.state()).panes.find(({ pane }) => pane === "board")?.box;
      assert.ok(box);
      const lines = screen.lines().slice(box.y, box.y + box.height);
      matchesFrame(
        `tui/board/frames/${name}-${named}.txt`,
        box.x === 0 ? lines : lines.map((line) => line.slice(box.x)),
      );
    };
    frame("cards");
    await screen.press("V");
    frame("list");
    await screen.press("V", "enter");
    await screen.until(() => screen.state().board.drawer?.detail !== undefined);
    frame("drawer");
  });
}

const ODD = "漢字 😀 👨‍👩‍👧‍👦 🇯🇵 é ❤️";

for (const columns of [160, 80, 61, 44]) {
  test(`W22: clusters of every width keep the columns of cards in line at ${columns} columns`, async (t) => {
    const screen = await openBoardScreen(t, {
      columns,
      rows: 40,
      before: async (world) => {
        for (let pad = 0; pad < 4; pad++) await make(world, `${"x".repeat(pad)}${ODD}${ODD}`, { assignee: "dev" });
        await make(world, ODD, { triage: true, tenant: ODD });
        await make(world, ODD, { initial_status: "blocked" });
      },
    });
    await screen.until((text) => text.includes("漢字"));
    const state = screen.state();
    const inside = layoutOf(state).panes.find(({ pane }) => pane === "board")?.inside;
    assert.ok(inside);
    for (const view of ["columns", "list"] as const) {
      const rows = boardRows({ ...state, board: { ...state.board, view } }, inside.width, inside.height);
      for (const row of rows) {
        const cells = row.reduce((sum, [, text]) => sum + textCells(text), 0);
        assert.equal(cells, inside.width, `${view}: ${row.map(([, text]) => text).join("")}`);
      }
    }
  });
}
