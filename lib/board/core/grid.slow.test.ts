import assert from "node:assert/strict";
import { test } from "node:test";
import { proves } from "../../../fixtures/requirements.js";
import { graphAnswer, type Said, setupPlanner } from "../../../fixtures/sim/board-aux.js";
import { type GridRow, testGrid } from "../../../fixtures/sim/board-grid.js";
import { DEFAULT } from "../../../fixtures/sim/board-world.js";
import { AppError } from "../../base/errors.js";
import { STATUSES } from "../../contracts/board/board.js";
import { renderStates } from "./diagram.js";
import { TRANSITIONS, transition } from "./states.js";

const answerFor: Said = ({ slot }) => ({
  ok: true,
  text: slot === "kanban_decomposer" ? graphAnswer({ title: "part" }) : '{"body": "b"}',
});

/** Model-backed verbs answer a wrong status with a reason in place of an error. */
async function outcomeOf(outcome: Promise<{ readonly ok: boolean; readonly reason: string }>): Promise<void> {
  const { ok, reason } = await outcome;
  if (!ok)
    throw new AppError(/^task is not in triage \(status='\w+'\)$/.test(reason) ? "E_STATE" : "E_INTERNAL", reason);
}

/** Board part 3.5, copied by hand. Columns: triage todo ready running blocked scheduled done archived. */
const GRID: readonly GridRow[] = [
  {
    verb: "specify",
    cells: ">ready E E E E E E E",
    run: ({ board }, id, by) => outcomeOf(board.specify(DEFAULT, id, {}, by)),
  },
  {
    verb: "decompose",
    cells: ">todo E E E E E E E",
    run: ({ board }, id, by) => outcomeOf(board.decompose(DEFAULT, id, {}, by)),
  },
  {
    verb: "promote",
    cells: "E >ready E E >ready >ready E E",
    run: ({ board }, id, by) => board.promote(DEFAULT, id, {}, by),
  },
  {
    verb: "claim",
    cells: "E E >running E E E E E",
    run: ({ board }, id, by) => board.claimOutside(DEFAULT, id, {}, by),
  },
  {
    verb: "complete",
    cells: "E E >done >done >done E E E",
    worker: "own",
    run: ({ board }, id, by) => board.complete(DEFAULT, id, { summary: "s" }, by),
  },
  {
    verb: "block",
    cells: "E >blocked >blocked >blocked E E E E",
    worker: "own",
    run: ({ board }, id, by) => board.block(DEFAULT, id, { reason: "r" }, by),
  },
  {
    verb: "schedule",
    cells: "E >scheduled >scheduled >scheduled >scheduled >scheduled E E",
    run: ({ board }, id, by) => board.schedule(DEFAULT, id, {}, by),
  },
  {
    verb: "unblock",
    cells: "E E E E >ready >ready E E",
    run: ({ board }, id, by) => board.unblock(DEFAULT, id, {}, by),
  },
  {
    verb: "reclaim",
    cells: "E E E >ready E E E E",
    run: ({ board }, id, by) => board.reclaim(DEFAULT, id, undefined, by),
  },
  {
    verb: "heartbeat",
    cells: "E E E ok E E E E",
    worker: "own",
    run: ({ board }, id, by) => board.heartbeat(DEFAULT, id, "n", by),
  },
  { verb: "reopen", cells: "E E E E E E >ready E", run: ({ board }, id, by) => board.reopen(DEFAULT, id, {}, by) },
  {
    verb: "archive",
    cells: ">archived >archived >archived >archived >archived >archived >archived E",
    run: ({ board }, id, by) => board.archive(DEFAULT, id, by),
  },
  {
    verb: "unarchive",
    cells: "E E E E E E E >ready",
    run: ({ board }, id, by) => board.unarchive(DEFAULT, id, {}, by),
  },
  { verb: "assign", cells: "ok ok ok R ok ok ok E", run: ({ board }, id, by) => board.assign(DEFAULT, id, "bob", by) },
  {
    verb: "gain a parent",
    cells: "ok ok >todo R ok ok ok E",
    worker: "extend",
    run: ({ board }, id, by, { parent }) => board.link(DEFAULT, parent, id, by),
  },
  {
    verb: "comment",
    cells: "ok ok ok ok ok ok ok ok",
    worker: "any",
    run: ({ board }, id, by) => board.comment(DEFAULT, id, "hi", by),
  },
];

testGrid(GRID, { world: (t) => setupPlanner(t, { said: [answerFor] }).world });

test("no trigger leads to running but a claim, and every row of the table can be taken", (t) => {
  proves(t, "board.running.not-settable");
  for (const row of TRANSITIONS) {
    if (row.to === "running") assert.equal(row.on, "claim");
    const facts = "guard" in row ? { [row.guard]: true } : {};
    for (const from of row.from) assert.equal(transition(from, row.on, facts)?.to, row.to, `${from} on ${row.on}`);
  }
});

test("the state diagram names every status and every trigger", () => {
  const text = renderStates();
  for (const status of STATUSES) assert.ok(text.includes(status), status);
  for (const row of TRANSITIONS) assert.ok(text.includes(row.on), row.on);
});
