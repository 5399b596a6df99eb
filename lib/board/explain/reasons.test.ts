import assert from "node:assert/strict";
import { test } from "node:test";
import { aTask } from "../../../fixtures/sim/a-task.js";
import type { RunId } from "../../base/units.js";
import type { Task } from "../../contracts/board/board.js";
import { REASON_CODES, type ReasonCode, type StartForecast } from "../../contracts/board/explain.js";
import { REASONS } from "./codes.js";
import { reasonsOf } from "./reasons.js";
import type { WhyFacts } from "./why-facts.js";

const NOW = 1_000_000;

interface Case {
  readonly title: string;
  readonly task?: Partial<Task>;
  readonly facts?: Partial<WhyFacts>;
  readonly codes: readonly ReasonCode[];
  readonly says: RegExp;
  /** What to do about the worst. */
  readonly todo?: RegExp;
}

const P = "t_00000001" as Task["id"]; // ids have this form
const forecast = (obstacles: StartForecast["obstacles"]): StartForecast => ({
  id: P,
  title: "x",
  priority: 0,
  assignee: "alice",
  given: false,
  obstacles,
});
const triage = { auto: true, noClient: undefined, maxAttempts: 3, settlesAt: NOW + 20 };
const run = {
  id: 3 as RunId,
  profile: "alice",
  started_at: NOW - 60,
  last_heartbeat_at: NOW - 5,
  claim_expires: NOW + 800,
  worker_pid: 77,
};

