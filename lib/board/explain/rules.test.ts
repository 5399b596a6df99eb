import assert from "node:assert/strict";
import { test } from "node:test";
import type { CaseEvent, CaseRun, CaseTask, FailingDelivery } from "../../../storage/tables/board/cases.js";
import type { RunId, TaskId } from "../../base/units.js";
import {
  DIAGNOSTIC_KINDS,
  type Diagnostic,
  type DiagnosticKind,
  type Severity,
} from "../../contracts/board/explain.js";
import { type BoardCase, DAY, HOUR, type TaskCase } from "./cases.js";
import { DIAGNOSTICS, diagnoseBoard, diagnoseTask } from "./rules.js";

const NOW = 10_000_000;
const ID = "t_0000000a" as TaskId; // ids have this form
const MIN = 60;

const run = (outcome: CaseRun["outcome"], more: Partial<CaseRun> = {}): CaseRun => ({
  task_id: ID,
  id: 1 as RunId,
  profile: "alice",
  outcome,
  error_class: null,
  error: null,
  ended_at: NOW - 100,
  ...more,
});
const event = (kind: string, payload: object = {}, at = NOW - 100): CaseEvent => ({
  seq: 1,
  kind,
  task_id: ID,
  payload: JSON.stringify(payload),
  at,
});
const times = <T>(count: number, made: () => readonly T[]): readonly T[] => Array.from({ length: count }, made).flat();
const cycle = () => [event("blocked"), event("unblocked")];
const delivery: FailingDelivery = {
  task_id: ID,
  platform: "msgt",
  chat_id: "5",
  count: 2,
  first_at: 1,
  last_at: 2,
  error: "no such chat",
};
const parent = (status: "blocked" | "done", since: number) => ({
  id: "t_0000000b",
  status,
  verdict: status === "done" ? ("rejected" as const) : null,
  since,
});

type More = Partial<Omit<TaskCase, "task">> & {
  readonly task?: Partial<CaseTask>;
  readonly board?: Partial<BoardCase>;
};

/** What is the case, and how severe it is; null: nothing is raised. */
const CASES: Readonly<
  Record<Exclude<DiagnosticKind, "board_store">, readonly (readonly [string, More, Severity | null])[]>
