import type { ProcessId } from "../../base/process/spawn.js";
import type { BoardSlug, RunId, TaskId, UnixSeconds } from "../../base/units.js";
import type { FailureLimit } from "../../contracts/board/api.js";
import type { Actor, ClaimRef, Run, RunOutcome, Status, Task } from "../../contracts/board/board.js";
import type { BoardPlaces } from "./places.js";

/** A worker process as it is recorded on its run: pid, kernel start time, boot id, host id. */
export type WorkerIdentity = ProcessId & { readonly host: string };

/** Ends the worker of a run. Implemented by the supervisor; the run is fenced before it is called, and it is outside any transaction. */
export interface Stopper {
  /**
   * End the run's process group and what left it (7.8). A run without a recorded worker, or whose worker is gone, is `ended`.
   * Must not call a verb of the board. Never rejects.
   */
  stop(board: BoardSlug, run: OpenRun): Promise<StopReport>;
}

/** `stuck`: the leader lives after SIGKILL; nothing may be changed and no second worker started. */
export interface StopReport {
  readonly result: "ended" | "stuck";
  /** A signal was sent. */
  readonly attempted: boolean;
  readonly sigkill: boolean;
  /** The worker belongs to this host. */
  readonly hostLocal: boolean;
}

export interface OpenRun extends Run {
  readonly board: BoardSlug;
  readonly assignee: string | null;
  readonly external: boolean;
  readonly workspace_kind: Task["workspace_kind"];
  readonly workspace_path: string | null;
  /** `stuck` was written for this run. */
  readonly stuck: boolean;
}

export interface ClaimOptions {
  /** Seconds; default `leaseSeconds()`. */
  readonly ttl?: number;
  /** Assignee at claim time; written on the run. */
  readonly profile: string;
  /** `<host name>:<pid>` of the claiming process, for display. */
  readonly lock: string;
  readonly by: Actor;
}

export type ClaimOutcome =
  | { readonly claimed: true; readonly claim: ClaimRef; readonly task: Task; readonly expires: UnixSeconds }
  | {
      readonly claimed: false;
      readonly why: "unknown" | "not_ready" | "parents_not_done";
      readonly status: Status | undefined;
      readonly lock: string | null;
    };

/** How a run came to its end, as the supervisor saw it. Row of 7.6 and 7.7. */
export type Observed =
  | { readonly how: "exit"; readonly code: number }
  | { readonly how: "signal"; readonly signal: string }
  /** Gone without exit record. `seenAlive`: this owner saw it alive. */
  | { readonly how: "vanished"; readonly seenAlive: boolean }
  /** The run was started before the last reboot. */
  | { readonly how: "host_restart" }
  /** Workspace or process could not be made. */
  | { readonly how: "not_started"; readonly error: string; readonly errorClass: string }
  | { readonly how: "lease_expired" }
  | { readonly how: "stale"; readonly timeoutSeconds: number }
  | { readonly how: "max_runtime"; readonly limitSeconds: number }
  | { readonly how: "board_paused" }
  | { readonly how: "board_removed" };

export interface RunEnd {
  readonly board: BoardSlug;
  readonly task: TaskId;
  readonly run: RunId;
  readonly observed: Observed;
  /** Last non-empty line of the log, for `last_failure_error` when the worker reported nothing. */
  readonly lastLine?: string;
  /** Last error class of the runner's exit record. */
  readonly errorClass?: string;
  /** `--failure-limit` of the running `dispatch` or `daemon`. */
  readonly failureLimit?: number;
}

export type Settled =
  | {
      readonly settled: true;
      readonly outcome: RunOutcome;
      readonly status: Status;
      readonly gaveUp: boolean;
      readonly task: TaskId;
      readonly reason: string | null;
    }
  /** `closed`: the run had ended already. `stopping`: a verb is stopping it and will close it. `stuck`: the worker cannot be ended. */
  | { readonly settled: false; readonly why: "closed" | "stopping" | "stuck" };

/** A ready task as the dispatcher looks at it; no long texts. */
export interface Candidate {
  readonly id: TaskId;
  readonly title: string;
  readonly assignee: string | null;
  readonly external: boolean;
  readonly priority: number;
  readonly created_at: UnixSeconds;
  readonly not_before: UnixSeconds | null;
  /** When the newest run ended. */
  readonly last_ended: UnixSeconds | null;
  readonly last_failure_class: string | null;
  readonly consecutive_failures: number;
  readonly workspace_kind: Task["workspace_kind"];
  readonly workspace_path: string | null;
  /** Group leader of the newest run, for step h of 6.5; null when it never had a worker. */
  readonly last_worker: WorkerIdentity | null;
}

/** What the end of a run would do. */
export interface RunEndPreview {
  readonly settled: Settled;
  /** The task, where it would be ready then. */
  readonly candidate: Candidate | undefined;
}

/** What a pass would make ready before it starts any task. */
export interface SoonReady {
  /** Scheduled tasks whose time has come. */
  readonly due: number;
  /** Waiting tasks that nothing holds back. */
  readonly promoted: number;
  readonly tasks: readonly Candidate[];
}

export interface PreparedWorkspace {
  readonly path: string;
  readonly branch: string | null;
}

