import assert from "node:assert/strict";
import { test } from "node:test";
import { Finished, runBoardModel } from "../../fixtures/sim/board-run.js";

const first = Number(process.env["AGENT_SEED"] ?? "1");
/** The crash tier sets `AGENT_TEST_SHORT`, empty for its full budget. */
const budget = process.env["AGENT_TEST_SHORT"] === "" ? "2000" : "100";
const sequences = Number(process.env["AGENT_SEQUENCES"] ?? budget);

test("random commands, late workers and crashes leave the board as the rules say, and no invariant broken", async (t) => {
  let commands = 0;
  for (let seed = first; seed < first + sequences; seed++) {
    try {
      const report = await runBoardModel(seed);
      commands += report.commands;
      assert.deepEqual(report.violations, [], `AGENT_SEED=${seed} AGENT_SEQUENCES=1`);
    } catch (error) {
      if (!(error instanceof Finished)) {
        const said = error instanceof Error ? (error.stack ?? error.message) : String(error);
        throw new Error(`AGENT_SEED=${seed} AGENT_SEQUENCES=1: ${said}`, { cause: error });
      }
    }
  }
  t.diagnostic(`${sequences} sequences, ${commands} commands`);
});