> = {
  hallucinated_cards: [
    [
      "a completion was refused",
      { events: [event("completion_blocked_hallucination", { phantom_cards: ["t_00000001"] })] },
      "error",
    ],
    ["nothing was refused", {}, null],
    [
      "the task was put away",
      { task: { status: "archived" }, events: [event("completion_blocked_hallucination")] },
      null,
    ],
  ],
  phantom_refs: [
    [
      "a summary names unknown ids",
      { task: { status: "done" }, events: [event("phantom_refs_suspected", { ids: ["t_00000001"] })] },
      "warning",
    ],
    ["it names none", { task: { status: "done" } }, null],
  ],
  triage_aux_unavailable: [
    ["no client", { task: { status: "triage" }, board: { noClient: "no auxiliary client configured" } }, "warning"],
    ["a client", { task: { status: "triage" } }, null],
    ["not in triage", { task: { status: "todo" }, board: { noClient: "no auxiliary client configured" } }, null],
  ],
  auto_decompose_exhausted: [
    ["no attempts left", { task: { status: "triage", decompose_attempts: 3 } }, "warning"],
    ["one is left", { task: { status: "triage", decompose_attempts: 2 } }, null],
    ["it was ruled out", { task: { status: "triage", decompose_attempts: 3, auto_decompose: 0 } }, null],
  ],
  repeated_failures: [
    ["at the limit", { task: { status: "blocked", consecutive_failures: 2, last_failure_error: "boom" } }, "error"],
    ["at twice the limit", { task: { status: "blocked", consecutive_failures: 4 } }, "critical"],
    ["below it", { task: { consecutive_failures: 1 } }, null],
  ],
  repeated_crashes: [
    ["two crashes", { runs: times(2, () => [run("crashed", { error: "segfault" })]) }, "error"],
    ["four crashes", { runs: times(4, () => [run("crashed")]) }, "critical"],
    ["one crash", { runs: [run("crashed"), run("timed_out"), run("crashed")] }, null],
  ],
  protocol_violation: [
    [
      "a silent worker",
      { task: { status: "blocked", block_kind: "protocol" }, lastText: "done", log: ["a line"] },
      "error",
    ],
    ["a person", { task: { status: "blocked", block_kind: "human" } }, null],
  ],
  stuck_in_blocked: [
    ["a day without a word", { task: { status: "blocked" }, since: NOW - DAY - 1 }, "warning"],
    ["somebody answered", { task: { status: "blocked" }, since: NOW - DAY - 1, commentedAt: NOW - 5 }, null],
    ["not yet a day", { task: { status: "blocked" }, since: NOW - DAY }, null],
  ],
  block_unblock_cycling: [
    ["three cycles", { events: times(3, cycle) }, "warning"],
    ["six cycles", { events: times(6, cycle) }, "error"],
    ["two cycles", { events: times(2, cycle) }, null],
    ["unblocked from scheduled", { events: times(4, () => [event("unblocked")]) }, null],
  ],
  stranded_in_ready: [
    ["31 minutes", { since: NOW - 31 * MIN }, "warning"],
    ["an hour", { since: NOW - HOUR }, "error"],
    ["three hours", { since: NOW - 3 * HOUR }, "critical"],
    ["30 minutes", { since: NOW - 30 * MIN }, null],
    ["it is deferred", { since: NOW - HOUR, task: { not_before: NOW + 5 } }, null],
    ["the board is paused", { since: NOW - HOUR, board: { paused: true } }, null],
    ["it is worked externally", { since: NOW - HOUR, board: { outside: () => true } }, null],
  ],
  unknown_assignee: [
    ["ready", { task: { assignee: "nosuch" } }, "error"],
    ["todo", { task: { status: "todo", assignee: "nosuch" } }, "error"],
    ["external", { task: { assignee: "nosuch" }, board: { outside: () => true } }, null],
    ["a profile", { task: { assignee: "alice" } }, null],
    ["done", { task: { status: "done", assignee: "nosuch" } }, null],
  ],
  no_worker_program: [
    ["ready", { task: { assignee: "alice" }, board: { workerProblem: () => "codex is not on PATH" } }, "error"],
    ["external", { board: { workerProblem: () => "gone", outside: () => true } }, null],
    ["done", { task: { status: "done" }, board: { workerProblem: () => "gone" } }, null],
    ["there", {}, null],
  ],
  waiting_on_failed_parent: [
    [
      "blocked for over an hour",
      { task: { status: "todo" }, stuckParents: [parent("blocked", NOW - HOUR - 1)] },
      "warning",
    ],
    ["rejected", { task: { status: "todo" }, stuckParents: [parent("done", NOW - 1)] }, "warning"],
    ["blocked lately", { task: { status: "todo" }, stuckParents: [parent("blocked", NOW - HOUR)] }, null],
  ],
  worker_stuck: [
    ["it lives", { task: { status: "running" }, stuckWorker: { pid: 7, alive: true, since: NOW - 9 } }, "critical"],
    ["it is gone", { task: { status: "running" }, stuckWorker: { pid: 7, alive: false, since: NOW - 9 } }, null],
  ],
  profile_auth: [
    ["two refusals", { board: { refused: times(2, () => [run("crashed", { error_class: "auth" })]) } }, "error"],
    [
      "one of each of two profiles",
      { board: { refused: [run("crashed", { error_class: "billing" }), run("crashed", { profile: "bob" })] } },
      null,
    ],
  ],
  throttled: [
    ["three in a row", { runs: times(3, () => [run("rate_limited")]) }, "warning"],
    [
      "two, then another end",
      { runs: [run("rate_limited"), run("rate_limited"), run("crashed"), run("rate_limited")] },
      null,
    ],
  ],
  notify_failing: [
    ["to a subscriber of the task", { deliveries: [delivery] }, "warning"],
    ["to a subscriber of the board", { board: { deliveries: [{ ...delivery, task_id: null }] } }, "warning"],
    ["none", {}, null],
  ],
  workspace_kept: [
    ["it still lies there", { task: { status: "archived" }, kept: { path: "/w", since: 5 } }, "warning"],
    ["it was removed", { task: { status: "archived" } }, null],
  ],
  dispatcher_absent: [
    ["for ten minutes", { since: NOW - 10 * MIN, board: { dispatch: "absent" } }, "error"],
    ["switched off", { since: NOW - 10 * MIN, board: { dispatch: "disabled" } }, "error"],
    ["not yet ten minutes", { since: NOW - 9 * MIN, board: { dispatch: "absent" } }, null],
    [
      "something was started lately",
      { since: NOW - 20 * MIN, board: { dispatch: "absent", lastStart: NOW - MIN } },
      null,
    ],
    ["nothing is ready", { since: NOW - 20 * MIN, task: { status: "todo" }, board: { dispatch: "absent" } }, null],
    ["it dispatches", { since: NOW - 20 * MIN }, null],
  ],
  dispatcher_stalled: [
    ["it starts nothing", { board: { stalled: true } }, "error"],
    ["it works", {}, null],
  ],
};

