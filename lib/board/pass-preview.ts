import type { Clock } from "../base/clock.js";
import { type BoardSlug, toUnix } from "../base/units.js";
import type { PassResult, RunOutcome, Task } from "../proto/board.js";
import type { BoardApi } from "../proto/board-api.js";
import type { DispatchSettings } from "./dispatcher-settings.js";
import type { Health } from "./health.js";
import type { BoardKernel, Candidate, Observed } from "./kernel.js";
import { countSettled } from "./pass-count.js";
import type { Supervisor } from "./supervise.js";
import { judge } from "./supervise-judge.js";

export interface PreviewDeps {
  readonly kernel: BoardKernel;
  readonly api: Pick<BoardApi, "list">;
  readonly supervisor: Supervisor;
  readonly clock: Clock;
  readonly health: Health;
}

/** Tasks that a pass would make ready before it starts any. */
export type SoonReady = ReadonlyMap<BoardSlug, readonly Candidate[]>;

/** What steps 2 to 7 of a pass would do now; nothing is written, signalled or started. */
export async function previewBoards(deps: PreviewDeps, settings: DispatchSettings, result: PassResult): Promise<SoonReady> {
  const look = async (board: BoardSlug) => [board, await previewBoard(deps, board, settings, result)] as const;
  return new Map(await deps.health.each(await deps.kernel.slugs(), look));
}

async function previewBoard(
  deps: PreviewDeps,
  board: BoardSlug,
  settings: DispatchSettings,
  result: PassResult,
): Promise<readonly Candidate[]> {
  for (const run of await deps.kernel.openRuns(board)) {
    const verdict = judge(run, deps.supervisor.facts(board, run), settings, deps.kernel.leaseSeconds());
    if (verdict.do !== "settle" && verdict.do !== "stop") continue;
    const outcome = outcomeOf(verdict.observed);
    countSettled(result, run.task_id, { settled: true, outcome, status: "ready", gaveUp: false, task: run.task_id, reason: null });
  }
  return previewWaiting(deps, board, result);
}

/** Steps 6 and 7: a task whose time has come is ready at once when nothing holds it, and is not promoted then. */
async function previewWaiting(deps: PreviewDeps, board: BoardSlug, result: PassResult): Promise<readonly Candidate[]> {
  const now = toUnix(deps.clock.now());
  const soon: Candidate[] = [];
  for (const { task, waits_for } of await deps.api.list(board, { status: ["scheduled", "todo"] })) {
    const due = task.status === "scheduled" && task.scheduled_at !== null && task.scheduled_at <= now;
    const free = waits_for.length === 0;
    const promoted = task.status === "todo" && free && !task.hold;
    if (due) result.due += 1;
    if (promoted) result.promoted += 1;
    if ((due && free) || promoted) soon.push(candidateFrom(task, due));
  }
  return soon;
}

/** A task as it would be once it is ready; what had come of its earlier runs is cleared when its time has come. */
function candidateFrom(task: Task, cleared: boolean): Candidate {
  const { id, title, assignee, external, priority, created_at, workspace_kind, workspace_path } = task;
  return {
    ...{ id, title, assignee, external, priority, created_at, workspace_kind, workspace_path },
    not_before: cleared ? null : task.not_before,
    last_failure_class: cleared ? null : task.last_failure_class,
    consecutive_failures: cleared ? 0 : task.consecutive_failures,
    last_worker: null,
    last_ended: null,
  };
}

/** Outcome that the board gives to an end (board part, 7.6), as far as it does not depend on earlier runs or a worker's own report. */
export function outcomeOf(observed: Observed): RunOutcome {
  switch (observed.how) {
    case "exit":
      return EXITS[observed.code] ?? "crashed";
    case "signal":
      return "crashed";
    case "vanished":
      return observed.seenAlive ? "crashed" : "reclaimed";
    case "not_started":
      return "spawn_failed";
    case "stale":
      return "stale";
    case "max_runtime":
      return "timed_out";
    case "host_restart":
    case "lease_expired":
    case "board_paused":
    case "board_removed":
      return "reclaimed";
  }
}

const EXITS: Readonly<Record<number, RunOutcome>> = { 0: "protocol_violation", 64: "spawn_failed", 75: "rate_limited", 76: "reclaimed" };
