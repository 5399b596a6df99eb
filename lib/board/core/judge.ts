import type { RunRow, TaskRow } from "../../../storage/tables/board/rows.js";
import type { UnixSeconds } from "../../base/units.js";
import type { FailureLimit, FailureReport } from "../../contracts/board/api.js";
import type { BlockKind, RunOutcome } from "../../contracts/board/board.js";
import type { Config } from "../../contracts/config/config.js";
import type { RunEnd, StopReport } from "./kernel.js";
import { KANBAN } from "./keys.js";
import type { Trigger } from "./states.js";
import { budgetReason, clip } from "./texts.js";

/** Everything the judgement of an ended run looks at. */
export interface Case {
  readonly end: RunEnd;
  readonly run: RunRow;
  readonly task: TaskRow;
  readonly report: FailureReport | undefined;
  readonly stop: StopReport | undefined;
  /** Newest closed runs of the task, newest first. */
  readonly before: readonly { readonly outcome: RunOutcome; readonly end_reason: string | null }[];
  readonly limit: FailureLimit;
  /** Input and output tokens of all runs of the task. */
  readonly tokens: number;
  readonly config: Config;
  readonly now: UnixSeconds;
}

export interface Judgement {
  readonly trigger: Trigger;
  readonly outcome: RunOutcome;
  /** `end_reason` of a reclaimed run. */
  readonly reason: string | null;
  readonly counted: boolean;
  /** Failures in a row, with this one when it counts. */
  readonly failures: number;
  readonly gaveUp: boolean;
  readonly notBefore: UnixSeconds | null;
  readonly error: string | null;
  readonly errorClass: string | null;
  readonly blockKind: BlockKind | null;
  readonly blockReason: string | null;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** One failure limit for every path: the task's own, the running command's, the configured one (board part, 6.8). */
export function failureLimit(config: Config, task: Pick<TaskRow, "max_retries">, flag?: number): FailureLimit {
  if (task.max_retries !== null) return { limit: task.max_retries, source: "task" };
  if (flag !== undefined) return { limit: flag, source: "dispatch_flag" };
  const source = config.source(KANBAN.failureLimit) === "default" ? "default" : "config";
  return { limit: config.get(KANBAN.failureLimit), source };
}

type Kind =
  | { readonly as: "rate_limited" }
  | { readonly as: "timed_out"; readonly cause: "max_runtime" | "iteration_budget" }
  | { readonly as: "spawn_failed"; readonly error: string | undefined; readonly errorClass: string }
  | { readonly as: "protocol_violation" }
  | { readonly as: "reclaimed"; readonly reason: string }
  | { readonly as: "stale"; readonly timeout: number }
  | { readonly as: "crashed"; readonly exitKind: "nonzero_exit" | "signaled" | "unknown" };

/** Lost with its owner more often than this in a row, a run counts as crashed (board part, 7.7). */
const LOST_BEFORE_CRASH = 3;

/** First matching row of board part 7.6. */
function kindOf(given: Case): Kind {
  const { observed } = given.end;
  switch (observed.how) {
    case "board_removed":
      return { as: "reclaimed", reason: "archived" };
    case "lease_expired":
    case "board_paused":
    case "host_restart":
      return { as: "reclaimed", reason: observed.how };
    case "stale":
      return { as: "stale", timeout: observed.timeoutSeconds };
    case "max_runtime":
      return { as: "timed_out", cause: "max_runtime" };
    case "not_started":
      return { as: "spawn_failed", error: observed.error, errorClass: observed.errorClass };
    case "vanished":
      return ofReport(given) ?? ofVanished(given, observed.seenAlive);
    case "signal":
      return ofReport(given) ?? { as: "crashed", exitKind: "signaled" };
    case "exit":
      return ofExit(given, observed.code);
  }
}

function ofReport(given: Case): Kind | undefined {
  if (given.report?.class === "throttled") return { as: "rate_limited" };
  if (given.report?.class === "iteration_budget") return { as: "timed_out", cause: "iteration_budget" };
  return undefined;
}

function ofExit(given: Case, code: number): Kind {
  if (code === 75) return { as: "rate_limited" };
  const reported = ofReport(given);
  if (reported !== undefined) return reported;
  if (code === 64) return { as: "spawn_failed", error: undefined, errorClass: "start" };
  if (code === 0) return { as: "protocol_violation" };
  if (code === 76) return { as: "reclaimed", reason: "lease_expired" };
  return { as: "crashed", exitKind: "nonzero_exit" };
}

function ofVanished(given: Case, seenAlive: boolean): Kind {
  if (seenAlive) return { as: "crashed", exitKind: "unknown" };
  const lost = given.before.findIndex((run) => run.end_reason !== "lost_with_owner");
  const inRow = lost === -1 ? given.before.length : lost;
  return inRow >= LOST_BEFORE_CRASH
    ? { as: "crashed", exitKind: "unknown" }
    : { as: "reclaimed", reason: "lost_with_owner" };
}

/** How a run ended, what happens to its task, and what is said about it. Pure. */
export function judgeRunEnd(given: Case): Judgement {
  const judgement = judgeEnd(given);
  const max = given.config.get(KANBAN.maxTokensPerTask);
  const startsAgain = !judgement.gaveUp && judgement.outcome !== "protocol_violation";
  return max > 0 && given.tokens >= max && startsAgain ? usedUp(given, judgement, max) : judgement;
}

/** A task whose token budget is used up does not start again by itself, however its run ended (row 29). */
function usedUp(given: Case, judgement: Judgement, max: number): Judgement {
  const reason = budgetReason(given.tokens, max);
  return {
    ...judgement,
    trigger: "token budget",
    outcome: "blocked",
    reason: null,
    counted: false,
    notBefore: null,
    blockKind: "budget",
    blockReason: reason,
    payload: { reason, block_kind: "budget" },
  };
}

/** Error class of a run that ended because the disk of this machine is full: no failure of the task. */
export const DISK_FULL = "disk_full";
/** What the runner writes last when it cannot even store how its worker ended. */
const UNSTORED_EXIT =
  /^(?:failed to write the exit record|the exit record could not be written): .*\b(?:ENOSPC|EDQUOT|disk is full|quota)\b/;
/** Until a task that found no space is tried again, in seconds. */
const FULL_DISK_PAUSE = 60;

function foundNoSpace({ end }: Case, kind: Kind): boolean {
  if (kind.as === "spawn_failed") return kind.errorClass === DISK_FULL;
  return kind.as === "crashed" && UNSTORED_EXIT.test(end.lastLine ?? "");
}

function judgeEnd(given: Case): Judgement {
  const kind = kindOf(given);
  const noSpace = foundNoSpace(given, kind);
  const failed =
    kind.as === "crashed" || kind.as === "timed_out" || kind.as === "spawn_failed" || kind.as === "protocol_violation";
  const counted = failed && !noSpace;
  const failures = given.task.consecutive_failures + (counted ? 1 : 0);
  const protocol = kind.as === "protocol_violation";
  const gaveUp = counted && !protocol && failures >= given.limit.limit;
  const error = failed || kind.as === "rate_limited" ? errorOf(given, kind) : null;
  return {
    trigger: kind.as === "reclaimed" ? "reclaim" : kind.as,
    outcome: kind.as,
    reason: kind.as === "reclaimed" ? kind.reason : null,
    counted,
    failures,
    gaveUp,
    notBefore: noSpace
      ? given.now + FULL_DISK_PAUSE
      : notBefore(given, kind, { failures, counted: counted && !gaveUp && !protocol }),
    error,
    errorClass: noSpace ? DISK_FULL : classOf(given, kind),
    blockKind: gaveUp ? "breaker" : protocol ? "protocol" : null,
    blockReason: gaveUp ? error : protocol ? "the worker stopped without completing or blocking the task" : null,
    payload: payloadOf(given, kind, { failures, error }),
  };
}

function errorOf(given: Case, kind: Kind): string | null {
  if (kind.as === "spawn_failed" && kind.error !== undefined) return clip(kind.error, 500);
  const said = given.report?.error ?? given.end.lastLine;
  if (said !== undefined && said.trim() !== "") return clip(said, 500);
  return kind.as === "timed_out" && kind.cause === "max_runtime" ? "maximum runtime exceeded" : describeEnd(given);
}

function describeEnd(given: Case): string {
  const { observed } = given.end;
  if (observed.how === "exit") return `the worker exited with ${observed.code}`;
  if (observed.how === "signal") return `the worker was terminated by ${observed.signal}`;
  return "the worker disappeared without an exit record";
}

function classOf(given: Case, kind: Kind): string | null {
  if (kind.as === "reclaimed" || kind.as === "stale") return null;
  if (kind.as === "rate_limited") return "throttled";
  if (kind.as === "spawn_failed") return given.report?.class ?? given.end.errorClass ?? kind.errorClass;
  if (kind.as === "timed_out" && kind.cause === "iteration_budget") return "iteration_budget";
  return given.report?.class ?? given.end.errorClass ?? "unknown";
}

/** Deferral of the next attempt (board part, 6.7). */
function notBefore(given: Case, kind: Kind, failure: { failures: number; counted: boolean }): UnixSeconds | null {
  if (kind.as === "rate_limited") return cooldown(given);
  const base = given.config.get(KANBAN.retryBackoff);
  if (!failure.counted || failure.failures < 2 || base === 0) return null;
  return given.now + Math.min(900, base * 2 ** (failure.failures - 2));
}

function cooldown(given: Case): UnixSeconds | null {
  const base = given.config.get(KANBAN.rateLimitCooldown);
  if (base === 0) return null;
  const other = given.before.findIndex((run) => run.outcome !== "rate_limited");
  const inRow = other === -1 ? given.before.length : other;
  const wait = Math.min(3600, base * 2 ** Math.min(inRow, 12));
  const named = Math.min((given.report?.until ?? 0) - given.now, 24 * 3600);
  return given.now + Math.max(wait, named);
}

function payloadOf(given: Case, kind: Kind, said: { failures: number; error: string | null }): Record<string, unknown> {
  const { run, end, report } = given;
  const pid = run.worker_pid;
  switch (kind.as) {
    case "rate_limited":
      return { pid, exit_code: 75, until: cooldown(given) };
    case "timed_out":
      return {
        pid,
        cause: kind.cause,
        ...timing(given),
        sigkill: given.stop?.sigkill ?? false,
        failures: said.failures,
      };
    case "spawn_failed":
      return { error: said.error, failures: said.failures };
    case "protocol_violation":
      return {
        pid,
        exit_code: 0,
        reminders: report?.reminders ?? 0,
        last_text: (report?.last_text ?? "").slice(0, 1000),
      };
    case "stale":
      return { ...timing(given), ...beats(given), timeout_seconds: kind.timeout, pid, ...stopKeys(given) };
    case "reclaimed":
      return { reason: kind.reason, ...stopKeys(given), ...(kind.reason === "lease_expired" ? lease(run) : {}) };
    case "crashed":
      return {
        pid,
        exit_kind: kind.exitKind,
        ...(end.observed.how === "exit" ? { exit_code: end.observed.code } : {}),
        ...(end.observed.how === "signal" ? { signal: end.observed.signal } : {}),
        error_class: classOf(given, kind),
        failures: said.failures,
      };
  }
}

const lease = (run: RunRow) => ({ claim_expires: run.claim_expires, last_heartbeat_at: run.last_heartbeat_at });

const beats = ({ run, now }: Case) => ({
  last_heartbeat_at: run.last_heartbeat_at,
  heartbeat_age_seconds: now - run.last_heartbeat_at,
});

function timing({ end, run, now, report }: Case): Record<string, unknown> {
  return {
    elapsed_seconds: now - run.started_at,
    ...(end.observed.how === "max_runtime" ? { limit_seconds: end.observed.limitSeconds } : {}),
    ...(report?.budget_used === undefined ? {} : { budget_used: report.budget_used }),
    ...(report?.budget_max === undefined ? {} : { budget_max: report.budget_max }),
  };
}

/** Keys of a stopped worker, the same in every event that tells of one. */
export function stopKeys(given: {
  readonly run: Pick<RunRow, "worker_pid">;
  readonly stop: StopReport | undefined;
}): Record<string, unknown> {
  return {
    prev_pid: given.run.worker_pid,
    termination_attempted: given.stop?.attempted ?? false,
    terminated: given.stop?.attempted === true && given.stop.result === "ended",
    sigkill: given.stop?.sigkill ?? false,
    host_local: given.stop?.hostLocal ?? true,
  };
}