/** Why the dispatcher should look at a board again. `bound`: a run has got its process. */
export type WakeCause = "ready" | "closed" | "assigned" | "deadline" | "resumed" | "changed" | "bound";

/** What the dispatcher needs beside the verbs of `BoardApi`. Every method is one transaction unless it says otherwise. */
export interface BoardKernel {
  /** Boards that exist, `default` first. A board whose store was never made is left out. */
  slugs(): Promise<readonly BoardSlug[]>;
  places(board: BoardSlug): BoardPlaces;
  /** Paused, the board's own cap, and who decomposes; null follows the configuration. */
  settings(
    board: BoardSlug,
  ): Promise<{ paused: boolean; max_in_progress: number | null; orchestration: "auto" | "manual" | null }>;

  /** Ready tasks without an open run in dispatch order (priority descending, created_at, id). */
  candidates(board: BoardSlug, limit?: number): Promise<readonly Candidate[]>;
  /** One of them; undefined when the task is not ready. */
  candidate(board: BoardSlug, task: TaskId): Promise<Candidate | undefined>;
  /** How many ready tasks there are. */
  readyCount(board: BoardSlug): Promise<number>;
  /**
   * Those of them that may start if their assignee is one of `assignees` (null: none yet), at most `limit` of each. Costs the same however many
   * others are ready.
   */
  startable(board: BoardSlug, assignees: readonly (string | null)[], limit: number): Promise<readonly Candidate[]>;
  /** Compare-and-set of 4.5. Parents that opened again send the task back to `todo`. */
  claim(board: BoardSlug, task: TaskId, options: ClaimOptions): Promise<ClaimOutcome>;
  /** Lease length in force: `AGENT_KANBAN_CLAIM_TTL_SECONDS`, else `kanban.claim_ttl_seconds`. */
  leaseSeconds(): number;
  /** Write the claim file (0600) of an open run; its path. It is removed when the run is closed. No transaction. */
  writeClaimFile(board: BoardSlug, claim: ClaimRef): Promise<string>;
  /** Make the task's workspace and record its path. File work outside the transaction. @throws E_WORKSPACE */
  prepareWorkspace(board: BoardSlug, claim: ClaimRef): Promise<PreparedWorkspace>;
  /** Record the identity of the runner, event spawned. @throws E_CLAIM_LOST: the run was closed or fenced meanwhile; start nothing. */
  bind(board: BoardSlug, claim: ClaimRef, worker: WorkerIdentity): Promise<void>;
  /** Give a missing assignee, event assigned with its source. False: it has one by now, or is no longer ready. */
  assignDefault(board: BoardSlug, task: TaskId, assignee: string): Promise<boolean>;
  /** Event respawn_guarded, once per change of reason or time. True when it was written. */
  guarded(
    board: BoardSlug,
    task: TaskId,
    reason: "rate_limit_cooldown" | "retry_backoff",
    until: UnixSeconds,
  ): Promise<boolean>;
  /** Event skill_missing for a run. */
  skillsMissing(board: BoardSlug, claim: ClaimRef, skills: readonly string[]): Promise<void>;

  openRuns(board: BoardSlug): Promise<readonly OpenRun[]>;
  /** The worker of an open run was found alive by a new owner: event adopted, lease now + TTL. False: the run is closed. */
  adopt(board: BoardSlug, run: RunId): Promise<boolean>;
  /** The lease ran out while the worker works: one more TTL, event claim_extended. False: the run is closed or was extended meanwhile. */
  extendLease(board: BoardSlug, run: RunId): Promise<boolean>;
  /** Close the run as 7.6 and 7.7 say, with failure accounting and circuit breaker, in one transaction. The worker must be gone. */
  settle(end: RunEnd): Promise<Settled>;
  /** What `settle` would do now. Writes nothing. Undefined: the run has ended. */
  previewSettle(end: RunEnd): Promise<RunEndPreview | undefined>;
  /** Fence, stop through the `Stopper`, then settle. Not one transaction. */
  stopAndSettle(end: RunEnd): Promise<Settled>;

  /** Move every task whose time has come out of `scheduled`, in order of time. */
  due(board: BoardSlug): Promise<readonly TaskId[]>;
  /** What `due` and `promoteAll` would make ready now. Writes nothing; its cost follows what it finds. */
  soonReady(board: BoardSlug): Promise<SoonReady>;
  /** Promote every `todo` that may be promoted: the safety net. */
  promoteAll(board: BoardSlug): Promise<readonly TaskId[]>;
  /** Earliest of scheduled_at, not_before of ready tasks, lease ends and runtime ends; undefined when the board lacks all of them. */
  nextDeadline(board: BoardSlug): Promise<UnixSeconds | undefined>;
  /** Limit in force for a task. */
  failureLimit(task: Pick<Task, "max_retries">, flag?: number): FailureLimit;

  /** Called right after a commit that gives the dispatcher something to do. The returned function removes the listener. */
  onWake(listener: (board: BoardSlug, cause: WakeCause) => void): () => void;
}

/** Identity of the process that leads the worker's group; undefined before it is recorded. */
export function workerIdentity(run: OpenRun): ProcessId | undefined {
  if (run.worker_pid === null) return undefined;
  return { pid: run.worker_pid, start: run.worker_start ?? "", boot: run.boot_id ?? "" };
}
