import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { test } from "node:test";
import { kanbanWorld } from "../../../fixtures/e2e/kanban.js";
import { findProcess } from "../../base/process/process.js";
import { systemSpawner } from "../../base/process/spawn-system.js";
import type { TaskView } from "../../contracts/board/api.js";
import type { BoardEvent } from "../../contracts/board/board.js";

const CAP = Math.max(1, Math.min(4, availableParallelism()));
const lives = (pid: number | undefined) => pid !== undefined && systemSpawner.identify(pid) !== undefined;
const of = ({ events }: TaskView, kind: string): readonly BoardEvent[] => events.filter((event) => event.kind === kind);
const outcomes = ({ runs }: TaskView) => runs.map((run) => run.outcome);

test("check 43: a ready task without an assignee goes to the default profile, is worked and done", async (t) => {
  const { make, P, exited, show } = await kanbanWorld(t, { mode: "complete" });
  const id = await make("one");
  const pass = await P();
  assert.deepEqual(pass.auto_assigned_default, [id]);
  assert.deepEqual(
    pass.spawned.map(({ task_id, assignee }) => [task_id, assignee]),
    [[id, "default"]],
  );
  await exited(id);
  const view = await show(id);
  assert.deepEqual([view.task.status, view.task.assignee, outcomes(view)], ["done", "default", ["completed"]]);
  assert.equal(of(view, "assigned")[0]?.payload["source"], "kanban.default_assignee");
});

test("check 44: a worker has its arguments, directory, variables and session, and no secret", async (t) => {
  const { make, Kwith, told, show, home, work } = await kanbanWorld(t);
  const id = await make("one", "--tenant", "acme", "--max-runtime", "1h");
  const secret = "sk-owner-4711-0815-abcdef";
  const { code, err } = await Kwith({ env: { OWNER_API_KEY: secret, LC_TIME: "C", TZ: "UTC" }, cwd: work }, "dispatch");
  assert.equal(code, 0, err);
  const worker = await told(id);
  const { task, runs } = await show(id);
  const run = runs[0];
  assert.deepEqual(worker.argv.slice(0, 3), ["-p", "default", "--accept-hooks"]);
  assert.deepEqual(worker.argv.slice(-2), ["worker", id]);
  assert.match(worker.argv.join(" "), /--toolsets \S*kanban/);
  assert.equal(worker.cwd, task.workspace_path);
  const expected = {
    AGENT_HOME: home.dir,
    AGENT_PROFILE: "default",
    AGENT_KANBAN_TASK: id,
    AGENT_KANBAN_RUN_ID: String(run?.id),
    AGENT_KANBAN_HOME: home.root,
    AGENT_KANBAN_BOARD: "default",
    AGENT_KANBAN_WORKSPACE: task.workspace_path,
    AGENT_TENANT: "acme",
    TERMINAL_TIMEOUT: "3570",
    TERMINAL_MAX_FOREGROUND_TIMEOUT: "3570",
    LC_TIME: "C",
    TZ: "UTC",
  };
  for (const [name, value] of Object.entries(expected)) assert.equal(worker.env[name], value, name);
  assert.ok(worker.env["AGENT_WORKER_MARK"] && worker.env["AGENT_KANBAN_CLAIM"]);
  assert.equal(worker.env["AGENT_KANBAN_GOAL_MODE"], undefined);
  const process = findProcess(worker.pid);
  assert.deepEqual([process?.session, process?.group], [run?.worker_pid, run?.worker_pid]);
  const claim = worker.env["AGENT_KANBAN_CLAIM"] ?? "";
  assert.equal(statSync(claim).mode & 0o777, 0o600);
  const { token } = JSON.parse(readFileSync(claim, "utf8"));
  const seen = JSON.stringify([worker.env, worker.argv]);
  assert.ok(token.length > 40 && !seen.includes(token) && !seen.includes(secret));
});