const CASES: readonly Case[] = [
  {
    title: "an open parent",
    task: { status: "todo" },
    facts: { parents: [{ id: P, status: "running", verdict: null }] },
    codes: ["parent_open"],
    says: /waits for its parent t_00000001 \(running\)/,
  },
  {
    title: "the end of a chain of parents, what a person has to see to first",
    task: { status: "todo" },
    facts: {
      parents: [
        {
          id: P,
          status: "todo",
          verdict: null,
          roots: [
            { id: "t_00000007" as Task["id"], status: "running", verdict: null },
            { id: "t_00000008" as Task["id"], status: "blocked", verdict: null },
          ],
        },
      ],
    },
    codes: ["parent_open"],
    says: /parent t_00000001 \(todo\), which ultimately waits for t_00000008 \(blocked\), t_00000007 \(running\)\.$/,
    todo: /why t_00000008/,
  },
  {
    title: "a profile without a model, after what blocks the task",
    task: { status: "blocked", block_kind: "human", assignee: "coder" },
    facts: { lacksModel: true },
    codes: ["blocked_human", "no_model"],
    says: /blocked/,
    todo: /unblock/,
  },
  {
    title: "a worker that has ended, without naming its pid",
    task: { status: "running" },
    facts: { run, workerGone: true },
    codes: ["running"],
    says: /^The worker of alice has exited without a report; the next dispatcher pass/,
    todo: /dispatch/,
  },
  {
    title: "a rejected parent stands before a blocked and an open one",
    task: { status: "todo" },
    facts: {
      parents: [
        { id: P, status: "todo", verdict: null },
        { id: P, status: "blocked", verdict: null },
        { id: P, status: "done", verdict: "rejected" },
      ],
    },
    codes: ["parent_rejected", "parent_blocked", "parent_open"],
    says: /rejected/,
    todo: /reopen t_00000001/,
  },
  {
    title: "an archived parent is told as an information",
    task: { status: "todo", hold: true },
    facts: { archivedParents: [P] },
    codes: ["held", "parent_archived"],
    says: /held/,
    todo: /promote/,
  },
  {
    title: "an assignee that is no profile, before the task is ready",
    task: { status: "todo", assignee: "nosuch" },
    facts: { assigneeKnown: false, parents: [{ id: P, status: "ready", verdict: null }] },
    codes: ["unknown_assignee", "parent_open"],
    says: /nosuch is not a profile/,
    todo: /assign/,
  },
  {
    title: "a person",
    task: { status: "blocked", block_kind: "human", block_reason: "wait." },
    codes: ["blocked_human"],
    says: /blocked manually: wait\.$/,
    todo: /unblock/,
  },
  {
    title: "a worker's question",
    task: { status: "blocked", block_kind: "worker", block_reason: "which?" },
    codes: ["blocked_worker"],
    says: /which\?/,
    todo: /comment/,
  },
  {
    title: "failures",
    task: { status: "blocked", block_kind: "breaker", consecutive_failures: 2, last_failure_error: "boom" },
    facts: { log: ["one", "two"] },
    codes: ["blocked_breaker"],
    says: /failed 2 times in a row and is not retried: boom\./,
    todo: /log .*unblock/,
  },
  {
    title: "a worker without an answer",
    task: { status: "blocked", block_kind: "protocol" },
    facts: { lastText: "I am done." },
    codes: ["blocked_protocol"],
    says: /last words: I am done\./,
    todo: /unblock/,
  },
  {
    title: "a token budget",
    task: { status: "blocked", block_kind: "budget" },
    codes: ["blocked_budget"],
    says: /budget/,
    todo: /max_tokens/,
  },
  {
    title: "a time",
    task: { status: "scheduled", scheduled_at: NOW + 60 },
    codes: ["scheduled_until"],
    says: /1970-01-12 13:47 UTC/,
  },
  {
    title: "no time",
    task: { status: "scheduled" },
    codes: ["scheduled_open_end"],
    says: /without a time/,
    todo: /unblock/,
  },
  {
    title: "a back-off",
    facts: { forecast: forecast([{ code: "deferred_backoff", until: NOW + 30 }]) },
    task: { consecutive_failures: 2 },
    codes: ["deferred_backoff"],
    says: /2 consecutive failures/,
  },
  {
    title: "a throttled provider",
    facts: { forecast: forecast([{ code: "deferred_throttle", until: NOW + 30 }]) },
    codes: ["deferred_throttle"],
    says: /rate-limited/,
  },
  {
    title: "a missing assignee",
    task: { assignee: null },
    codes: ["will_assign_default", "ready_now"],
    says: /will get default/,
  },
  {
    title: "an unknown assignee",
    task: { assignee: "nosuch" },
    facts: { assigneeKnown: false },
    codes: ["unknown_assignee"],
    says: /not a profile/,
    todo: /assign/,
  },
  {
    title: "a worker program that is missing",
    task: { assignee: "alice" },
    facts: { workerProblem: "worker.program is app-server, but codex is not on PATH" },
    codes: ["no_worker_program"],
    says: /No worker of alice can start: worker.program is app-server, but codex is not on PATH\./,
    todo: /agent -p alice config set worker.program native/,
  },
  {
    title: "a worker program that is missing, before the task is ready",
    task: { status: "todo", assignee: "alice" },
    facts: { workerProblem: "gone", parents: [{ id: P, status: "ready", verdict: null }] },
    codes: ["no_worker_program", "parent_open"],
    says: /cannot|can start/,
    todo: /worker.program native/,
  },
  {
    title: "something outside",
    facts: { outside: true, dispatch: "absent" },
    codes: ["external"],
    says: /externally/,
    todo: /claim/,
  },
  {
    title: "the cap of all boards",
    facts: { forecast: forecast([{ code: "cap_global", cap: 4 }]) },
    codes: ["cap_global"],
    says: /limit is reached \(4\)/,
    todo: /max_in_progress/,
  },
  {
    title: "the cap of a board",
    facts: { forecast: forecast([{ code: "cap_board", cap: 1 }]) },
    codes: ["cap_board"],
    says: /board/,
    todo: /boards set/,
  },
  {
    title: "the cap of a profile",
    facts: { forecast: forecast([{ code: "cap_profile", current: 1, cap: 1 }]) },
    codes: ["cap_profile"],
    says: /alice already has 1/,
    todo: /per_profile/,
  },
  {
    title: "processes that leave",
    facts: { forecast: forecast([{ code: "worker_leaving" }]) },
    codes: ["worker_leaving"],
    says: /still alive/,
  },
  {
    title: "a pause",
    facts: { paused: { reason: "lunch" } },
    codes: ["board_paused"],
    says: /paused: lunch\./,
    todo: /boards resume/,
  },
  {
    title: "no owner",
    facts: { dispatch: "absent" },
    codes: ["dispatcher_absent"],
    says: /No long-lived owner/,
    todo: /headless/,
  },
  {
    title: "an owner that does not dispatch",
    facts: { dispatch: "disabled" },
    codes: ["dispatcher_disabled"],
    says: /is disabled/,
    todo: /dispatch_in_gateway/,
  },
  {
    title: "triage that settles",
    task: { status: "triage" },
    facts: { triage },
    codes: ["triage_settling"],
    says: /after 1970-01-12 13:47 UTC/,
  },
  {
    title: "triage that is its turn",
    task: { status: "triage" },
    facts: { triage: { ...triage, settlesAt: NOW } },
    codes: ["triage_settling"],
    says: /next automatic attempt/,
  },
  {
    title: "triage without an owner",
    task: { status: "triage" },
    facts: { triage, dispatch: "absent" },
    codes: ["dispatcher_absent", "triage_settling"],
    says: /owner/,
    todo: /headless/,
  },
  {
    title: "triage that opted out",
    task: { status: "triage", auto_decompose: false },
    facts: { triage },
    codes: ["triage_opted_out"],
    says: /is disabled for it/,
    todo: /specify/,
  },
  {
    title: "triage of a manual board",
    task: { status: "triage" },
    facts: { triage: { ...triage, auto: false } },
    codes: ["triage_manual"],
    says: /decomposition is off/,
    todo: /decompose/,
  },
  {
    title: "triage without a client",
    task: { status: "triage" },
    facts: { triage: { ...triage, noClient: "no auxiliary client configured" } },
    codes: ["triage_no_client"],
    says: /no auxiliary client configured/,
    todo: /auxiliary/,
  },
  {
    title: "triage that failed",
    task: { status: "triage", decompose_attempts: 3 },
    facts: { triage },
    codes: ["triage_exhausted"],
    says: /3 times/,
    todo: /edit/,
  },
  {
    title: "a worker at work",
    task: { status: "running" },
    facts: { run },
    codes: ["running"],
    says: /alice is running \(pid 77\) since .*heartbeat 5s ago; its lease ends/,
  },
  {
    title: "a worker that cannot be ended",
    task: { status: "running" },
    facts: { run, stuck: true },
    codes: ["stuck", "running"],
    says: /cannot be/,
    todo: /process 77/,
  },
  { title: "a ready task", codes: ["ready_now"], says: /is about to start/ },
  { title: "a done task", task: { status: "done" }, codes: ["done"], says: /^Done\./ },
  {
    title: "a rejected task",
    task: { status: "done", verdict: "rejected" },
    codes: ["done"],
    says: /rejected/,
    todo: /reopen/,
  },
  { title: "an archived task", task: { status: "archived" }, codes: ["archived"], says: /archived/, todo: /unarchive/ },
];

