import type { Query, Tx } from "../../../storage/store.js";
import type { RunRow, TaskRow } from "../../../storage/tables/board/rows.js";
import { closeRun, getRun, lastOutcomes, reportOf, setRunTexts, usageOf } from "../../../storage/tables/board/runs.js";
import { setTexts } from "../../../storage/tables/board/tasks.js";
import { AppError } from "../../base/errors.js";
import { toUnix, type UnixSeconds } from "../../base/units.js";
import type { FailureLimit, FailureReport } from "../../contracts/board/api.js";
import { appendTaskEvent, type Core, mustTask, removeClaimFile, type Stamp, SYSTEM, toStamp } from "../core/core.js";
import { failureLimit, type Judgement, judgeRunEnd } from "../core/judge.js";
import type { Candidate, RunEnd, RunEndPreview, Settled, StopReport } from "../core/kernel.js";
import { changeStatus, type GuardFacts, transition } from "../core/states.js";
import { afterStop, fence } from "./interventions.js";

/** Close a run whose worker is gone, as board part 7.6 and 7.7 say: status, failure count and circuit breaker in one transaction. */
export async function settleRun(core: Core, end: RunEnd): Promise<Settled> {
  const store = await core.store(end.board, end.task);
  const stamp = toStamp(core, SYSTEM);
  const settled = await store.write("board.settle", async (tx): Promise<Settled> => {
    const run = await getRun(tx, end.run);
    if (run === undefined || run.ended_at !== null) return { settled: false, why: "closed" };
    // A fence without a commit behind it (its commit found no space, say) does not delay anything.
    const stopping = run.fenced_by === core.instance && core.lanes.busy(`${end.board}/${end.task}`);
    if (stopping) return { settled: false, why: "stopping" };
    return close(tx, core, { end, run, stamp, stop: undefined });
  });
  if (settled.settled) await removeClaimFile(core, end.board, end.task, end.run);
  return settled;
}

/** Stop the worker of a run first, then settle it: leases, staleness, runtime, `boards pause --now`. */
export async function stopAndSettle(core: Core, end: RunEnd): Promise<Settled> {
  return core.lanes.take(`${end.board}/${end.task}`, async (): Promise<Settled> => {
    const store = await core.store(end.board, end.task);
    const stamp = toStamp(core, SYSTEM);
    const fenced = await fence(core, store, end.board, end.run);
    if (fenced === undefined) return { settled: false, why: "closed" };
    try {
      const settled = await afterStop(core, { store, run: fenced, stamp }, async (tx, stop): Promise<Settled> => {
        const run = await getRun(tx, end.run);
        if (run === undefined || run.ended_at !== null) return { settled: false, why: "closed" };
        return close(tx, core, { end, run, stamp, stop });
      });
      if (settled.settled) await removeClaimFile(core, end.board, end.task, end.run);
      return settled;
    } catch (error) {
      if (error instanceof AppError && error.code === "E_WORKER_STUCK") return { settled: false, why: "stuck" };
      throw error;
    }
  });
}

interface Closing {
  readonly end: RunEnd;
  readonly run: RunRow;
  readonly stamp: Stamp;
  readonly stop: StopReport | undefined;
}

/**
 * What `settle` would make of a run that ends now: its outcome, and the task as a candidate where it would be ready. Writes nothing.
 * Undefined: the run has ended.
 */
export async function previewSettle(core: Core, end: RunEnd): Promise<RunEndPreview | undefined> {
  const store = await core.reading(end.board);
  const stamp = toStamp(core, SYSTEM);
  return store?.read(async (q) => {
    const run = await getRun(q, end.run);
    if (run === undefined || run.ended_at !== null) return undefined;
    const { task, verdict } = await judgeRun(q, core, { end, run, stamp, stop: undefined });
    const status = transition(task.status, verdict.trigger, limitFacts(verdict))?.to ?? task.status;
    const { outcome, gaveUp, reason } = verdict;
    const settled: Settled = { settled: true, outcome, status, gaveUp, task: task.id, reason };
    return { settled, candidate: status === "ready" ? toFreedCandidate(task, verdict, toUnix(stamp.at)) : undefined };
  });
}

