import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { COMPLETE, WORKED_BY_APP_SERVER } from "../../fixtures/agents/worker-programs.js";
import { eventually } from "../../fixtures/e2e/eventually.js";
import type { TaskFacts, WorkerHome } from "../../fixtures/worlds/worker-home.js";
import { systemSpawner } from "../base/process/spawn-system.js";

const { skip, open } = WORKED_BY_APP_SERVER;
const ended = ({ runs }: TaskFacts) => runs[0]?.outcome != null;
const DONE = { text: "Done." };

test("a program that had forgotten to complete completes when it is reminded, and its tokens are those of both turns", {
  skip,
}, async (t) => {
  const { home } = await open(t, [{ text: "I think that is all." }, COMPLETE, DONE]);
  await home.owner();
  const id = await home.create("forgotten", "do it");
  await home.task(id, ended);
  const { task, runs } = await left(home, id);
  assert.deepEqual([task.status, runs[0]?.summary], ["done", "written by another program"]);
  assert.deepEqual([runs[0]?.usage?.input_tokens, runs[0]?.usage?.api_calls], [300, 2]);
  const log = await home.cli("kanban", "log", id);
  for (const line of [
    /session \S+ \(agent sessions show/,
    /program app-server/,
    /model: I think that is all\./,
    /call mcp\.agent-tools\.kanban_complete .*written by another program/,
    /result mcp\.agent-tools\.kanban_complete ok/,
    /turn \(100 in, 20 out\)/,
  ])
    assert.match(log, line);
});

test("a program runs what needs approval where workers may, except what is never allowed", { skip }, async (t) => {
  const { home, requests } = await open(
    t,
    [{ risk: "touch allowed" }, { risk: "rm -rf /" }, COMPLETE, DONE],
    "kanban: { worker_approvals: allow }",
  );
  await home.owner();
  const id = await home.create("allowed", "do it");
  const { task } = await home.task(id, ended);
  assert.equal(task.status, "done");
  assert.ok(existsSync(join(task.workspace_path ?? "", "allowed")));
  assert.match(JSON.stringify(requests.at(2)?.messages), /reject|declin|denied/i);
});

/** The task once its worker has left, and has told its last tokens. */
async function left(home: WorkerHome, id: string): Promise<TaskFacts> {
  await eventually(() => home.workers().length === 0);
  return home.task(id, ended);
}

test("a task whose tokens a program has used up is blocked in the middle of its turn, and the program is gone", {
  skip,
}, async (t) => {
  const steps = [{ run: "true" }];
  const { home, server } = await open(t, steps, "kanban: { max_tokens_per_task: 300 }");
  await home.owner();
  const id = await home.create("expensive", "do it");
  const { task, runs } = await home.task(id, (facts) => facts.task.status === "blocked");
  assert.equal(task.block_kind, "budget", task.block_reason ?? "");
  assert.match(task.block_reason ?? "", /^token budget used up: \d+ of 300$/);
  await eventually(() => home.workers().length === 0);
  const asked = server.chats().length;
  assert.ok(asked < 20, `it was asked ${asked} times`);
  await eventually(() => running(home.dir).length === 0);
  const conversation = await home.cli("sessions", "show", runs[0]?.session_id ?? "", "--json");
  assert.match(conversation, /exec_command/, "the end of the conversation was stored");
});

test("a program that finishes with its last tokens has finished, and what it used stands on its run", {
  skip,
}, async (t) => {
  const { home } = await open(t, [{ run: "true" }, COMPLETE, DONE], "kanban: { max_tokens_per_task: 250 }");
  await home.owner();
  const id = await home.create("just enough", "do it");
  await home.task(id, ended);
  const { task, runs } = await left(home, id);
  assert.equal(task.status, "done", task.block_reason ?? "");
  assert.equal(runs[0]?.usage?.input_tokens, 300);
});

test("what a program does after its task is done counts for nothing: its worker leaves, and its conversation has an end", {
  skip,
}, async (t) => {
  const { home, server } = await open(t, [COMPLETE, { ...DONE, hold: "for ever" }]);
  await home.owner();
  const id = await home.create("talks on", "do it");
  const { task, runs } = await home.task(id, ended);
  assert.equal(task.status, "done");
  await server.arrived(2);
  await eventually(() => home.workers().length === 0);
  await eventually(() => running(home.dir).length === 0);
  const conversation = JSON.parse(await home.cli("sessions", "show", runs[0]?.session_id ?? "", "--json"));
  assert.match(JSON.stringify(conversation), /kanban_complete/);
  assert.doesNotMatch(JSON.stringify(conversation), /"status":"running"/);
});

/** Begin a task whose program runs a command without end. */
async function busy(t: TestContext) {
  const { home, ...more } = await open(t, [{ run: "touch begun; sleep 600" }], "kanban: { retry_backoff_seconds: 0 }");
  await home.owner();
  const id = await home.create("long", "do it", "--max-retries", "5");
  const { task } = await home.task(id, (facts) => facts.task.workspace_path !== null);
  await eventually(() => existsSync(join(task.workspace_path ?? "", "begun")));
  return { home, id, ...more };
}

/** Processes of programs and of what they started. */
const running = (home: string) => systemSpawner.marked("AGENT_HOME", home).filter((pid) => isProgram(pid));

function isProgram(pid: number): boolean {
  return /codex|sleep/.test(commandLine(pid));
}

test("a running task of a program that is archived leaves neither the program nor its commands", {
  skip,
}, async (t) => {
  const { home, id } = await busy(t);
  assert.notDeepEqual(running(home.dir), []);
  await home.cli("kanban", "archive", id);
  assert.deepEqual([home.workers(), running(home.dir)], [[], []]);
});

test("a killed worker takes its program along, and its task is worked again", { skip }, async (t) => {
  const { home, id } = await busy(t);
  const before = running(home.dir);
  for (const { worker } of home.workers()) process.kill(-worker.pid, "SIGKILL");
  const { runs } = await home.task(id, (facts) => facts.runs.length === 2);
  assert.equal(runs[0]?.outcome, "crashed");
  await eventually(() => running(home.dir).every((pid) => !before.includes(pid)));
  await home.cli("kanban", "archive", id);
});

test("a program that is killed ends the run as crashed, with what to do, and its task is worked again", {
  skip,
}, async (t) => {
  const { home, id } = await busy(t);
  for (const pid of running(home.dir)) if (/codex/.test(commandLine(pid))) process.kill(pid, "SIGKILL");
  const { runs } = await home.task(id, ended);
  assert.deepEqual([runs[0]?.outcome, runs[0]?.error_class], ["crashed", "model_error"], JSON.stringify(runs[0]));
  assert.match(runs[0]?.error ?? "", /app-server/);
  await home.cli("kanban", "archive", id);
});

test("a program that says nothing for longer than the lease keeps its task", { skip }, async (t) => {
  const { home, server } = await open(
    t,
    [{ text: "late", hold: "silence" }, COMPLETE, DONE],
    "kanban: { claim_ttl_seconds: 2 }",
  );
  await home.owner();
  const id = await home.create("silent", "do it");
  await server.arrived(1);
  const lease = async () => JSON.parse(await home.cli("kanban", "show", id, "--json")).runs[0].claim_expires;
  const first = await lease();
  while ((await lease()) < first + 3) assert.deepEqual(home.workers().length, 1);
  server.release("silence");
  const { task, runs } = await home.task(id, ended);
  assert.deepEqual([task.status, runs.length], ["done", 1]);
});

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return ""; // it has ended
  }
}
