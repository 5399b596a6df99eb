import assert from "node:assert/strict";
import { test } from "node:test";
import { manyCards } from "../../fixtures/tui/many-cards.js";
import { key, openScreen } from "../../fixtures/tui/screen.js";
import { sanitizeLine } from "../draw/sanitize.js";
import { COLUMNS } from "./state.js";

test("of 10,000 tasks a change touches one card and one column, and a move of the cursor none", async (t) => {
  const screen = await openScreen(160, 40);
  t.after(() => screen.close());
  const { read, change } = manyCards(10_000);
  await screen.send(key("f3"), key("f8"), read);
  const before = screen.state().board;
  const at = before.columns.ready[0]?.made ?? 0;
  await screen.send(change(at, sanitizeLine("changed here")));
  const after = screen.state().board;
  assert.deepEqual(
    COLUMNS.filter((column) => before.columns[column] !== after.columns[column]),
    ["ready"],
  );
  assert.equal(after.columns.ready.filter((card, row) => card !== before.columns.ready[row]).length, 1);
  assert.ok(screen.lines().some((line) => line.includes("changed here")));
  await screen.send(key("down"), key("pagedown"), key("end"), key("home"));
  assert.equal(screen.state().board.columns, after.columns);
  assert.equal(screen.state().board.shown, after.shown);
});

test("a column of thousands is scrolled to its end and back, with the cursor in sight", async (t) => {
  const screen = await openScreen(80, 24);
  t.after(() => screen.close());
  await screen.send(key("f3"), manyCards(10_000).read, key("end"));
  const { columns, at } = screen.state().board;
  const last = columns[at.column].at(-1)?.id ?? "-";
  assert.ok(screen.lines().some((line) => line.includes(last)));
  await screen.send(key("home"));
  assert.ok(screen.lines().some((line) => line.includes(columns[at.column][0]?.id ?? "-")));
});