for (const { title, task, facts, codes, says, todo } of CASES) {
  test(`why names ${title}`, () => {
    const reasons = reasonsOf(factsWith({ status: "ready", assignee: "alice", ...task }, facts));
    assert.deepEqual(
      reasons.map((one) => one.code),
      codes,
    );
    assert.match(reasons[0]?.text ?? "", says);
    assert.match(reasons.find((one) => one.action !== undefined)?.action ?? "", todo ?? /^$/);
  });
}

test("every code of why has a case here and a line in the help topic", () => {
  const made = new Set(CASES.flatMap((one) => one.codes));
  assert.deepEqual(
    REASON_CODES.filter((code) => !made.has(code)),
    [],
  );
  assert.deepEqual(new Set(Object.keys(REASONS)), new Set<string>(REASON_CODES));
});

test("an archived parent no longer matters once the task is done", () => {
  const reasons = reasonsOf(factsWith({ status: "done" }, { archivedParents: [P] }));
  assert.deepEqual(
    reasons.map((one) => one.code),
    ["done"],
  );
});

function factsWith(task: Partial<Task>, facts: Partial<WhyFacts> = {}): WhyFacts {
  return {
    task: aTask(task),
    now: NOW,
    parents: [],
    archivedParents: [],
    dispatch: "dispatching",
    paused: undefined,
    outside: false,
    assigneeKnown: true,
    defaultAssignee: "default",
    forecast: undefined,
    run: undefined,
    stuck: false,
    workerGone: false,
    lacksModel: false,
    workerProblem: undefined,
    lastText: null,
    log: [],
    triage: undefined,
    ...facts,
  };
}
