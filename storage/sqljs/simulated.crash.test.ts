import assert from "node:assert/strict";
import { test } from "node:test";
import { proves } from "../../fixtures/requirements.js";
import { crashRun } from "../../fixtures/sim/store-crash.js";

/** The crash tier sets `AGENT_TEST_SHORT`, empty for its full budget. */
const budget = process.env["AGENT_TEST_SHORT"] === "" ? "10000" : "1000";
const wanted = Number(process.env["AGENT_CRASH_POINTS"] ?? budget);

test("a crash at any operation of the disk loses nothing that was acknowledged", async (t) => {
  proves(t, "R1");
  let points = 0;
  for (let seed = 1; points < wanted; seed++) {
    const report = await crashRun({ seed, rounds: 4, points: wanted - points });
    points += report.points;
    assert.deepEqual(report.violations, []);
  }
  t.diagnostic(`${points} crash points`);
});
