import assert from "node:assert/strict";
import { test } from "node:test";
import { world } from "../../../fixtures/e2e/world.js";
import type { Task } from "../../contracts/board/board.js";

type Created = Task & { readonly created: boolean };
const listed = (tasks: readonly Task[]) => tasks.map(({ id, title }) => ({ id, title }));

test("an owner that is killed between a create and its answer: with an idempotency key the command is repeated by itself, and done once", async (t) => {
  const made = await world(t, { faults: true });
  const owner = await made.owner({ AGENT_FAULT: "board.created:1" });
  const created = await made.json<Created>("kanban", "create", "one", "--idempotency-key", "k1");
  await owner.ended;
  assert.deepEqual(listed(await made.json<readonly Task[]>("kanban", "list")), [{ id: created.id, title: "one" }]);
});

test("an owner that is killed between a create and its answer: the command is repeated by itself, and one task is made", async (t) => {
  const made = await world(t, { faults: true });
  const { id: parent } = await made.json<Created>("kanban", "create", "zero", "--triage");
  const owner = await made.owner({ AGENT_FAULT: "board.created:1" });
  const created = await made.json<Created>("kanban", "create", "one", "--parent", parent);
  await owner.ended;
  assert.equal(created.created, true, "it was made for this command");
  const tasks = listed(await made.json<readonly Task[]>("kanban", "list"));
  assert.deepEqual(
    tasks.toSorted((a, b) => (a.title < b.title ? -1 : 1)),
    [
      { id: created.id, title: "one" },
      { id: parent, title: "zero" },
    ],
  );
});
