import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { boardRows, violations } from "../../../fixtures/e2e/rows.js";
import { type World, world } from "../../../fixtures/e2e/world.js";
import { proves } from "../../../fixtures/requirements.js";
import type { Script } from "../../../fixtures/servers/model/script.js";
import { boardWorkerScript } from "../../../fixtures/servers/model/scripts.js";

/** One tool call whose effect can be counted, then an answer. */
const ONE_CALL: Script = {
  pick: "history",
  replies: [
    { text: "now", tool_calls: [{ name: "terminal", arguments: { command: "echo ran >> effects" } }] },
    { text: "done" },
  ],
};

interface Shown {
  readonly messages: readonly { readonly role: string; readonly content: string; readonly tool_call_id?: string }[];
}

const TURN = ["turn.opened", "turn.streaming", "turn.calls-committed", "tool.ran", "turn.ended"] as const;

for (const point of TURN) {
  test(`an owner killed at ${point} leaves a conversation that goes on, and no call runs twice`, async (t) => {
    proves(t, "R1", "R3");
    const made = await world(t, { model: { script: ONE_CALL }, name: "any", faults: true });
    const doomed = await made.owner({ AGENT_FAULT: `${point}:1` });
    const turn = await made.run(["chat", "-q", "first", "--json"]);
    assert.equal((await doomed.ended).code, 128);
    assert.equal(turn.code, 1);
    await made.owner();
    const [session] = await made.json<{ id: string }[]>("sessions", "list");
    assert.ok(session);
    wellFormed((await made.json<Shown>("sessions", "show", session.id)).messages);
    assert.ok(effects(made) <= 1);
    const again = await made.run(["--resume", session.id, "-z", "second"]);
    assert.deepEqual([again.code, again.out], [0, "done\n"]);
    const { messages } = await made.json<Shown>("sessions", "show", session.id);
    wellFormed(messages);
    assert.deepEqual(
      messages.filter(({ role }) => role === "user").map(({ content }) => content),
      ["first", "second"],
    );
  });
}

/** Where a worker is killed, and how its task stands when no one tries any more. */
const WORKER = [
  { point: "turn.opened:1", status: "blocked", runs: 2 },
  { point: "turn.streaming:1", status: "blocked", runs: 2 },
  { point: "turn.calls-committed:2", status: "blocked", runs: 2 },
  { point: "tool.ran:2", status: "blocked", runs: 2 },
  { point: "tool.ran:3", status: "done", runs: 1 },
  { point: "turn.ended:1", status: "done", runs: 1 },
] as const;

for (const { point, status, runs } of WORKER) {
  test(`a worker killed at ${point} leaves its task ${status}, each of its ${runs} runs ended once`, async (t) => {
    proves(t, "R2", "R3");
    const config = "kanban:\n  worker_env: [AGENT_FAULT]\n  retry_backoff_seconds: 0\n";
    const made = await world(t, { model: { script: boardWorkerScript() }, name: "any", config, faults: true });
    const owner = await made.owner({ AGENT_FAULT: point });
    const { id } = await made.json<{ id: string }>("kanban", "create", "write hello.txt", "--assignee", "default");
    await made.event((one) => one.task_id === id && (one.event === "gave_up" || one.event === "completed"));
    const { task, runs: rows } = await made.json<{ task: { status: string }; runs: { ended_at: number | null }[] }>(
      "kanban",
      "show",
      id,
    );
    assert.deepEqual(
      [task.status, rows.length, rows.filter(({ ended_at }) => ended_at === null).length],
      [status, runs, 0],
    );
    await owner.end();
    assert.deepEqual(violations(await boardRows(made.home.dir), [id]), []);
  });
}

/** Every call has exactly one result, and nothing is there twice. */
function wellFormed(messages: Shown["messages"]): void {
  const results = messages.flatMap(({ tool_call_id }) => tool_call_id ?? []);
  assert.equal(new Set(results).size, results.length);
  const calls = JSON.stringify(messages).match(/"name":"terminal"/g) ?? [];
  assert.equal(results.length, calls.length);
}

function effects({ work }: World): number {
  const file = join(work, "effects");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").length : 0;
}
