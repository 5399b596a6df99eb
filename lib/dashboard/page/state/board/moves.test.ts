import assert from "node:assert/strict";
import { test } from "node:test";
import { cardOf } from "../../../../../fixtures/dashboard/cards.js";
import { STATUSES, type Status } from "../../../../contracts/board/board.js";
import { explainRefusedMove, planMove } from "./moves.js";

/** From each status, where a status write leads to (board part, 14.5). */
const LEADS: Readonly<Record<Status, readonly Status[]>> = {
  triage: ["todo", "ready", "archived"],
  todo: ["triage", "ready", "blocked", "scheduled", "archived"],
  ready: ["triage", "todo", "blocked", "scheduled", "done", "archived"],
  running: ["triage", "todo", "ready", "blocked", "scheduled", "done", "archived"],
  blocked: ["triage", "todo", "ready", "scheduled", "done", "archived"],
  scheduled: ["triage", "todo", "ready", "archived"],
  done: ["triage", "todo", "ready", "archived"],
  archived: ["ready"],
};

for (const from of STATUSES)
  test(`a card in ${from} can be let go where the owner takes it, and nowhere else`, () => {
    const card = cardOf("t_1", { status: from });
    assert.deepEqual(
      STATUSES.filter((to) => explainRefusedMove(card, to) === undefined),
      STATUSES.filter((to) => LEADS[from].includes(to)),
    );
  });

test("an archived task goes back to where it came from", () => {
  assert.equal(explainRefusedMove(cardOf("t_1", { status: "archived", archived_from: "done" }), "done"), undefined);
  assert.match(explainRefusedMove(cardOf("t_1", { status: "archived", archived_from: "done" }), "ready") ?? "", /Done/);
  assert.equal(explainRefusedMove(cardOf("t_1", { status: "archived", waits_for: ["t_2"] }), "todo"), undefined);
});

test("of several cards those go that can, the others are named, and running ones are counted", () => {
  const cards = [
    cardOf("t_1", { status: "running" }),
    cardOf("t_2", { status: "done" }),
    cardOf("t_3", { status: "ready" }),
  ];
  const { ids, refused, stops } = planMove(cards, "blocked");
  assert.deepEqual([ids, refused.map(({ id }) => id), stops], [["t_1", "t_3"], ["t_2"], 1]);
});
