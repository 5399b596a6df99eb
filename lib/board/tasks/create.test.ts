import assert from "node:assert/strict";
import { test } from "node:test";
import { DEFAULT, setupBoard, USER } from "../../../fixtures/sim/board-world.js";
import type { NewTask } from "../../contracts/board/api.js";

const GIVEN: readonly { name: string; params: NewTask }[] = [
  { name: "with a title alone", params: { title: "one" } },
  { name: "in triage, with a body", params: { title: "two", body: "text", triage: true } },
  {
    name: "with texts that cannot be stored as they are",
    params: { title: "lone \ud800", body: "nul \0 and \udfff", tenant: "t\ud83d" },
  },
  {
    name: "with names that cannot be stored as they are",
    params: { title: "six", created_by: "me\0", model_override: "m\udfff", assignee: "a\ud801" },
  },
  { name: "blocked at birth", params: { title: "three", initial_status: "blocked" } },
  {
    name: "with every column of its own",
    params: {
      title: "four",
      assignee: "default",
      priority: 3,
      tenant: "t",
      skills: ["a", "b"],
      max_retries: 2,
      max_runtime_seconds: 60,
      goal_mode: true,
      goal_max_turns: 4,
      model_override: "m",
      external: true,
      auto_decompose: false,
      created_by: "me",
    },
  },
  {
    name: "with what a new task has anyway",
    params: { title: "five", priority: 0, goal_mode: false, skills: [], workspace_kind: "scratch" },
  },
];
for (const { name, params } of GIVEN) {
  test(`a task made ${name} is reported as it is stored`, async (t) => {
    const { board } = setupBoard(t);
    const { task } = await board.create(DEFAULT, params, USER);
    assert.deepEqual(task, await board.task(DEFAULT, task.id));
  });
}

const AT_THE_BOUND: readonly { name: string; params: NewTask; more: NewTask }[] = [
  {
    name: "a title of characters that take two units",
    params: { title: "😀".repeat(300) },
    more: { title: "😀".repeat(301) },
  },
  { name: "a title of single units", params: { title: "t".repeat(300) }, more: { title: "t".repeat(301) } },
  {
    name: "a body of characters that take three bytes",
    params: { title: "one", body: "€".repeat(Math.floor((256 * 1024) / 3)) },
    more: { title: "one", body: "€".repeat(Math.floor((256 * 1024) / 3) + 1) },
  },
  {
    name: "a body of single bytes",
    params: { title: "one", body: "b".repeat(256 * 1024) },
    more: { title: "one", body: "b".repeat(256 * 1024 + 1) },
  },
];
for (const { name, params, more } of AT_THE_BOUND) {
  test(`${name} may be as long as its bound, and no longer`, async (t) => {
    const { board } = setupBoard(t);
    assert.equal((await board.create(DEFAULT, params, USER)).created, true);
    await assert.rejects(board.create(DEFAULT, more, USER), { code: "E_TOO_LARGE" });
  });
}

test("a time beyond every calendar is refused, at birth and later, so that the task can always be shown", async (t) => {
  const { board } = setupBoard(t);
  const at = Number.MAX_SAFE_INTEGER;
  await assert.rejects(board.create(DEFAULT, { title: "one", scheduled_at: at }, USER), {
    code: "E_INVALID",
    message: /9999/,
  });
  const { task } = await board.create(DEFAULT, { title: "one" }, USER);
  await assert.rejects(board.write(DEFAULT, task.id, { status: "scheduled", scheduled_at: at }, USER), {
    code: "E_INVALID",
  });
  await assert.rejects(board.schedule(DEFAULT, task.id, { at }, USER), { code: "E_INVALID" });
});
