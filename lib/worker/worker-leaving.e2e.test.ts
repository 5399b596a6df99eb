import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { eventually } from "../../fixtures/e2e/eventually.js";
import type { Reply } from "../../fixtures/servers/model/script.js";
import { startModelServer } from "../../fixtures/servers/model/server.js";
import { type TaskFacts, type WorkerHome, workerHome } from "../../fixtures/worlds/worker-home.js";
import { listProcesses } from "../base/process/process.js";
import { systemSpawner as spawner } from "../base/process/spawn-system.js";

async function setup(t: TestContext, replies: readonly Reply[]) {
  const server = await startModelServer({ script: { pick: "history", replies } });
  t.after(() => server.close());
  const model = `model:\n  default: scripted\n  base_url: ${server.url}\n  api_key: sk-test\nsecurity:\n  allow_private_urls: true\n`;
  const home = workerHome(t, `${model}kanban:\n  retry_backoff_seconds: 0\n`);
  const owner = await home.owner();
  return { server, home, owner };
}

/** The worker itself: neither the runner that leads it nor a command that it runs, which has its marks. */
function workerOf(home: WorkerHome): number {
  const leaders = home.workers().map(({ worker }) => worker.pid);
  const worker = listProcesses().find(({ parent, zombie }) => leaders.includes(parent) && !zombie);
  assert.ok(worker !== undefined, "a worker lives");
  return worker.pid;
}

/** Resolves when no worker lives. */
const gone = (home: WorkerHome) => eventually(() => home.workers().length === 0);

const ended = ({ runs }: TaskFacts) => runs[0]?.outcome != null;
const running = (command: string): Reply => ({ tool_calls: [{ name: "terminal", arguments: { command } }] });

test("a worker that is told to end stops its command, stores its conversation and exits 143", async (t) => {
  const { server, home } = await setup(t, [running("echo started > started; sleep 600")]);
  const id = await home.create("long", "do it", "--max-retries", "1");
  await server.arrived(1);
  const { runs } = await home.task(
    id,
    ({ runs: [run] }) => run?.session_id != null && spawner.marked("AGENT_KANBAN_TASK", id).length > 0,
  );
  await commandStarted(home, id);
  process.kill(workerOf(home), "SIGTERM");
  const after = await home.task(id, ended);
  assert.deepEqual([after.runs[0]?.outcome, after.runs[0]?.exit_code], ["crashed", 143]);
  await gone(home);
  const { messages } = JSON.parse(await home.cli("sessions", "show", runs[0]?.session_id ?? "", "--json"));
  const tool = messages.find((message: { role: string }) => message.role === "tool");
  assert.match(JSON.stringify(tool), /cancelled|interrupted/, "the result of the command that was ended is kept");
});

test("a worker that is told to end while its model answers stops the request", async (t) => {
  const { server, home } = await setup(t, [{ endless: true }]);
  const id = await home.create("talks", "do it", "--max-retries", "1");
  await server.arrived(1);
  await home.task(id, ({ runs: [run] }) => run?.session_id != null);
  process.kill(workerOf(home), "SIGTERM");
  await server.dropped();
  const { runs } = await home.task(id, ended);
  assert.equal(runs[0]?.exit_code, 143);
});

test("a worker leaves by itself after its terminal call, whatever it has started, with no one there who could end it", {
  timeout: 300_000,
}, async (t) => {
  const background: Reply = {
    tool_calls: [{ name: "terminal", arguments: { command: "trap '' TERM; sleep 600", background: true } }],
  };
  const complete: Reply = { tool_calls: [{ name: "kanban_complete", arguments: { summary: "done" } }] };
  const { home, owner } = await setup(t, [background, complete]);
  const id = await home.create("leaves", "do it");
  const { task, runs } = await home.task(id, ended);
  assert.equal(task.status, "done");
  await acceptedCall(home, runs[0]?.session_id ?? "");
  process.kill(owner.pid, "SIGKILL");
  await gone(home);
});

/** The worker has the answer to its terminal call: without it, it waits for an owner that answers, as long as its lease lasts. */
async function acceptedCall(home: WorkerHome, session: string): Promise<void> {
  for (let accepted = false; !accepted; ) {
    const { messages } = JSON.parse(await home.cli("sessions", "show", session, "--json"));
    accepted = messages.some(
      (message: { role: string; tool_name?: string }) =>
        message.role === "tool" && message.tool_name === "kanban_complete",
    );
  }
}

/** The command of the worker has begun. */
async function commandStarted(home: WorkerHome, id: string): Promise<void> {
  const { task } = await home.task(id, (facts) => facts.task.workspace_path !== null);
  await eventually(() => existsSync(`${task.workspace_path}/started`));
}
