import assert from "node:assert/strict";
import { test } from "node:test";
import { GatewayHistory, type HistoryCounts } from "../../../fixtures/sim/gateway-history.js";

const first = Number(process.env["AGENT_SEED"] ?? "1");
/** The crash tier sets `AGENT_TEST_SHORT`, empty for its full budget. */
const budget = process.env["AGENT_TEST_SHORT"] === "" ? "300" : "30";
const sequences = Number(process.env["AGENT_SEQUENCES"] ?? budget);
/** Each opens a store; one process bears about 2,000. */
const LIVES = 4;

test("wherever an owner dies and whatever a platform does, a message is answered or visibly failed, and answered once", async (t) => {
  const sum: HistoryCounts = {
    events: 0,
    confirmations: 0,
    crashes: 0,
    answered: 0,
    failed: 0,
    unknown: 0,
    sent: 0,
    steps: 0,
  };
  for (let seed = first; seed < first + sequences; seed++) {
    const history = new GatewayHistory(seed);
    assert.deepEqual(await history.all(LIVES), [], `AGENT_SEED=${seed} AGENT_SEQUENCES=1`);
    for (const [key, count] of Object.entries(history.counts)) sum[key as keyof HistoryCounts] += count; // a key of the counts
  }
  t.diagnostic(
    Object.entries(sum)
      .map(([key, count]) => `${count} ${key}`)
      .join(", "),
  );
  if (sequences < 10) return;
  assert.equal(sum.crashes, LIVES * sequences);
  assert.ok(
    Object.values(sum).every((count) => count > 0),
    "these histories hold something of everything",
  );
});