function toFreedCandidate(task: TaskRow, verdict: Judgement, now: UnixSeconds): Candidate {
  const { id, title, assignee, priority, created_at, workspace_kind, workspace_path } = task;
  const { counted, errorClass, failures, notBefore, outcome } = verdict;
  return {
    id,
    title,
    assignee,
    external: task.external === 1,
    priority,
    created_at,
    workspace_kind,
    workspace_path,
    not_before: notBefore,
    last_ended: now,
    last_failure_class: outcome === "rate_limited" ? "throttled" : counted ? errorClass : task.last_failure_class,
    consecutive_failures: counted ? failures : task.consecutive_failures,
    last_worker: null,
  };
}

interface Judged {
  readonly task: TaskRow;
  readonly limit: FailureLimit;
  readonly report: FailureReport | undefined;
  readonly verdict: Judgement;
}

async function judgeRun(q: Query, core: Core, closing: Closing): Promise<Judged> {
  const { end, run, stamp } = closing;
  const task = await mustTask(q, run.task_id);
  const report = parseReport(await reportOf(q, run.id));
  const limit = failureLimit(core.config, task, end.failureLimit);
  const before = await lastOutcomes(q, task.id, 40);
  const spent = await usageOf(q, task.id);
  const tokens = (spent?.input_tokens ?? 0) + (spent?.output_tokens ?? 0);
  const verdict = judgeRunEnd({
    ...closing,
    task,
    report,
    before,
    limit,
    tokens,
    config: core.config,
    now: toUnix(stamp.at),
  });
  return { task, limit, report, verdict };
}

async function close(tx: Tx, core: Core, closing: Closing): Promise<Settled> {
  const { end, run, stamp } = closing;
  const { task, limit, report, verdict } = await judgeRun(tx, core, closing);
  await closeRun(tx, run.id, {
    outcome: verdict.outcome,
    at: toUnix(stamp.at),
    reason: verdict.reason,
    error: verdict.error,
    errorClass: verdict.errorClass,
    exitCode: end.observed.how === "exit" ? end.observed.code : null,
    exitSignal: end.observed.how === "signal" ? end.observed.signal : null,
    session: report?.session_id ?? null,
    usage: report?.usage ?? null,
  });
  if (report?.last_text) await setRunTexts(tx, run.id, { summary: report.last_text.slice(0, 32 * 1024) });
  const status = await moveOn(tx, { task, run }, verdict, stamp);
  if (verdict.gaveUp) {
    appendTaskEvent(
      tx,
      stamp,
      { kind: "gave_up", task: task.id, run: run.id },
      {
        failures: verdict.failures,
        effective_limit: limit.limit,
        limit_source: limit.source,
        error: verdict.error,
        trigger_outcome: verdict.outcome,
      },
    );
  }
  return {
    settled: true,
    outcome: verdict.outcome,
    status,
    gaveUp: verdict.gaveUp,
    task: task.id,
    reason: verdict.reason,
  };
}

async function moveOn(tx: Tx, { task, run }: { task: TaskRow; run: RunRow }, verdict: Judgement, stamp: Stamp) {
  if (verdict.blockReason !== null) await setTexts(tx, task.id, { block_reason: verdict.blockReason });
  return changeStatus(tx, task, verdict.trigger, {
    ...stamp,
    run: run.id,
    facts: limitFacts(verdict),
    payload: verdict.payload,
    patch: {
      current_run_id: null,
      not_before: verdict.notBefore,
      block_kind: verdict.blockKind,
      guard_reason: null,
      guard_until: null,
      ...(verdict.counted
        ? {
            consecutive_failures: verdict.failures,
            last_failure_error: verdict.error,
            last_failure_class: verdict.errorClass,
          }
        : {}),
      ...(verdict.outcome === "rate_limited"
        ? { last_failure_class: "throttled", last_failure_error: verdict.error }
        : {}),
    },
  });
}

const limitFacts = ({ gaveUp }: Judgement): GuardFacts => ({ "at limit": gaveUp, "below limit": !gaveUp });

/** What a worker said about its own end, as it was stored. */
function parseReport(json: string | null): FailureReport | undefined {
  return json === null ? undefined : (JSON.parse(json) as FailureReport); // written by reportFailure from a FailureReport
}
