import assert from "node:assert/strict";
import { test } from "node:test";
import { kanbanWorld } from "../../../fixtures/e2e/kanban.js";
import { systemSpawner } from "../../base/process/spawn-system.js";

test("a pass by hand starts the worker that the environment names, and its work counts", async (t) => {
  const { make, P, told, exited, show } = await kanbanWorld(t, { mode: "complete" });
  const id = await make("one");
  const { spawned } = await P();
  assert.deepEqual(
    spawned.map((start) => start.task_id),
    [id],
  );
  const worker = await told(id);
  assert.deepEqual(worker.argv.slice(-2), ["worker", id]);
  assert.equal(worker.cwd, spawned[0]?.workspace);
  await exited(id);
  const { task, runs } = await show(id);
  assert.deepEqual([task.status, runs[0]?.outcome, runs[0]?.summary], ["done", "completed", "ok"]);
});

test("a worker that sleeps is gone with its child when someone else blocks its task", async (t) => {
  const { make, D, K, told } = await kanbanWorld(t);
  await D();
  const id = await make("one");
  const { pid, child } = await told(id);
  assert.ok(child !== undefined && systemSpawner.identify(child) !== undefined);
  const { code, err } = await K("block", id, "stop");
  assert.equal(code, 0, err);
  for (const one of [pid, child]) assert.equal(systemSpawner.identify(one), undefined);
});
