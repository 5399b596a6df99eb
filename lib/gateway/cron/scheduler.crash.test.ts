import assert from "node:assert/strict";
import { test } from "node:test";
import { CronHistory } from "../../../fixtures/sim/cron-history.js";

const first = Number(process.env["AGENT_SEED"] ?? "1");
/** The crash tier sets `AGENT_TEST_SHORT`, empty for its full budget. */
const budget = process.env["AGENT_TEST_SHORT"] === "" ? "150" : "15";
const sequences = Number(process.env["AGENT_SEQUENCES"] ?? budget);

test("wherever an owner dies and however clocks are set, each slot runs once or is counted as missed", async () => {
  for (let seed = first; seed < first + sequences; seed++) {
    const history = new CronHistory(seed);
    assert.deepEqual(await history.all(4), [], `AGENT_SEED=${seed} AGENT_SEQUENCES=1`);
    if (process.env["AGENT_TELL"]) process.stdout.write(`${JSON.stringify(history.counts)}\n`);
  }
});
