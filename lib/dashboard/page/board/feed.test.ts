import assert from "node:assert/strict";
import { test } from "node:test";
import { cardOf, eventOf, viewOf } from "../../../../fixtures/dashboard/cards.js";
import { toLoadedBoard } from "../state/board/patch.js";
import { createStore } from "../state/store.js";
import { createPageFeed } from "./feed.js";

function setup(cursor: number) {
  const state = createStore({ ...toLoadedBoard(viewOf([cardOf("t_1"), cardOf("t_2")]), 0), cursor });
  const did: string[] = [];
  const feed = createPageFeed({
    state,
    refresh: async (ids) => void did.push(`refresh ${ids.join(" ")}`.trim()),
    reload: async () => void did.push("reload"),
  });
  return { state, did, feed };
}

const events = (...ids: readonly number[]) => ({
  events: ids.map((id) => eventOf(id, "commented", `t_${id % 2 === 0 ? 2 : 1}`)),
  cursor: ids.at(-1),
});

test("a frame reads the cards that it names, once each, and moves the cursor", async () => {
  const { state, did, feed } = setup(10);
  await feed.frame(events(11, 12, 13));
  assert.deepEqual([did, state.get().cursor], [["refresh t_1 t_2"], 13]);
});

test("what comes a second time is passed over", async () => {
  const { state, did, feed } = setup(10);
  const heard: number[] = [];
  feed.listen((all) => heard.push(...all.map(({ id }) => id)));
  await feed.frame(events(11));
  await feed.frame(events(11, 12));
  assert.deepEqual([did, heard, state.get().cursor], [["refresh t_1", "refresh t_2"], [11, 12], 12]);
});

const BEGINNINGS = [
  {
    name: "a greeting where this page stands reads only what stands above the cards",
    frame: { type: "hello", cursor: 10 },
    did: ["refresh"],
    cursor: 10,
  },
  {
    name: "a greeting further on is followed by its events",
    frame: { type: "hello", cursor: 15 },
    did: ["refresh"],
    cursor: 10,
  },
  {
    name: "a greeting behind this page comes from a store that was put back",
    frame: { type: "hello", cursor: 4 },
    did: ["reload"],
    cursor: 4,
  },
  { name: "a gap loads the board again", frame: { type: "reset", cursor: 90 }, did: ["reload"], cursor: 90 },
] as const;

for (const { name, frame, did, cursor } of BEGINNINGS)
  test(name, async () => {
    const world = setup(10);
    await world.feed.frame(frame);
    assert.deepEqual([world.did, world.state.get().cursor], [did, cursor]);
  });

test("events that arrive while the whole board is read are kept for what may be missing in it", async () => {
  const { feed } = setup(10);
  const missed = feed.mark();
  await feed.frame(events(11, 12));
  assert.deepEqual(
    missed(11).map(({ id }) => id),
    [12],
  );
});
