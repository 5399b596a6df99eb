import assert from "node:assert/strict";
import { test } from "node:test";
import { kanbanWorld } from "../../../fixtures/e2e/kanban.js";

for (const owner of ["with an owner", "without one"] as const) {
  test(`Ctrl+C ends the question ${owner}, and the task stays in triage`, async (t) => {
    const world = await kanbanWorld(t, { aux: [{ hold: "never" }], kanban: { auto_decompose: false } });
    if (owner === "with an owner") await world.D();
    const id = await world.make("idea", "--triage");
    const asking = world.start(["decompose", id]);
    await world.model.arrived(1);
    const { code, err } = await asking.end("SIGINT");
    assert.deepEqual([code, err], [130, `kanban: decompose ${id}: LLM error: aborted\n`]);
    assert.equal((await world.show(id)).task.status, "triage");
  });
}