test("check 45: a task for a profile that does not exist waits, and says so without an event per pass", async (t) => {
  const { make, P, show, J } = await kanbanWorld(t);
  const id = await make("one", "--assignee", "nosuch");
  const before = (await show(id)).events.length;
  for (let pass = 0; pass < 2; pass++) assert.deepEqual((await P()).skipped_nonspawnable, [id]);
  assert.equal((await show(id)).events.length, before);
  const { reasons } = await J<{ reasons: { code: string }[] }>("why", id);
  assert.ok(reasons.some(({ code }) => code === "unknown_assignee"));
  const found = await J<{ task_id: string | null; diagnostics: { kind: string }[] }[]>("diagnostics");
  const own = found
    .filter(({ task_id }) => task_id === id)
    .flatMap(({ diagnostics }) => diagnostics.map(({ kind }) => kind));
  assert.deepEqual(own, ["unknown_assignee"]);
});

test("check 46: a worker that fails twice in a row has its task blocked, and gave_up says why", async (t) => {
  const { make, P, exited, show } = await kanbanWorld(t, { mode: "exit1" });
  const id = await make("one");
  await P();
  await exited(id, 1);
  const second = await P();
  assert.deepEqual([second.crashed, second.auto_blocked, second.spawned.length], [[id], [], 1]);
  await exited(id, 2);
  const third = await P();
  assert.deepEqual([third.crashed, third.auto_blocked, third.spawned], [[id], [id], []]);
  const view = await show(id);
  assert.deepEqual(
    [view.task.status, view.task.block_kind, outcomes(view)],
    ["blocked", "breaker", ["crashed", "crashed"]],
  );
  const { failures, effective_limit, trigger_outcome, limit_source } = of(view, "gave_up")[0]?.payload ?? {};
  assert.deepEqual([failures, effective_limit, trigger_outcome, limit_source], [2, 2, "crashed", "default"]);
  assert.equal(view.task.last_failure_error, "leaving with 1");
  const kinds = view.events.map(({ kind }) => kind);
  assert.ok(kinds.indexOf("gave_up") > kinds.lastIndexOf("crashed"));
});

test("check 47: the task's own allowance of failures wins", async (t) => {
  const { make, P, exited, show } = await kanbanWorld(t, { mode: "exit1" });
  const id = await make("one", "--max-retries", "1");
  await P();
  await exited(id);
  assert.deepEqual((await P()).auto_blocked, [id]);
  const view = await show(id);
  assert.deepEqual([view.task.status, view.runs.length], ["blocked", 1]);
  assert.equal(of(view, "gave_up")[0]?.payload["limit_source"], "task");
});

test("check 48: a worker that leaves without a word blocks its task at once, and nothing starts it again", async (t) => {
  const { make, daemon, settled, P } = await kanbanWorld(t, { mode: "exit0" });
  await daemon("--interval", "1");
  const id = await make("one", "--max-retries", "5");
  const first = await settled(id);
  assert.deepEqual([first.task.status, first.task.block_kind], ["blocked", "protocol"]);
  for (let pass = 0; pass < 3; pass++) assert.deepEqual((await P()).spawned, []);
  const view = await settled(id);
  assert.deepEqual([view.runs.length, view.runs[0]?.outcome], [1, "protocol_violation"]);
  const kinds = view.events.map(({ kind }) => kind);
  assert.deepEqual([kinds.includes("protocol_violation"), kinds.includes("gave_up")], [true, false]);
});

test("check 49: a worker that cannot be started is a failure of its own kind, and the second blocks", async (t) => {
  const { make, Kwith, show } = await kanbanWorld(t);
  const id = await make("one");
  const pass = async () => JSON.parse((await Kwith({ env: { AGENT_BIN: "/nonexistent" } }, "dispatch", "--json")).out);
  assert.deepEqual((await pass()).spawned, []);
  const first = await show(id);
  assert.deepEqual([first.task.status, of(first, "spawn_failed")[0]?.payload["failures"]], ["ready", 1]);
  assert.match(String(of(first, "spawn_failed")[0]?.payload["error"]), /\/nonexistent/);
  assert.deepEqual((await pass()).auto_blocked, [id]);
  const view = await show(id);
  assert.equal(of(view, "gave_up")[0]?.payload["trigger_outcome"], "spawn_failed");
  assert.deepEqual([view.task.status, outcomes(view)], ["blocked", ["spawn_failed", "spawn_failed"]]);
});

