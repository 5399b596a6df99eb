import assert from "node:assert/strict";
import { test } from "node:test";
import { setupRest } from "../../../../fixtures/dashboard/rest.js";
import { DEFAULT, USER } from "../../../../fixtures/sim/board-world.js";
import type { Task } from "../../../contracts/board/board.js";
import type { BoardView, Card } from "../../../contracts/board/explain.js";

interface Made {
  readonly task: Task;
  readonly created: boolean;
  readonly warning?: string;
}

test("a task is made, shown, changed and deleted", async (t) => {
  const { world, ask } = await setupRest(t);
  const made = await ask<Made>("POST", "/tasks", {
    title: " one ",
    body: "text",
    assignee: "Alice",
    priority: 2,
    tenant: null,
  });
  assert.deepEqual(
    [made.status, made.json.created, made.json.task.title, made.json.task.assignee],
    [200, true, "one", "alice"],
  );
  assert.equal(made.json.task.created_by, "dashboard");
  const { id } = made.json.task;
  await world.board.comment(DEFAULT, id, "hello", USER);
  const shown = await ask<{ task: Card; comments: readonly unknown[] }>("GET", `/tasks/${id}`);
  assert.deepEqual([shown.status, shown.json.task.comment_count, shown.json.comments.length], [200, 1, 1]);
  assert.equal(shown.headers.etag, `"${shown.json.task.version}"`);
  const changed = await ask<{ task: Task }>("PATCH", `/tasks/${id}`, { title: "two", status: "done", summary: "s" });
  assert.deepEqual([changed.json.task.title, changed.json.task.status], ["two", "done"]);
  const gone = await ask("DELETE", `/tasks/${id}`);
  assert.deepEqual(gone.json, { deleted: true, task_id: id });
  assert.equal((await ask("GET", `/tasks/${id}`)).status, 404);
});

test("the columns stand in their order, empty ones too, and archived only when asked for (acceptance 92)", async (t) => {
  const { ask } = await setupRest(t);
  const names = async (query: string) =>
    (await ask<BoardView>("GET", `/board${query}`)).json.columns.map((column) => column.name);
  const plain = ["triage", "todo", "ready", "running", "blocked", "done", "scheduled"];
  assert.deepEqual(await names("?include_archived=true"), [...plain, "archived"]);
  assert.deepEqual(await names(""), plain);
});

test("a page that knows the board asks for the cards that have changed, and gets the totals of all with them", async (t) => {
  const { world, ask } = await setupRest(t);
  const make = async (title: string) => (await world.board.create(DEFAULT, { title }, USER)).task.id;
  const [one] = [await make("one"), await make("two")];
  const { json } = await ask<BoardView>("GET", `/board?ids=${one},t_00000000,,${one}`);
  const ready = json.columns.find(({ name }) => name === "ready");
  assert.deepEqual([ready?.total, ready?.tasks.map(({ title }) => title)], [2, ["one"]]);
  const none = await ask<BoardView>("GET", "/board?ids=");
  assert.deepEqual([none.status, none.json.columns.flatMap(({ tasks }) => tasks)], [200, []]);
  const many = Array.from({ length: 501 }, (_, at) => `t_${at}`).join(",");
  assert.equal((await ask("GET", `/board?ids=${many}`)).status, 422);
});
