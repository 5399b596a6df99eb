import assert from "node:assert/strict";
import { test } from "node:test";
import { cardOf, viewOf } from "../../../../../fixtures/dashboard/cards.js";
import type { Card } from "../../../../contracts/board/explain.js";
import { refreshed, toLoadedBoard, withCards } from "./patch.js";
import { isFullyLoaded } from "./state.js";

const boardOf = (...cards: readonly Card[]) => toLoadedBoard(viewOf(cards), 0);

test("a card that moves leaves one column and stands at its place in the other; no other column is touched", () => {
  const before = boardOf(
    cardOf("t_1", { status: "ready", priority: 1 }),
    cardOf("t_2", { status: "ready" }),
    cardOf("t_3", { status: "todo" }),
    cardOf("t_4", { status: "blocked" }),
  );
  const after = withCards(before, [cardOf("t_3", { status: "ready", version: 2, created_at: 0 })]);
  assert.deepEqual([after.columns.todo, after.columns.ready], [[], ["t_1", "t_3", "t_2"]]);
  assert.equal(after.columns.blocked, before.columns.blocked);
});

test("a card whose place stays keeps every column as it is", () => {
  const before = boardOf(cardOf("t_1", { title: "old" }));
  const after = withCards(before, [cardOf("t_1", { title: "new", version: 2 })]);
  assert.equal(after.cards.get("t_1")?.title, "new");
  assert.equal(after.columns, before.columns);
});

test("a late answer does not put an older card back", () => {
  const before = boardOf(cardOf("t_1", { title: "new", version: 3 }));
  const after = withCards(before, [cardOf("t_1", { title: "old", version: 2, status: "done" })]);
  assert.deepEqual([after.cards.get("t_1")?.title, after.columns.done], ["new", []]);
});

test("urgent tasks stand first, then old ones; done ones newest first", () => {
  const { columns } = withCards(boardOf(), [
    cardOf("t_1", { created_at: 5 }),
    cardOf("t_2", { created_at: 4 }),
    cardOf("t_3", { created_at: 9, priority: 2 }),
    cardOf("t_4", { status: "done", completed_at: 10 }),
    cardOf("t_5", { status: "done", completed_at: 20 }),
  ]);
  assert.deepEqual(
    [columns.ready, columns.done],
    [
      ["t_3", "t_2", "t_1"],
      ["t_5", "t_4"],
    ],
  );
});

test("cards of the same second stand as they were made, done and archived ones the other way round, whatever their ids are", () => {
  const three = (status: string) =>
    [3, 1, 2].map((made) => cardOf(`t_${status}${9 - made}`, { status, made, completed_at: 5, archived_at: 5 }));
  const { columns } = withCards(boardOf(), [...three("ready"), ...three("done"), ...three("archived")]);
  const made = (status: "ready" | "done" | "archived") => columns[status].map((id) => 9 - Number(id.at(-1)));
  assert.equal([made("ready"), made("done"), made("archived")].join(" "), "1,2,3 3,2,1 3,2,1");
});

test("what was asked for and does not come is gone, and the totals are those of the answer", () => {
  const before = boardOf(cardOf("t_1"), cardOf("t_2"));
  const after = refreshed(before, viewOf([cardOf("t_2", { version: 2 })], { ready: 7 }), ["t_1", "t_2"]);
  assert.deepEqual([after.columns.ready, after.cards.has("t_1"), after.totals.ready], [["t_2"], false, 7]);
  assert.equal(isFullyLoaded(after), false);
});

test("reading cards again does not move the cursor of the stream", () => {
  const before = { ...boardOf(cardOf("t_1")), cursor: 40 };
  assert.equal(refreshed(before, { ...viewOf([]), latest_event_id: 99 }, []).cursor, 40);
  assert.equal(toLoadedBoard({ ...viewOf([]), latest_event_id: 99 }, 0).cursor, 99);
});

test("the owner's clock is told apart from this one", () => {
  assert.equal(toLoadedBoard({ ...viewOf([]), now: 1000 as never }, 940).ahead, 60);
});

test("a thousand cards that change at once are placed in order", () => {
  const many = Array.from({ length: 1000 }, (_, at) => cardOf(`t_${at}`, { created_at: (at * 7919) % 1000 }));
  const { columns, cards } = withCards(boardOf(), many);
  const order = columns.ready.map((id) => cards.get(id)?.created_at);
  assert.deepEqual(
    order,
    order.toSorted((a, b) => (a ?? 0) - (b ?? 0)),
  );
  assert.equal(order.length, 1000);
});
