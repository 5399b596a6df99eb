import assert from "node:assert/strict";
import { test } from "node:test";
import { world } from "../../fixtures/e2e/world.js";
import type { Task } from "../proto/board.js";

test("an owner that is killed between a create and its answer: with an idempotency key the command is repeated by itself, and done once", async (t) => {
  const made = await world(t, { faults: true });
  const owner = await made.owner({ AGENT_FAULT: "board.created:1" });
  const created = await made.json<Task & { readonly created: boolean }>("kanban", "create", "one", "--idempotency-key", "k1");
  await owner.ended;
  assert.equal(created.created, false, "it was made by the owner that was killed");
  assert.deepEqual(
    (await made.json<readonly Task[]>("kanban", "list")).map(({ id, title }) => ({ id, title })),
    [{ id: created.id, title: "one" }],
  );
});

test("an owner that is killed between a create and its answer: without a key the command says that the outcome is unknown", async (t) => {
  const made = await world(t, { faults: true });
  await made.owner({ AGENT_FAULT: "board.created:1" });
  const { code, err } = await made.run(["kanban", "create", "one"]);
  assert.equal(code, 1);
  assert.match(err, /it is unknown whether it was done/);
});
