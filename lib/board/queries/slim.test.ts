import assert from "node:assert/strict";
import { test } from "node:test";
import { DEFAULT, setupBoard, USER } from "../../../fixtures/sim/board-world.js";
import type { TaskId } from "../../base/units.js";
import type { CardPlace, SlimCard } from "../../contracts/board/screen.js";

const placeOf = ({ priority, created_at, ended_at, made }: SlimCard): CardPlace => ({
  priority,
  created_at,
  ended_at,
  made,
});

test("a board that was never written has no cards and is not made", async (t) => {
  const world = setupBoard(t);
  const page = await world.board.cards(DEFAULT, {});
  assert.deepEqual([page.cards, page.counts.ready, page.latest_event_id, page.paused], [[], 0, 0, null]);
  assert.equal(world.disk.readFile(`${world.root}/kanban.db.current`), undefined);
});

test("page after page every card of a column comes once, in its order, and the counts are of the whole board", async (t) => {
  const world = setupBoard(t, { rehearse: false });
  for (let n = 0; n < 23; n++) {
    await world.board.create(DEFAULT, { title: `t${n}`, priority: n % 3 }, USER);
    if (n % 4 === 0) world.clock.advance(1000);
  }
  const want = (await world.board.list(DEFAULT, { status: ["ready"] })).map(({ task }) => task.id);
  const seen: SlimCard[] = [];
  for (;;) {
    const last = seen.at(-1);
    const { cards, counts } = await world.board.cards(DEFAULT, {
      status: "ready",
      limit: 5,
      after: last && placeOf(last),
    });
    assert.equal(counts.ready, 23);
    if (cards.length === 0) break;
    seen.push(...cards);
  }
  assert.deepEqual(
    seen.map((card) => card.id),
    want,
  );
  for (const id of want.slice(0, 9)) {
    world.clock.advance(700);
    await world.board.complete(DEFAULT, id, {}, USER);
  }
  const first = await world.board.cards(DEFAULT, { status: "done", limit: 5 });
  const rest = await world.board.cards(DEFAULT, { status: "done", after: placeOf(first.cards.at(-1) as SlimCard) });
  assert.deepEqual(
    [...first.cards, ...rest.cards].map((card) => card.id),
    want.slice(0, 9).toReversed(),
  );
});

test("a card tells since when its task is where it is, also after an edit, and why it does not move", async (t) => {
  const world = setupBoard(t);
  const make = async (title: string, more: object = {}) =>
    (await world.board.create(DEFAULT, { title, ...more }, USER)).task.id;
  const a = await make("a");
  const b = await make("b");
  const child = await make("child", { parents: [a, b] });
  world.clock.advance(60_000);
  const at = world.clock.now() / 1000;
  await world.board.block(DEFAULT, a, { reason: "needs a key" }, USER);
  world.clock.advance(60_000);
  await world.board.comment(DEFAULT, a, "which one?", USER);
  await world.board.edit(DEFAULT, a, { title: "aa" }, USER);
  const { cards } = await world.board.cards(DEFAULT, { ids: [a] });
  const card = cards.find((one) => one.id === a);
  assert.deepEqual([card?.since, card?.note, card?.comments, card?.title], [Math.floor(at), "needs a key", 1, "aa"]);
  assert.equal(cards.find((one) => one.id === child)?.note, "parent blocked", "a child that waits is told with it");
});

test("with a part of a decomposed task its root is told, and how far it is", async (t) => {
  const world = setupBoard(t);
  const make = async (title: string) => (await world.board.create(DEFAULT, { title }, USER)).task.id;
  const root = await make("root");
  const one = await make("one");
  const two = await make("two");
  await (await world.store()).write("test", (tx) =>
    tx.run("UPDATE tasks SET decomposed_from = ? WHERE id IN (?, ?)", [root, one, two]),
  );
  await world.board.complete(DEFAULT, one, {}, USER);
  const { cards } = await world.board.cards(DEFAULT, { ids: [one, "t_00000000" as TaskId] });
  assert.deepEqual(cards.map((card) => card.id).toSorted(), [one, root].toSorted());
  assert.deepEqual(cards.find((card) => card.id === root)?.children, { done: 1, total: 2 });
});
