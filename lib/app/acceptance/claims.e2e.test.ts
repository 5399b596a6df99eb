import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { test } from "node:test";
import { kanbanWorld } from "../../../fixtures/e2e/kanban.js";
import { boardRows, violations } from "../../../fixtures/e2e/rows.js";
import { systemSpawner } from "../../base/process/spawn-system.js";
import type { ClaimAnswer } from "../../contracts/board/api.js";
import type { Task } from "../../contracts/board/board.js";

const TASKS = 25;
const CLIENTS = 4;

test("check 62: of four clients that claim every task each task goes to exactly one", async (t) => {
  const { make, K, D, J, home } = await kanbanWorld(t);
  const owner = await D({ AGENT_KANBAN_DISPATCH_IN_GATEWAY: "off" });
  const ids: string[] = [];
  for (let n = 0; n < TASKS; n++) ids.push(await make(`task ${n}`));
  const won: string[] = [];
  const client = async (from: number) => {
    for (const id of [...ids.slice(from), ...ids.slice(0, from)]) {
      const { code, err } = await K("claim", id);
      if (code === 0) won.push(id);
      else assert.match(err, /status=running lock=\S+:\d+/);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, n) => client(n)));
  assert.equal(won.length, TASKS);
  assert.deepEqual(new Set(won), new Set(ids));
  assert.equal((await J<Task[]>("list", "--status", "running")).length, TASKS);
  await owner.end();
  assert.deepEqual(violations(await boardRows(home.dir), ids), []);
});

test("check 64: an external task is left to others, who prove themselves with run and token", async (t) => {
  const { make, P, J, K, show } = await kanbanWorld(t);
  const id = await make("outside", "--external", "--assignee", "somebody");
  const pass = await P();
  assert.deepEqual([pass.spawned, pass.skipped_nonspawnable], [[], [id]]);
  const { reasons } = await J<{ reasons: { code: string }[] }>("why", id);
  assert.deepEqual(
    reasons.map(({ code }) => code),
    ["external"],
  );
  const found = await J<{ task_id: string | null }[]>("diagnostics");
  assert.ok(!found.some(({ task_id }) => task_id === id), "no diagnostic");
  const { run_id, token, workspace, task } = await J<ClaimAnswer>("claim", id);
  assert.deepEqual([task.id, task.status, typeof workspace], [id, "running", "string"]);
  const proof = ["--run", String(run_id), "--token", token];
  assert.equal((await K("heartbeat", id, "--note", "half", ...proof)).code, 0);
  assert.equal((await K("comment", id, "on it", ...proof)).code, 0);
  assert.equal((await K("complete", id, "--summary", "did it", ...proof)).code, 0);
  const again = await K("complete", id, "--summary", "twice", ...proof, "--json");
  assert.deepEqual([again.code, JSON.parse(again.out).results[0].error.code], [1, "E_CLAIM_LOST"]);
  const { runs, events } = await show(id);
  assert.deepEqual([runs.length, runs[0]?.summary, runs[0]?.outcome], [1, "did it", "completed"]);
  assert.equal(events.filter(({ kind }) => kind === "completed").length, 1);
});

test("check 65: from the second crash in a row on a task waits, says so once, and why tells until when", async (t) => {
  const { make, P, exited, show, J } = await kanbanWorld(t, { mode: "exit1" });
  const id = await make("one", "--max-retries", "10");
  for (const run of [1, 2]) {
    await P();
    await exited(id, run);
  }
  for (let pass = 0; pass < 3; pass++) {
    const { respawn_guarded, spawned } = await P();
    assert.deepEqual([respawn_guarded.map(({ reason }) => reason), spawned], [["retry_backoff"], []]);
  }
  const { task, events, runs } = await show(id);
  const wait = (task.not_before ?? 0) - (runs[1]?.ended_at ?? 0);
  assert.equal(wait, 30);
  assert.equal(events.filter(({ kind }) => kind === "respawn_guarded").length, 1);
  const { reasons } = await J<{ reasons: { code: string; until?: number }[] }>("why", id);
  assert.equal(reasons.find(({ code }) => code === "deferred_backoff")?.until, task.not_before);
});

test("an outside worker that named its process is watched: its end is seen, and a stop ends it and nothing else", async (t) => {
  const { make, D, J, K, show, event } = await kanbanWorld(t);
  await D();
  const ended = await make("ends", "--external");
  const stopped = await make("is stopped", "--external");
  const one = outside(t);
  const two = outside(t);
  await J("claim", ended, "--pid", String(one));
  await J("claim", stopped, "--pid", String(two));
  process.kill(one, "SIGKILL");
  await event(({ event: kind, task_id }) => kind === "crashed" && task_id === ended);
  assert.deepEqual([(await show(ended)).task.status, (await show(stopped)).task.status], ["ready", "running"]);
  assert.equal((await K("reclaim", stopped)).code, 0);
  assert.equal(systemSpawner.identify(two), undefined);
  assert.ok(systemSpawner.identify(process.pid), "its group, which is ours, lives");
  const gone = await J<{ error?: object }>("show", stopped);
  assert.equal(gone.error, undefined);
});

/** A process in this process's own group, as a script of a person would be. */
function outside(t: { after(cleanup: () => void): void }): number {
  const child = spawn("sleep", ["600"], { stdio: "ignore" });
  t.after(() => void child.kill("SIGKILL"));
  assert.ok(child.pid !== undefined);
  return child.pid;
}
