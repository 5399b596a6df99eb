import assert from "node:assert/strict";
import { test } from "node:test";
import { DEFAULT, setupBoard, USER } from "../../fixtures/sim/board-world.js";
import type { NewTask } from "../proto/board-api.js";

const GIVEN: readonly { name: string; params: NewTask }[] = [
  { name: "with a title alone", params: { title: "one" } },
  { name: "in triage, with a body", params: { title: "two", body: "text", triage: true } },
  { name: "with texts that cannot be stored as they are", params: { title: "lone \ud800", body: "nul \0 and \udfff", tenant: "t\ud83d" } },
  { name: "blocked at birth", params: { title: "three", initial_status: "blocked" } },
  {
    name: "with every column of its own",
    params: {
      ...{ title: "four", assignee: "default", priority: 3, tenant: "t", skills: ["a", "b"], max_retries: 2, max_runtime_seconds: 60 },
      ...{
        goal_mode: true,
        goal_max_turns: 4,
        model_override: "m",
        external: true,
        auto_decompose: false,
        created_by: "me",
      },
    },
  },
  {
    name: "with what a new task has anyway",
    params: { title: "five", priority: 0, goal_mode: false, skills: [], workspace_kind: "scratch" },
  },
];
for (const { name, params } of GIVEN) {
  test(`a task made ${name} is told as it is stored`, async (t) => {
    const { board } = setupBoard(t);
    const { task } = await board.create(DEFAULT, params, USER);
    assert.deepEqual(task, await board.task(DEFAULT, task.id));
  });
}

test("a time beyond every calendar is refused, at birth and later, so that the task can always be shown", async (t) => {
  const { board } = setupBoard(t);
  const at = Number.MAX_SAFE_INTEGER;
  await assert.rejects(board.create(DEFAULT, { title: "one", scheduled_at: at }, USER), { code: "E_INVALID", message: /9999/ });
  const { task } = await board.create(DEFAULT, { title: "one" }, USER);
  await assert.rejects(board.write(DEFAULT, task.id, { status: "scheduled", scheduled_at: at }, USER), { code: "E_INVALID" });
  await assert.rejects(board.schedule(DEFAULT, task.id, { at }, USER), { code: "E_INVALID" });
});