for (const [kind, rows] of Object.entries(CASES)) {
  for (const [title, more, severity] of rows) {
    test(`${kind}: ${title}: ${severity ?? "not raised"}`, () => {
      const found = raised(more).filter((one) => one.kind === kind);
      assert.deepEqual(
        found.map((one) => one.severity),
        severity === null ? [] : [severity],
      );
      for (const one of found) wellFormed(one);
    });
  }
}

test("every kind has an entry, and a case here or in the tests of stores", () => {
  assert.deepEqual(new Set([...Object.keys(CASES), "board_store"]), new Set<string>(DIAGNOSTIC_KINDS));
  for (const kind of DIAGNOSTIC_KINDS) assert.notEqual(DIAGNOSTICS[kind].raised, "");
});

test("diagnostics of a task come worst first, then oldest first", () => {
  const found = raised({
    since: NOW - 2 * HOUR,
    task: { assignee: "nosuch", consecutive_failures: 4 },
    runs: [run("crashed"), run("crashed")],
  });
  assert.deepEqual(
    found.map((one) => one.kind),
    ["repeated_failures", "stranded_in_ready", "unknown_assignee", "repeated_crashes"],
  );
});

/** What a reader of the JSON relies on. */
function wellFormed(one: Diagnostic): void {
  assert.deepEqual(Object.keys(one), [
    "kind",
    "severity",
    "title",
    "detail",
    "actions",
    "first_seen_at",
    "last_seen_at",
    "count",
    "data",
  ]);
  assert.equal(one.actions.filter((action) => action.suggested).length, 1, "one action is suggested");
  assert.ok(one.first_seen_at <= one.last_seen_at && one.count >= 1 && one.title !== "" && one.detail !== "");
}

function raised({ task, board: shared, ...more }: More): readonly Diagnostic[] {
  const one: TaskCase = {
    task: { ...TASK, ...task },
    since: NOW,
    events: [],
    runs: [],
    stuckParents: [],
    commentedAt: null,
    stuckWorker: undefined,
    deliveries: [],
    kept: undefined,
    lastText: null,
    log: [],
    ...more,
  };
  const board: BoardCase = {
    now: NOW,
    paused: false,
    dispatch: "dispatching",
    stalled: false,
    lastStart: null,
    noClient: undefined,
    maxAttempts: 3,
    limitOf: () => 2,
    outside: () => false,
    known: (name) => name !== "nosuch",
    workerProblem: () => undefined,
    refused: [],
    deliveries: [],
    tasks: [one],
    ...shared,
  };
  return [...diagnoseTask(one, board), ...diagnoseBoard(board)];
}

const TASK: CaseTask = {
  id: ID,
  title: "x",
  status: "ready",
  assignee: "alice",
  external: 0,
  priority: 0,
  max_retries: null,
  consecutive_failures: 0,
  last_failure_error: null,
  last_failure_class: null,
  not_before: null,
  block_kind: null,
  auto_decompose: 1,
  decompose_attempts: 0,
  workspace_kind: "scratch",
  workspace_path: null,
  branch_name: null,
  created_at: 0,
  updated_at: 0,
};
