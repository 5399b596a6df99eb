import assert from "node:assert/strict";
import { test } from "node:test";
import type { TaskId } from "../../base/units.js";
import { type NoticeSource, opening, renderTaskNotice } from "./texts.js";

const ID = "t_00000001" as TaskId; // an id by its form
const told = (kind: string, payload: NoticeSource["payload"], more: Partial<NoticeSource> = {}): string =>
  renderTaskNotice({
    board: "default",
    kind,
    payload,
    held: 0,
    replies: false,
    leftOut: [],
    task: { id: ID, title: "one", assignee: "bob" },
    ...more,
  });

const TEXTS: readonly (readonly [string, string, NoticeSource["payload"], Partial<NoticeSource>, string])[] = [
  ["accepted", "completed", { verdict: "accepted", summary: "did it" }, {}, `✔ @bob Kanban ${ID} done — one\ndid it`],
  [
    "accepted without a word",
    "completed",
    { verdict: "accepted", summary: null },
    {},
    `✔ @bob Kanban ${ID} done — one`,
  ],
  ["unassigned", "completed", {}, { task: { id: ID, title: "one", assignee: null } }, `✔ Kanban ${ID} done — one`],
  [
    "rejected",
    "completed",
    { verdict: "rejected", summary: "bad" },
    { held: 2 },
    `✖ @bob Kanban ${ID} rejected — one\nbad\n2 tasks stay held.`,
  ],
  [
    "rejected with one child",
    "completed",
    { verdict: "rejected" },
    { held: 1 },
    `✖ @bob Kanban ${ID} rejected — one\n1 task stays held.`,
  ],
  [
    "blocked where one can reply",
    "blocked",
    { reason: "which\ncolour?" },
    { replies: true },
    `⏸ @bob Kanban ${ID} blocked: which colour?\nReply to this message to answer and unblock.`,
  ],
  ["blocked without a reason", "blocked", { reason: null }, {}, `⏸ @bob Kanban ${ID} blocked: (no reason given)`],
  [
    "a silent worker",
    "protocol_violation",
    {},
    {},
    `⏸ @bob Kanban ${ID} blocked: the worker stopped without completing or blocking the task`,
  ],
  [
    "given up",
    "gave_up",
    { failures: 2, trigger_outcome: "spawn_failed", error: "no such file" },
    {},
    `✖ @bob Kanban ${ID} gave up after 2 failed attempts (last: failed to start)\nno such file`,
  ],
  [
    "given up after a crash",
    "gave_up",
    { failures: 3, trigger_outcome: "crashed" },
    {},
    `✖ @bob Kanban ${ID} gave up after 3 failed attempts (last: crash)`,
  ],
  ["an exit code", "crashed", { exit_code: 1 }, {}, `✖ @bob Kanban ${ID} worker crashed (exit 1); will retry`],
  ["a signal", "crashed", { signal: "SIGKILL" }, {}, `✖ @bob Kanban ${ID} worker crashed (signal SIGKILL); will retry`],
  ["gone", "crashed", { exit_kind: "unknown" }, {}, `✖ @bob Kanban ${ID} worker crashed (unknown); will retry`],
  [
    "the last crash",
    "crashed",
    { exit_code: 1, to: "blocked" },
    {},
    `✖ @bob Kanban ${ID} worker crashed (exit 1); blocked`,
  ],
  [
    "a timeout",
    "timed_out",
    { cause: "max_runtime", elapsed_seconds: 65 },
    {},
    `⏱ @bob Kanban ${ID} timed out after 1m 5s; will retry`,
  ],
  [
    "a turn budget",
    "timed_out",
    { cause: "iteration_budget", budget_used: 90, budget_max: 90 },
    {},
    `⏱ @bob Kanban ${ID} used up its turn budget (90/90); will retry`,
  ],
  ["archived", "archived", { from: "ready" }, {}, `— Kanban ${ID} archived unfinished — one`],
  ["archived when done", "archived", { from: "done" }, {}, `— Kanban ${ID} archived — one`],
  ["stuck", "stuck", { pid: 7 }, {}, `⚠ Kanban ${ID}: worker process 7 cannot be stopped`],
  ["another kind", "promoted_manual", {}, {}, `• @bob Kanban ${ID} promoted manual — one`],
  ["a board", "board_paused", {}, { task: undefined }, "• Kanban board default: board paused"],
];

for (const [what, kind, payload, more, text] of TEXTS) {
  test(`the message about ${what} is worded as it was promised`, () => {
    assert.equal(told(kind, payload, more), text);
  });
}

test("titles are cut at 120 characters, reasons at 160, errors at 200, and no character is cut in two", () => {
  const long = "😀".repeat(400);
  const line = (text: string, at: number) => [...(text.split("\n")[at] ?? "")];
  const title = told("completed", {}, { task: { id: ID, title: long, assignee: null } });
  assert.equal(line(title, 0).length - [...`✔ Kanban ${ID} done — `].length, 120);
  assert.equal(line(told("blocked", { reason: long }), 0).length - [...`⏸ @bob Kanban ${ID} blocked: `].length, 160);
  assert.equal(line(told("gave_up", { failures: 2, error: long }), 1).length, 200);
  assert.ok(title.isWellFormed());
});

const OPENINGS: readonly (readonly [string, string, string])[] = [
  ["a short text whole", "one. two", "one. two"],
  [
    "whole sentences",
    `${"a".repeat(200)}. ${"b".repeat(90)}. ${"c".repeat(100)}`,
    `${"a".repeat(200)}. ${"b".repeat(90)}.`,
  ],
  ["whole lines", `${"a".repeat(200)}\n${"b".repeat(200)}`, "a".repeat(200)],
  ["a sentence that ends at the bound", `${"a".repeat(299)}. b`, `${"a".repeat(299)}.`],
  ["no number in two", `${"a".repeat(10)}. ${"b".repeat(280)} 3.14159 ${"c".repeat(50)}`, `${"a".repeat(10)}.`],
  ["as much as fits of one long word", "a".repeat(2000), `${"a".repeat(299)}…`],
];

for (const [what, given, kept] of OPENINGS) {
  test(`of a summary at most 300 characters are told: ${what}`, () => {
    assert.equal(opening(given, 300), kept);
    assert.ok([...opening(given, 300)].length <= 300);
  });
}
