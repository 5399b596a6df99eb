import assert from "node:assert/strict";
import { test } from "node:test";
import { Finished, runBoardModel } from "../../fixtures/sim/board-run.js";

const first = Number(process.env["AGENT_SEED"] ?? "1");
/** The crash tier sets `AGENT_TEST_SHORT`, empty for its full budget. */
const budget = process.env["AGENT_TEST_SHORT"] === "" ? "2000" : "100";
const sequences = Number(process.env["AGENT_SEQUENCES"] ?? budget);

/** A test of its own for so many, so that a slow machine ends none of them. */
const BATCH = 100;

for (let from = first; from < first + sequences; from += BATCH) {
  const end = Math.min(from + BATCH, first + sequences);
  test(`random commands, late workers and crashes leave the board as the rules say, and no invariant broken, ${from} to ${end - 1}`, async (t) => {
    let commands = 0;
    for (let seed = from; seed < end; seed++) commands += await run(seed);
    t.diagnostic(`${end - from} sequences, ${commands} commands`);
  });
}

async function run(seed: number): Promise<number> {
  try {
    const { commands, violations } = await runBoardModel(seed);
    assert.deepEqual(violations, [], `AGENT_SEED=${seed} AGENT_SEQUENCES=1`);
    return commands;
  } catch (error) {
    if (error instanceof Finished) return 0;
    const said = error instanceof Error ? (error.stack ?? error.message) : String(error);
    throw new Error(`AGENT_SEED=${seed} AGENT_SEQUENCES=1: ${said}`, { cause: error });
  }
}
