import assert from "node:assert/strict";
import { test } from "node:test";
import type { Card } from "../../../../contracts/board/explain.js";
import { ApiError } from "../../net/api.js";
import { type FieldRow, PROPERTIES, TITLE } from "./fields.js";
import { save } from "./saving.js";
import type { TaskPage } from "./types.js";

/** A task of the owner that others change between the tries. */
function owner(others: readonly Partial<Card>[]) {
  let task = { title: "one", priority: 0, assignee: null, version: 1 } as unknown as Card; // the fields that these tests look at
  const waiting = [...others];
  const sent: unknown[] = [];
  return {
    sent,
    calls: {
      change: async (fields: Readonly<Record<string, unknown>>, version?: number) => {
        const next = waiting.shift();
        if (next !== undefined) task = { ...task, ...next, version: task.version + 1 };
        if (version !== task.version) throw new ApiError(412, "E_CONFLICT", "it has changed");
        sent.push(fields);
        task = { ...task, ...fields, version: task.version + 1 };
        return { task };
      },
      page: async () => ({ task, runs: [] }) as unknown as TaskPage, // the rest is not looked at
    },
  };
}

const rowOf = (key: string): FieldRow => {
  const row = PROPERTIES.find((one) => one.key === key);
  assert.ok(row);
  return row;
};

const draft = (text: string) => ({ row: TITLE, text, base: "one", version: 1 });

test("what no one else has changed is saved", async () => {
  const { calls, sent } = owner([]);
  assert.deepEqual(await save(calls, draft("two")), { kind: "saved", warning: undefined });
  assert.deepEqual(sent, [{ title: "two" }]);
});

test("a change of another field by someone else is kept, and this one saved on top of it", async () => {
  const { calls, sent } = owner([{ priority: 5 }]);
  assert.equal((await save(calls, draft("two"))).kind, "saved");
  assert.deepEqual(sent, [{ title: "two" }]);
});

test("when someone else has changed the same field, nothing is saved and both versions are reported", async () => {
  const { calls, sent } = owner([{ title: "theirs" }]);
  const saved = await save(calls, draft("mine"));
  assert.deepEqual(saved, {
    kind: "conflict",
    conflict: { key: "title", label: "Title", mine: "mine", theirs: "theirs", base: "one", version: 2 },
  });
  assert.deepEqual(sent, []);
});

test("when someone else has saved the same words, all is well", async () => {
  const { calls } = owner([{ title: "two" }]);
  assert.equal((await save(calls, draft("two"))).kind, "saved");
});

test("a task that never stops changing is shown instead of tried for ever", async () => {
  const { calls } = owner(Array.from({ length: 20 }, (_, priority) => ({ priority })));
  assert.equal((await save(calls, draft("two"))).kind, "conflict");
});

test("what cannot be the value is refused before anything is sent", async () => {
  const { calls, sent } = owner([]);
  const saved = await save(calls, { row: rowOf("priority"), text: "high", base: "0", version: 1 });
  assert.deepEqual(saved, { kind: "refused", problem: "Priority must be a whole number." });
  assert.deepEqual(sent, []);
});

test("another refusal of the owner is reported in its words", async () => {
  const change = () => Promise.reject(new ApiError(409, "E_RUNNING", "cannot assign t_1: it is running"));
  const saved = await save({ change, page: () => Promise.reject(new Error("not asked")) }, draft("two"));
  assert.deepEqual(saved, { kind: "refused", problem: "cannot assign t_1: it is running" });
});

test("what is called off after an objection is neither saved nor refused", async () => {
  const { calls, sent } = owner([]);
  assert.deepEqual(await save({ ...calls, change: async () => undefined }, draft("two")), { kind: "kept" });
  assert.deepEqual(sent, []);
});
