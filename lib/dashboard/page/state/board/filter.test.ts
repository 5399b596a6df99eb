import assert from "node:assert/strict";
import { test } from "node:test";
import { cardOf, viewOf } from "../../../../../fixtures/dashboard/cards.js";
import { EVERYTHING, filtered, NOBODY } from "./filter.js";
import { toLoadedBoard } from "./patch.js";

const cards = [
  cardOf("t_aaaa", { title: "Rate limit", body: "for the LOGIN page", assignee: "web", tenant: "acme" }),
  cardOf("t_bbbb", { title: "Other", result: "nothing", latest_summary: "see the login notes" }),
  cardOf("t_cccc", { title: "Done", status: "done", assignee: "web" }),
];
const board = toLoadedBoard(viewOf(cards), 0);

const CASES = [
  { name: "a word of the body, in any case", filter: { search: "login" }, ready: ["t_aaaa", "t_bbbb"], done: [] },
  { name: "an id", filter: { search: "t_cccc" }, ready: [], done: ["t_cccc"] },
  { name: "every word of several", filter: { search: " limit  web " }, ready: ["t_aaaa"], done: [] },
  { name: "a tenant", filter: { tenant: "acme" }, ready: ["t_aaaa"], done: [] },
  { name: "an assignee", filter: { assignee: "web" }, ready: ["t_aaaa"], done: ["t_cccc"] },
  { name: "nobody", filter: { assignee: NOBODY }, ready: ["t_bbbb"], done: [] },
] as const;

for (const { name, filter, ready, done } of CASES)
  test(`cards are found by ${name}`, () => {
    const columns = filtered(board, { ...EVERYTHING, ...filter });
    assert.deepEqual([columns.ready, columns.done], [ready, done]);
  });

test("a column that the filter leaves as it was is the same list, so that nothing of it is drawn again", () => {
  const first = filtered(board, { ...EVERYTHING, assignee: "web" });
  const again = filtered(board, { ...EVERYTHING, assignee: "web" }, first);
  assert.equal(again.ready, first.ready);
  assert.equal(filtered(board, EVERYTHING).ready, board.columns.ready);
});
