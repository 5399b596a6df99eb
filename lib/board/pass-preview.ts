import type { Clock } from "../base/clock.js";
import { type BoardSlug, toUnix } from "../base/units.js";
import type { PassResult, RunOutcome } from "../proto/board.js";
import type { BoardApi } from "../proto/board-api.js";
import type { DispatchSettings } from "./dispatcher-settings.js";
import type { Health } from "./health.js";
import type { BoardKernel, Observed } from "./kernel.js";
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

/** What steps 2 to 7 of a pass would do now; nothing is written, signalled or started. */
export async function previewBoards(deps: PreviewDeps, settings: DispatchSettings, result: PassResult): Promise<void> {
  await deps.health.each(await deps.kernel.slugs(), (board) => previewBoard(deps, board, settings, result));
}

async function previewBoard(deps: PreviewDeps, board: BoardSlug, settings: DispatchSettings, result: PassResult): Promise<void> {
  for (const run of await deps.kernel.openRuns(board)) {
    const verdict = judge(run, deps.supervisor.facts(board, run), settings, deps.kernel.leaseSeconds());
    if (verdict.do !== "settle" && verdict.do !== "stop") continue;
    const outcome = outcomeOf(verdict.observed);
    countSettled(result, run.task_id, { settled: true, outcome, status: "ready", gaveUp: false, task: run.task_id, reason: null });
  }
  await previewWaiting(deps, board, result);
}

async function previewWaiting(deps: PreviewDeps, board: BoardSlug, result: PassResult): Promise<void> {
  const now = toUnix(deps.clock.now());
  for (const { task, waits_for } of await deps.api.list(board, { status: ["scheduled", "todo"] })) {
    const due = task.status === "scheduled" && task.scheduled_at !== null && task.scheduled_at <= now;
    if (due) result.due += 1;
    if ((due || task.status === "todo") && waits_for.length === 0 && !task.hold) result.promoted += 1;
  }
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
