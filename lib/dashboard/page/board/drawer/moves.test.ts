import assert from "node:assert/strict";
import { test } from "node:test";
import { STATUSES, type Status } from "../../../../contracts/board/board.js";
import { fieldsFor } from "../actions/move-fields.js";
import { movesOf } from "./moves.js";

const CASES = {
  triage: ["todo", "archived"],
  todo: ["ready", "blocked", "scheduled", "triage", "archived"],
  ready: ["done", "todo", "blocked", "scheduled", "triage", "archived"],
  running: ["done", "ready", "todo", "blocked", "scheduled", "triage", "archived"],
  blocked: ["ready", "done", "todo", "scheduled", "triage", "archived"],
  scheduled: ["ready", "scheduled", "todo", "triage", "archived"],
  done: ["todo", "triage", "archived"],
  archived: ["todo"],
} as const;

for (const status of STATUSES)
  test(`from ${status} a task can be sent where a status write takes it, and never to running`, () => {
    const moves = movesOf({ status, archived_from: null });
    assert.deepEqual(
      moves.map(({ to }) => to),
      CASES[status],
    );
  });

test("whatever stops a worker is asked about first", () => {
  for (const { sure, danger } of movesOf({ status: "running", archived_from: null })) {
    assert.equal(sure, true);
    assert.equal(danger, true);
  }
});

test("completing asks for a summary, blocking for a reason, scheduling for a time", () => {
  const asked = (to: Status) => fieldsFor(to).map(({ name }) => name);
  assert.deepEqual(asked("done"), ["summary", "result"]);
  assert.deepEqual([asked("blocked"), asked("scheduled")], [["block_reason"], ["scheduled_at", "block_reason"]]);
});

test("a task leaves the archive for where it was", () => {
  assert.equal(movesOf({ status: "archived", archived_from: "done" })[0]?.to, "done");
  assert.equal(movesOf({ status: "archived", archived_from: "running" })[0]?.to, "todo");
});
