import assert from "node:assert/strict";
import { test } from "node:test";
import type { TaskId, UnixSeconds } from "../../../../base/units.js";
import { findLinkCandidates } from "./link-search.js";

const task = (id: string, title: string, updated = 0, parents: readonly string[] = []) => ({
  id: id as TaskId,
  title,
  status: "todo" as const,
  updated_at: updated as UnixSeconds, // names and instants of this test
  parents: parents as TaskId[],
  children: [] as TaskId[], // the same
});

const ALL = [
  task("t_aa11", "Buy the paint", 1),
  task("t_bb22", "Paint the fence", 3),
  task("t_cc33", "Sell the fence", 2, ["t_dd44"]),
];
const ids = (text: string, here = "t_none") => findLinkCandidates(ALL, text, here).map(({ id }) => id);

test("a task is found by all words of its title in any order, the newest first", () => {
  assert.deepEqual(ids("FENCE"), ["t_bb22", "t_cc33"]);
  assert.deepEqual(ids("paint buy"), ["t_aa11"]);
  assert.deepEqual(ids("paint nothing"), []);
});

test("a task is found by the beginning of its id", () => {
  assert.deepEqual(ids("t_bb"), ["t_bb22"]);
});

test("the task itself and what it is linked with are not offered", () => {
  assert.deepEqual(ids("fence", "t_bb22"), ["t_cc33"]);
  assert.deepEqual(ids("fence", "t_dd44"), ["t_bb22"]);
});

test("nothing is offered before something is typed", () => {
  assert.deepEqual(ids("  "), []);
});
