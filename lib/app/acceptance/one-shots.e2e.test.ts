import assert from "node:assert/strict";
import { test } from "node:test";
import { world } from "../../../fixtures/e2e/world.js";
import type { Script } from "../../../fixtures/servers/model/script.js";

const judged = (...verdicts: readonly boolean[]): Script => ({
  replies: [{ text: "a step was taken" }],
  auxiliary: verdicts.map((done) => ({ text: JSON.stringify({ done, reason: done ? "it is there" : "something is missing" }) })),
});

const GOALS = [
  { how: "met after two turns: 0", script: judged(false, true), code: 0, turns: 2 },
  { how: "not met within its budget: 1", script: judged(false), code: 1, turns: 3 },
];
for (const { how, script, code, turns } of GOALS) {
  test(`-z "/goal ..." works the whole loop and prints the last answer, ${how}`, async (t) => {
    const made = await world(t, { model: { script }, name: "any", config: "goals:\n  max_turns: 2\n" });
    assert.deepEqual(await made.run(["-z", "/goal five files are there"]), { code, out: "a step was taken\n", err: "" });
    assert.equal(made.model.chats().length, turns);
  });
}

/** Goes on when it is told to end, and so do its children. */
const STUBBORN: Script = {
  replies: [{ tool_calls: [{ name: "terminal", arguments: { command: "trap '' TERM INT; echo begun; while :; do sleep 0.1; done" } }] }],
};

for (const { way, owned } of [
  { way: "without an owner", owned: false },
  { way: "with an owner", owned: true },
]) {
  test(`C60, C81: Ctrl+C in a one-shot ends with 130, and a second one needs no third, ${way}`, async (t) => {
    const made = await world(t, { model: { script: STUBBORN }, name: "any" });
    if (owned) await made.owner();
    const before = made.processes();
    const turn = made.start(["chat", "-q", "go", "--json"]);
    await turn.line((line) => line.includes("begun") && line.includes('"tool.progress"'));
    process.kill(turn.pid, "SIGINT");
    await turn.line((line) => line.includes('"interrupting"'));
    assert.equal((await turn.end("SIGINT")).code, 130);
    if (owned) await made.event(({ event }) => event === "turn.ended", "sessions");
    else await made.alone(before);
  });
}

test("a budget that ends a turn is named on standard error with its setting; the exit code is 1", async (t) => {
  const call = { tool_calls: [{ name: "terminal", arguments: { command: "echo 1" } }] };
  const replies = [call, { tool_calls: [{ name: "terminal", arguments: { command: "echo 2" } }] }, { text: "summary" }];
  const made = await world(t, { model: { script: { replies } }, name: "any" });
  const { code, out, err } = await made.run(["-z", "do it", "--max-turns", "2"]);
  assert.deepEqual([code, out, err], [1, "summary\n", "agent: The limit is reached: (2/2) agent.max_turns.\n"]);
});
