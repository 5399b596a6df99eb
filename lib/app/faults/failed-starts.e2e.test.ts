import assert from "node:assert/strict";
import { test } from "node:test";
import { playRound, prepareHome, type Round } from "../../../fixtures/e2e/failed-starts.js";
import { world } from "../../../fixtures/e2e/world.js";

const ROUNDS = process.env["AGENT_TEST_SHORT"] === "1" ? 18 : 500;
/** `AGENT_START_SEEDS=7` plays one round again, `AGENT_START_SEEDS=1-250` these. */
const [FIRST = 1, LAST = FIRST] = (process.env["AGENT_START_SEEDS"] ?? `1-${ROUNDS}`).split("-").map(Number);

test("no start that fails changes a store, whatever is damaged, fails or is killed, and however many start at once", async (t) => {
  const made = await world(t, { faults: true });
  const kept = await prepareHome(made);
  const seeds = Array.from({ length: LAST - FIRST + 1 }, (_, at) => FIRST + at);
  const rounds: Round[] = [];
  for (const seed of seeds) {
    const round = await playRound(made, kept, seed);
    rounds.push(round);
    if (round.changed.length > 0 || round.problems.length > 0 || FIRST === LAST) t.diagnostic(JSON.stringify(round));
  }
  const sum = (count: (round: Round) => number) => rounds.reduce((all, round) => all + count(round), 0);
  const changed = rounds.filter((round) => round.changed.length > 0);
  t.diagnostic(
    `${rounds.length} rounds (seeds ${seeds[0]} to ${seeds.at(-1)}): ${sum((one) => one.failed)} starts failed, ${sum((one) => one.succeeded)} succeeded, ${sum((one) => one.killed)} processes were killed, ${changed.length} rounds changed a store`,
  );
  assert.deepEqual(changed, []);
  assert.deepEqual(
    rounds.filter((round) => round.problems.length > 0),
    [],
  );
});
