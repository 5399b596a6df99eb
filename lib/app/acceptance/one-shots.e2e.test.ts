import assert from "node:assert/strict";
import { test } from "node:test";
import { world } from "../../../fixtures/e2e/world.js";
import type { Script, ScriptedCall } from "../../../fixtures/servers/model/script.js";

const judged = (...verdicts: readonly boolean[]): Script => ({
  replies: [{ text: "a step was taken" }],
  auxiliary: verdicts.map((done) => ({
    text: JSON.stringify({ done, reason: done ? "it is there" : "something is missing" }),
  })),
});

const GOALS = [
  {
    how: "met after two turns: 0",
    script: judged(false, true),
    code: 0,
    turns: 2,
    said: ["↻ Continuing toward goal (1/2): something is missing", "✓ Goal achieved: it is there"],
  },
  {
    how: "not met within its budget: 1",
    script: judged(false),
    code: 1,
    turns: 3,
    said: [
      "↻ Continuing toward goal (1/2): something is missing",
      "↻ Continuing toward goal (2/2): something is missing",
      "⏸ Goal paused - 2/2 turns used. /goal resume continues.",
    ],
  },
];
for (const { how, script, code, turns, said } of GOALS) {
  test(`-z "/goal ..." works the whole loop, prints the last answer and says why it ended, ${how}`, async (t) => {
    const made = await world(t, { model: { script }, name: "any", config: "goals:\n  max_turns: 2\n" });
    assert.deepEqual(await made.run(["-z", "/goal five files are there"]), {
      code,
      out: "a step was taken\n",
      err: said.map((line) => `agent: ${line}\n`).join(""),
    });
    assert.equal(made.model.chats().length, turns);
  });
}

test(`-z "/goal ..." --json prints the events of all its turns, and the last line is the end of the last turn`, async (t) => {
  const made = await world(t, { model: { script: judged(false) }, name: "any", config: "goals:\n  max_turns: 1\n" });
  const { code, out } = await made.run(["-z", "/goal five files are there", "--json"]);
  const lines = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string; text?: string; code?: string });
  const kept = lines.filter(({ type, code }) => ["turn.started", "turn.ended"].includes(type) || code === "goal");
  assert.deepEqual(
    kept.map(({ type, text }) => text ?? type),
    [
      "turn.started",
      "↻ Continuing toward goal (1/1): something is missing",
      "turn.ended",
      "turn.started",
      "⏸ Goal paused - 1/1 turns used. /goal resume continues.",
      "turn.ended",
    ],
  );
  assert.deepEqual([code, lines.at(-1)?.type], [1, "turn.ended"]);
});

test("a slash command that fails in a one-shot says so on standard error alone", async (t) => {
  const made = await world(t, { model: { script: judged(true) }, name: "any" });
  const { code, out, err } = await made.run(["-z", "/nope"]);
  assert.deepEqual([code, out], [2, ""]);
  assert.match(err, /^Unknown command \/nope/);
});

/** Goes on when it is told to end, and so do its children. */
const STUBBORN: Script = {
  replies: [
    {
      tool_calls: [
        { name: "terminal", arguments: { command: "trap '' TERM INT; echo begun; while :; do sleep 0.1; done" } },
      ],
    },
  ],
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
  const replies = [
    call,
    { tool_calls: [{ name: "terminal", arguments: { command: "echo 2" } }] },
    { text: "The summary." },
  ];
  const made = await world(t, { model: { script: { replies } }, name: "any" });
  const { code, out, err } = await made.run(["-z", "do it", "--max-turns", "2"]);
  assert.deepEqual([code, out, err], [1, "The summary.\n", "agent: The limit is reached: (2/2) agent.max_turns.\n"]);
});

const MANY_CALLS: readonly { readonly how: string; readonly calls: readonly ScriptedCall[] }[] = [
  {
    how: "eight commands side by side",
    calls: Array.from({ length: 8 }, (_, at) => ({ name: "terminal", arguments: { command: `echo ${at}` } })),
  },
  {
    how: "a program that makes twenty calls at once",
    calls: [
      {
        name: "execute_code",
        arguments: {
          code: `import { terminal } from "agent-tools";
await Promise.all(Array.from({ length: 20 }, (_, at) => terminal({ command: "echo " + at })));`,
        },
      },
    ],
  },
];
for (const { how, calls } of MANY_CALLS) {
  test(`${how}: the runtime prints no warning on standard error`, async (t) => {
    const made = await world(t, {
      model: { script: { replies: [{ tool_calls: calls }, { text: "done" }] } },
      name: "any",
    });
    assert.deepEqual(await made.run(["-z", "go", "--yolo"]), { code: 0, out: "done\n", err: "" });
  });
}
