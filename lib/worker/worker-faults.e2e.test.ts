import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { eventually } from "../../fixtures/e2e/eventually.js";
import { markedBeside } from "../../fixtures/e2e/unruly.js";
import { proves } from "../../fixtures/requirements.js";
import { workerHome } from "../../fixtures/worlds/worker-home.js";

const SCRIPT = join(process.cwd(), "fixtures/workers/scripted.sh");

/** Where the owner is killed, and the worker under which it gets there. */
const faults: { point: string; mode: string; options: string[]; last: string }[] = [
  { point: "claim.committed", mode: "alone", options: [], last: "protocol_violation" },
  { point: "worker.bound", mode: "alone", options: [], last: "protocol_violation" },
  { point: "worker.started", mode: "alone", options: [], last: "protocol_violation" },
  { point: "worker.exit-recorded", mode: "alone", options: [], last: "protocol_violation" },
  { point: "stop.fenced", mode: "alone-deaf", options: ["--max-runtime", "3s"], last: "timed_out" },
  { point: "stop.termed", mode: "alone-deaf", options: ["--max-runtime", "3s"], last: "timed_out" },
  { point: "stop.killed", mode: "alone-deaf", options: ["--max-runtime", "3s"], last: "timed_out" },
];

for (const { point, mode, options, last } of faults) {
  test(`an owner killed at ${point} leaves a task that the next one brings to its end, never two workers`, {
    timeout: 300_000,
  }, async (t) => {
    proves(t, "R2", "R3");
    const dir = mkdtempSync(join(tmpdir(), "fault-"));
    t.after(() => rmSync(dir, { recursive: true, force: true }));
    const config =
      "kanban:\n  worker_env: [FAKE_MODE, FAKE_DIR]\n  kill_grace_seconds: 0\n  retry_backoff_seconds: 0\n";
    const home = workerHome(t, config, { AGENT_BIN: SCRIPT, FAKE_MODE: mode, FAKE_DIR: dir });
    const id = await home.create("one", "", "--max-retries", "1", ...options);
    const killed = await home.owner(`${point}:1`);
    assert.equal((await killed.exited).signal, "SIGKILL");
    await home.owner();
    const { task, runs, events } = await home.task(id, (facts) => facts.task.status === "blocked");
    assert.equal(runs.at(-1)?.outcome, last);
    assert.ok(
      runs.slice(0, -1).every((run) => run.outcome === "reclaimed"),
      JSON.stringify(runs.map((run) => run.outcome)),
    );
    assert.equal(task.consecutive_failures, 1);
    for (const run of runs)
      assert.equal(events.filter((event) => event.run_id === run.id && event.payload["from"] === "running").length, 1);
    assert.ok(!existsSync(join(dir, "doubled")));
    // The runner of a worker follows it at once, and not before.
    await eventually(() => markedBeside("FAKE_DIR", dir, "AGENT_BIN").length === 0);
  });
}
