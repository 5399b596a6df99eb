import assert from "node:assert/strict";
import { test } from "node:test";
import { STATUSES } from "../../../../contracts/board/board.js";
import { movesOf } from "./moves.js";
import { actFor } from "./why-acts.js";

test("a reason without anything to do has no button, nor has one that only someone else can help", () => {
  assert.equal(actFor({ code: "ready_now" }), undefined);
  assert.equal(actFor({ code: "stuck", action: "end that process" }), undefined);
});

const MOVES = [
  { status: "blocked", code: "blocked_human" },
  { status: "blocked", code: "blocked_budget" },
  { status: "scheduled", code: "scheduled_open_end" },
  { status: "done", code: "done" },
] as const;

for (const { status, code } of MOVES)
  test(`what helps a task that waits for ${code} is a move that ${status} has`, () => {
    assert.ok(STATUSES.includes(status));
    const act = actFor({ code, action: "do it" });
    assert.equal(act?.does, "move");
    const moves = movesOf({ status, archived_from: null });
    assert.ok(moves.some(({ to, label }) => act?.does === "move" && to === act.to && label === act.label));
  });
