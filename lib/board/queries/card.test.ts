import assert from "node:assert/strict";
import { test } from "node:test";
import { DEFAULT, setupBoard, USER } from "../../../fixtures/sim/board-world.js";
import { plansOf, recording } from "../../../fixtures/sim/plans.js";
import { boardMigrations } from "../../../storage/schema/board.js";
import { stalePointers, unassignedChildren, wrongRuns } from "../../../storage/tables/board/audit.js";
import { assigneeCounts, columnTotals, tenants } from "../../../storage/tables/board/cards.js";
import { selectTasks } from "../../../storage/tables/board/tasks.js";
import { toUnix } from "../../base/units.js";
import { cardFacts } from "./card.js";

test("what a board and its doctor show is found by indexes: no table is read whole", async (t) => {
  const world = setupBoard(t);
  const { task } = await world.board.create(DEFAULT, { title: "x", tenant: "t" }, USER);
  const asked = await (await world.store()).read(async (q) => {
    const recorded = recording(q);
    const { through } = recorded;
    await cardFacts(through, [task], { now: toUnix(world.clock.now()), summaries: 10 });
    const order = "t.completed_at DESC, t.rowid DESC";
    await selectTasks(through, { statuses: ["done"], where: [], order, indexed: false, limit: 5 });
    await columnTotals(through, undefined);
    await columnTotals(through, "t");
    await tenants(through);
    await assigneeCounts(through);
    await wrongRuns(through);
    await stalePointers(through);
    await unassignedChildren(through);
    return recorded.asked;
  });
  const plans = await plansOf(boardMigrations, asked);
  assert.ok(asked.length >= 14 && plans.length > asked.length, "every statement has its plan");
  const whole = plans.filter(
    (plan) =>
      plan.startsWith("SCAN ") &&
      !/^SCAN (?:json_each|newest|page\b|\w+ USING COVERING INDEX|r USING INDEX runs_open)/.test(plan),
  );
  assert.deepEqual(whole, []);
});
