import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { eventually } from "../../fixtures/e2e/eventually.js";
import type { Reply } from "../../fixtures/servers/model/script.js";
import { type ModelServer, startModelServer } from "../../fixtures/servers/model/server.js";
import { type TaskFacts, type WorkerHome, workerHome } from "../../fixtures/worlds/worker-home.js";

const USAGE = { prompt_tokens: 100, completion_tokens: 20, cost: 0.25 };
const step: Reply = { tool_calls: [{ name: "terminal", arguments: { command: "true" } }], usage: USAGE };
const complete: Reply = { tool_calls: [{ name: "kanban_complete", arguments: { summary: "done" } }], usage: USAGE };

async function setup(
  t: TestContext,
  replies: readonly Reply[],
  max: number,
): Promise<{ server: ModelServer; home: WorkerHome }> {
  const server = await startModelServer({ script: { pick: "history", replies } });
  t.after(() => server.close());
  const model = `model:\n  default: scripted\n  base_url: ${server.url}\n  api_key: sk-test\nsecurity:\n  allow_private_urls: true\n`;
  const home = workerHome(t, `${model}kanban:\n  max_tokens_per_task: ${max}\n  retry_backoff_seconds: 0\n`);
  await home.owner();
  return { server, home };
}

const blocked = ({ task }: TaskFacts) => task.status === "blocked";

test("a task whose tokens are used up is blocked at once, and its worker leaves", async (t) => {
  const { server, home } = await setup(t, [step], 300);
  const id = await home.create("expensive", "do it");
  const { task, runs, events } = await home.task(id, blocked);
  assert.deepEqual([task.block_kind, task.block_reason], ["budget", "token budget used up: 360 of 300"]);
  assert.deepEqual(task.usage, {
    input_tokens: 300,
    output_tokens: 60,
    cached_tokens: 0,
    api_calls: 3,
    cost_usd: 0.75,
  });
  assert.deepEqual([runs.length, runs[0]?.outcome, server.chats().length], [1, "blocked", 3]);
  const event = events.find((one) => one.kind === "blocked");
  assert.deepEqual(event?.payload, { reason: task.block_reason, block_kind: "budget", from: "running", to: "blocked" });
  await eventually(() => home.workers().length === 0);
  const conversation = JSON.parse(await home.cli("sessions", "show", runs[0]?.session_id ?? "", "--json"));
  assert.match(JSON.stringify(conversation), /"input_tokens":300/, "the end of the conversation was stored");

  await home.cli("kanban", "unblock", id);
  const again = await home.task(id, (facts) => facts.runs.length === 2 && blocked(facts));
  assert.deepEqual([again.task.block_kind, server.chats().length], ["budget", 3], "nothing more is spent on it");
});

test("a worker that finishes with its last tokens has finished", async (t) => {
  const { home } = await setup(t, [step, complete], 200);
  const id = await home.create("just enough", "do it");
  const { task } = await home.task(id, ({ runs }) => runs[0]?.outcome != null);
  assert.deepEqual([task.status, task.usage?.input_tokens], ["done", 200]);
});

test("what a run has used is known while it works, and after its worker was killed", async (t) => {
  const { server, home } = await setup(t, [step, { ...step, hold: "later" }], 0);
  const id = await home.create("killed", "do it", "--max-retries", "1");
  await server.arrived(2);
  const during = JSON.parse(await home.cli("kanban", "show", id, "--json"));
  assert.deepEqual(
    [during.task.usage.input_tokens, during.task.usage.api_calls, during.task.usage.cost_usd],
    [100, 1, 0.25],
  );
  for (const { worker } of home.workers()) process.kill(-worker.pid, "SIGKILL");
  const { runs } = await home.task(id, blocked);
  assert.deepEqual(
    [runs[0]?.outcome, runs[0]?.usage?.output_tokens, runs[0]?.session_id !== null],
    ["crashed", 20, true],
  );
  const stats = JSON.parse(await home.cli("kanban", "stats", "--json"));
  assert.deepEqual([stats.usage.total.input_tokens, stats.usage.by_assignee.default.cost_usd], [100, 0.25]);
  assert.match(await home.cli("kanban", "show", id), /tokens: +100 in, 20 out, 1 calls, \$0\.2500/);
});
