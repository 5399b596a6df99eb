import assert from "node:assert/strict";
import { test } from "node:test";
import { kanbanWorld } from "../../fixtures/e2e/kanban.js";
import { allCleared, everythingInOrder } from "../../fixtures/e2e/unruly.js";
import { proves } from "../../fixtures/requirements.js";

test("workers that a pass by hand has started and that find no owner end with their lease, and nothing is counted", {
  timeout: 500_000,
}, async (t) => {
  proves(t, "R2", "R3");
  const world = await kanbanWorld(t, { realWorker: true, kanban: { claim_ttl_seconds: 2, max_in_progress: 3 } });
  const ids: string[] = [];
  for (let n = 0; n < 3; n++) ids.push(await world.make(`write it ${n}`, "--body", `write file out${n}.txt: x`));
  const { code, err } = await world.K("dispatch");
  assert.equal(code, 0, err);
  assert.match(err, /kanban: workers need a long-lived owner; start one with agent --headless/);
  const started = await world.J<{ id: string; current_run_id: number }[]>("list", "--status", "running");
  for (const { id, current_run_id } of started) await world.exited(id, current_run_id);
  const owner = await world.D();
  for (const id of ids) await world.event((one) => one.event === "completed" && one.task_id === id);
  for (const id of ids) {
    const { task, runs } = await world.show(id);
    const [first] = runs;
    assert.deepEqual([first?.outcome, first?.end_reason, first?.exit_code], ["reclaimed", "lease_expired", 76]);
    assert.deepEqual([task.status, task.consecutive_failures, runs.at(-1)?.outcome], ["done", 0, "completed"]);
  }
  await allCleared(world);
  await world.alone([owner.pid]);
  assert.equal((await owner.end("SIGINT")).code, 0);
  await everythingInOrder(world, ids);
});
