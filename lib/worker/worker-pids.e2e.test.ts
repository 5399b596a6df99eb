import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { accessSync, constants, readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { eventually } from "../../fixtures/e2e/eventually.js";
import { kanbanWorld } from "../../fixtures/e2e/kanban.js";
import { workersOf } from "../../fixtures/e2e/unruly.js";
import { proves } from "../../fixtures/requirements.js";
import { listProcesses } from "../base/process/process.js";
import { systemSpawner } from "../base/process/spawn-system.js";

/** Linux begins to look for a free pid after the number that stands there. */
const LAST_PID = "/proc/sys/kernel/ns_last_pid";
const TRIES = 100;

const ends = [
  { title: "while no owner was there", owned: false, outcome: "reclaimed", reason: "lost_with_owner" },
  { title: "under the eyes of its owner", owned: true, outcome: "crashed", reason: null },
];

for (const { title, owned, outcome, reason } of ends) {
  test(`a process that got the pid of a worker that ended ${title} is neither taken for it nor signalled`, {
    skip: writable() ? false : "pids cannot be chosen here",
  }, async (t) => {
    proves(t, "R2");
    const world = await kanbanWorld(t, { kanban: { kill_grace_seconds: 0, retry_backoff_seconds: 0 } });
    const owner = await world.daemon();
    const id = await world.make("one", "--max-retries", "1");
    await world.told(id);
    const { worker_pid: pid } = (await world.show(id)).task;
    assert.ok(pid !== null);
    if (!owned) await owner.end("SIGTERM");
    // Its runner and everything of it end without a record.
    for (const one of [pid, ...workersOf(world)]) systemSpawner.signal({ pid: one }, "SIGKILL");
    const stranger = await born(pid);
    if (stranger === undefined) {
      t.skip("another program of this machine took the pid first");
      return;
    }
    t.after(() => void stranger.kill("SIGKILL"));
    if (!owned) await world.daemon();
    await world.event((one) => one.event === outcome && one.task_id === id);
    const { runs, events } = await world.show(id);
    assert.deepEqual([runs[0]?.outcome, runs[0]?.end_reason], [outcome, reason]);
    assert.ok(!events.some(({ kind }) => kind === "adopted"));
    assert.deepEqual([stranger.pid, stranger.exitCode, stranger.signalCode], [pid, null, null]);
    assert.equal((await world.K("archive", id)).code, 0);
    assert.ok(systemSpawner.identify(pid), "the stranger lives on");
  });
}

function writable(): boolean {
  try {
    accessSync(LAST_PID, constants.W_OK);
    return process.getuid?.() === 0;
  } catch {
    return false; // the answer is what was asked
  }
}

/** Its process was collected, and no process is left of the group and session that it led. */
const isFree = (pid: number): boolean =>
  listProcesses().every((row) => row.pid !== pid && row.group !== pid && row.session !== pid);

/**
 * A process of no one's with that pid, which leads its group as a runner does. Others take pids too, so it may need some tries. They go on with the
 * pids that they had come to: one that has just become free would be taken for the process that had it, in tests beside this one.
 */
async function born(pid: number): Promise<ChildProcess | undefined> {
  await eventually(() => isFree(pid)).catch(() => undefined); // who holds it for so long is told by the tries
  for (let tries = 0; tries < TRIES; tries++) {
    const last = readFileSync(LAST_PID, "utf8");
    writeFileSync(LAST_PID, String(pid - 1));
    const child = spawn("sleep", ["600"], { stdio: "ignore", detached: true });
    writeFileSync(LAST_PID, last);
    if (child.pid === pid) return child;
    child.kill("SIGKILL");
    await new Promise((resolve) => child.once("exit", resolve));
  }
  return undefined;
}
