import assert from "node:assert/strict";
import { test } from "node:test";
import { bench } from "../../../fixtures/worlds/tool-context.js";
import todo from "./todo.js";

const two = [
  { id: "1", content: "first", status: "pending" },
  { id: "2", content: "second", status: "in_progress" },
];

test("a list is written, changed by id and read in its order (C24)", async (t) => {
  const { json } = bench(t);
  await json(todo, { todos: two });
  await json(todo, { todos: [{ id: "2", status: "completed" }], merge: true });
  assert.deepEqual(await json(todo, {}), {
    todos: [two[0], { id: "2", content: "second", status: "completed" }],
    summary: { total: 2, pending: 1, in_progress: 0, completed: 1, cancelled: 0 },
  });
});

test("doubled ids, unknown states and empty texts are put right", async (t) => {
  const result = await bench(t).json(todo, { todos: [...two, { id: "1", content: " ", status: "maybe" }] });
  assert.deepEqual(result["todos"], [{ id: "1", content: "(no description)", status: "pending" }, two[1]]);
});
