import assert from "node:assert/strict";
import { test } from "node:test";
import { cardOf, eventOf, viewOf } from "../../../../../fixtures/dashboard/cards.js";
import { cardsOf, unseen } from "./events.js";
import { toLoadedBoard } from "./patch.js";

const cards = [
  cardOf("t_root"),
  cardOf("t_mid", { parents: ["t_up"], children: ["t_down"], decomposed_from: "t_root" }),
  cardOf("t_up"),
  cardOf("t_down"),
  cardOf("t_other"),
];
const family = toLoadedBoard(viewOf(cards), 0);

const CASES = [
  { name: "a comment touches its card alone", event: eventOf(1, "commented", "t_mid"), touches: ["t_mid"] },
  {
    name: "a move touches those who wait, who are waited for, and the task it is a part of",
    event: eventOf(1, "completed", "t_mid", { from: "running", to: "done" }),
    touches: ["t_down", "t_mid", "t_root", "t_up"],
  },
  {
    name: "a link touches both ends",
    event: eventOf(1, "linked", "t_down", { parent: "t_other", child: "t_down" }),
    touches: ["t_down", "t_other"],
  },
  {
    name: "a deleted task touches its neighbours",
    event: eventOf(1, "deleted", null, { task_id: "t_mid" }),
    touches: ["t_down", "t_mid", "t_root", "t_up"],
  },
  { name: "a pause touches no card", event: eventOf(1, "board_paused", null, { reason: "tea" }), touches: [] },
  { name: "an unknown kind touches its card", event: eventOf(1, "novelty", "t_other"), touches: ["t_other"] },
] as const;

for (const { name, event, touches } of CASES)
  test(name, () => {
    assert.deepEqual([...cardsOf(family, [event])].toSorted(), touches);
  });

test("events that were seen before are passed over", () => {
  const events = [4, 5, 6].map((id) => eventOf(id, "commented", "t_up"));
  assert.deepEqual(
    unseen(5, events).map(({ id }) => id),
    [6],
  );
});