test("check 50: a worker that lives keeps its task when its lease runs out", async (t) => {
  const { make, P, told, show } = await kanbanWorld(t, { kanban: { claim_ttl_seconds: 1 } });
  const id = await make("one");
  await P();
  const { pid } = await told(id);
  let view = await show(id);
  for (let tries = 0; of(view, "claim_extended").length === 0 && tries < 30; tries++) {
    await P();
    view = await show(id);
  }
  assert.equal(of(view, "claim_extended")[0]?.payload["reason"], "worker_alive");
  assert.deepEqual([view.task.status, view.runs.length, lives(pid)], ["running", 1, true]);
});

test("check 51: reclaim returns when the worker and its child are gone, and says how", async (t) => {
  const { make, P, told, K, show } = await kanbanWorld(t);
  const id = await make("one");
  await P();
  const { pid, child } = await told(id);
  const { code, out } = await K("reclaim", id, "--reason", "x");
  assert.deepEqual([code, out], [0, `Reclaimed ${id}\n`]);
  assert.deepEqual([lives(pid), lives(child)], [false, false]);
  const view = await show(id);
  assert.equal(view.task.status, "ready");
  const { reason, manual, terminated, sigkill } = of(view, "reclaimed")[0]?.payload ?? {};
  assert.deepEqual([reason, manual, terminated, sigkill], ["x", true, true, false]);
});

test("check 52: a person completes a running task, and its worker is gone before its status changes", async (t) => {
  const { make, daemon, told, K, show, event } = await kanbanWorld(t);
  await daemon();
  const id = await make("one");
  const { pid, child } = await told(id);
  let early: boolean | undefined;
  const completed = event(({ event: kind }) => {
    if (kind === "completed") early = lives(pid) || lives(child);
    return kind === "completed";
  });
  assert.equal((await K("complete", id, "--summary", "by-hand")).code, 0);
  await completed;
  assert.equal(early, false);
  const { task, runs } = await show(id);
  assert.deepEqual([task.status, runs[0]?.outcome, runs[0]?.summary], ["done", "completed", "by-hand"]);
});

test("check 53: a profile has no more workers than it may", async (t) => {
  const { make, P } = await kanbanWorld(t, { kanban: { max_in_progress_per_profile: 1, max_in_progress: 5 } });
  // Within one second tasks go in the order of their ids, so the first one is made the more urgent one.
  const ids = [await make("one", "--priority", "1"), await make("two")];
  const { spawned, skipped_per_profile_capped } = await P();
  assert.deepEqual(
    spawned.map(({ task_id }) => task_id),
    ids.slice(0, 1),
  );
  assert.deepEqual(skipped_per_profile_capped, [{ task_id: ids[1], assignee: "default", current: 1 }]);
});

test(`check 54: without caps ${CAP} workers run on this machine, and next says why the rest waits`, async (t) => {
  const world = await kanbanWorld(t);
  const { daemon, make, J, P } = world;
  await daemon("--interval", "2");
  const ids: string[] = [];
  // Within one second tasks go in the order of their ids, so that each is made less urgent than the one before.
  for (let n = 0; n < 10; n++) ids.push(await make(`task ${n}`, "--priority", String(10 - n)));
  for (const id of ids.slice(0, CAP)) await world.told(id);
  assert.equal((await P()).skipped_capped, 10 - CAP);
  const running = await J<{ id: string }[]>("list", "--status", "running");
  assert.deepEqual(new Set(running.map(({ id }) => id)), new Set(ids.slice(0, CAP)));
  const next = await J<{ task_id: string; verdict: string; code?: string }[]>("next");
  assert.deepEqual(new Set(next.map(({ task_id }) => task_id)), new Set(ids.slice(CAP)));
  assert.ok(next.every(({ verdict, code }) => verdict !== "start" && code === "cap_global"));
  assert.equal(readdirSync(world.dump).filter((name) => name.endsWith(".told")).length, CAP);
});

test("check 63: words in a title or body keep no task from being started", async (t) => {
  const { make, P, exited, show } = await kanbanWorld(t, { mode: "complete" });
  const id = await make(
    "fix 403 auth error, quota",
    "--body",
    "see https://code.example/team/repo/pull/77: rate limit, billing",
  );
  assert.equal((await P()).spawned[0]?.task_id, id);
  await exited(id);
  assert.equal((await show(id)).task.status, "done");
});
