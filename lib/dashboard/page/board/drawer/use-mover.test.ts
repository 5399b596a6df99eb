import assert from "node:assert/strict";
import { test } from "node:test";
import type { TaskId, UnixSeconds } from "../../../../base/units.js";
import type { Status } from "../../../../contracts/board/board.js";
import { toLocalFieldTime } from "../../words/time.js";
import { changeFor, faultOf } from "../actions/move-fields.js";
import { type ManualMove, movesOf } from "./moves.js";
import { questionFor } from "./use-mover.js";

const AT = 1_799_999_940 as UnixSeconds; // an instant of this test

function moveOf(status: Status, to: Status): ManualMove {
  const move = movesOf({ status, archived_from: null }).find((one) => one.to === to);
  assert.ok(move);
  return move;
}

const taskIn = (status: Status, scheduled_at: UnixSeconds | null = null) => ({
  id: "t_1" as TaskId,
  status,
  scheduled_at,
}); // an id of this test

test("a move that needs nothing asks nothing", () => {
  assert.equal(questionFor(taskIn("todo"), moveOf("todo", "ready")), undefined);
});

test("whatever ends a worker says so and is marked as dangerous", () => {
  const question = questionFor(taskIn("running"), moveOf("running", "ready"));
  assert.match(question?.text ?? "", /worker is stopped/);
  assert.equal(question?.danger, true);
});

test("another time begins with the one that is set", () => {
  const question = questionFor(taskIn("scheduled", AT), moveOf("scheduled", "scheduled"));
  assert.equal(question?.fields?.find(({ name }) => name === "scheduled_at")?.value, toLocalFieldTime(AT));
});

test("answers become the fields of the change, and empty ones are left out", () => {
  assert.deepEqual(changeFor({ block_reason: " needs a key ", scheduled_at: "" }), { block_reason: "needs a key" });
  assert.deepEqual(changeFor({ summary: "done", result: "" }), { summary: "done" });
  assert.deepEqual(changeFor({ scheduled_at: toLocalFieldTime(AT), block_reason: "" }), { scheduled_at: AT });
  assert.deepEqual(changeFor({}), {});
});

test("a time that has passed is reported before it is sent", () => {
  assert.match(faultOf({ scheduled_at: "2001-01-01T00:00" }) ?? "", /in the past/);
  assert.equal(faultOf({ scheduled_at: "" }), undefined);
});
