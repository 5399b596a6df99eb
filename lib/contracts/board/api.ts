import type { BoardSlug, RunId, SessionId, TaskId, UnixSeconds } from "../../base/units.js";
import type {
  Actor,
  BlockKind,
  BoardEvent,
  ClaimRef,
  Comment,
  PassResult,
  Run,
  RunUsage,
  Status,
  Task,
  Verdict,
} from "./board.js";
import type { BoardsApi } from "./boards.js";
import type { Diagnostic, ExplainApi, WaitReason } from "./explain.js";
import type { GcApi } from "./gc.js";
import type { ChatOrigin, NotifyApi, Subscription } from "./notify.js";
import type { OrchestrationApi } from "./orchestration.js";
import type { Attachment, BoardRecords, GivenFile } from "./records.js";
import type { BoardScreenApi } from "./screen.js";
import type { BoardWorkerApi } from "./worker.js";
import type { WorkspaceApi, WorkspaceRemoval, WorkspaceState } from "./workspace.js";

export type { ListedBoard, NewBoard } from "./boards.js";
export type { WaitReason } from "./explain.js";

/** Which board a caller means: what it was given, in the order of board part 11.2. Values are unparsed. */
export interface BoardRequest {
  /** `--board`, `?board=`, argument `board`. */
  readonly flag?: string | undefined;
  /** Environment of the caller; only the pins are looked at. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Home of the caller, when it is another one than that of the boards: its settings may name a board. */
  readonly home?: string | undefined;
  /** The board pinned to a chat session at its start. */
  readonly session?: string | undefined;
  /** A reading call falls through a pin that names no board; a writing call is refused. */
  readonly writes: boolean;
}

export interface ResolvedBoard {
  readonly board: BoardSlug;
  readonly warnings: readonly string[];
}

export interface NewTask {
  readonly title: string;
  readonly body?: string | undefined;
  readonly assignee?: string | undefined;
  readonly external?: boolean | undefined;
  readonly parents?: readonly string[] | undefined;
  readonly workspace_kind?: Task["workspace_kind"] | undefined;
  readonly workspace_path?: string | undefined;
  readonly branch_name?: string | undefined;
  readonly base_name?: string | undefined;
  readonly tenant?: string | undefined;
  readonly priority?: number | undefined;
  readonly triage?: boolean | undefined;
  readonly auto_decompose?: boolean | undefined;
  readonly idempotency_key?: string | undefined;
  readonly max_runtime_seconds?: number | undefined;
  readonly skills?: readonly string[] | undefined;
  readonly max_retries?: number | undefined;
  readonly model_override?: string | undefined;
  /** Default: the actor's name. */
  readonly created_by?: string | undefined;
  readonly session_id?: SessionId | undefined;
  readonly goal_mode?: boolean | undefined;
  readonly goal_max_turns?: number | undefined;
  readonly initial_status?: "normal" | "blocked" | undefined;
  /** Files to copy into its attachments. If one fails, the task is not created. */
  readonly attach?: readonly GivenFile[] | undefined;
  readonly scheduled_at?: UnixSeconds | undefined;
  /** Chat that created it. It is subscribed in the same transaction, also when a key returns an existing task. */
  readonly origin?: ChatOrigin | undefined;
  /** Directory of the caller: where a worktree's repository is looked for, and what `~` and relative paths never use. */
  readonly cwd?: string | undefined;
}

export interface Created {
  readonly task: Task;
  /** False: a task with this idempotency key was there; it is returned unchanged. */
  readonly created: boolean;
  readonly warnings: readonly string[];
}

export interface Changed {
  readonly task: Task;
  readonly warnings: readonly string[];
}

export interface CompleteParams {
  readonly summary?: string | undefined;
  readonly result?: string | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  readonly verdict?: Verdict | undefined;
  readonly artifacts?: readonly string[] | undefined;
  readonly created_cards?: readonly string[] | undefined;
  /** Conversation of the worker, kept on the run. */
  readonly session_id?: SessionId | undefined;
  readonly usage?: RunUsage | undefined;
}

export interface BlockParams {
  readonly reason?: string | undefined;
  /** Given: the task is scheduled until then instead of blocked. */
  readonly until?: UnixSeconds | undefined;
  /** Default: `worker` for a worker, `human` for everybody else. */
  readonly kind?: BlockKind | undefined;
  /** Store the reason as a comment `BLOCKED: …` too (command line and slash). */
  readonly comment?: boolean | undefined;
  readonly usage?: RunUsage | undefined;
}

/** A verb that ended or made a run. */
export interface FinishedTask {
  readonly task: Task;
  readonly run_id: RunId | null;
}

export interface TaskLink {
  readonly parent_id: TaskId;
  readonly child_id: TaskId;
  readonly child: Task;
  /** False: the link was there already. */
  readonly added: boolean;
}

/** Answer of `claim`; `token` is shown here and nowhere else. */
export interface ClaimAnswer {
  readonly task: Task;
  readonly run_id: RunId;
  readonly token: string;
  readonly claim_expires: UnixSeconds;
  readonly workspace: string;
}

export interface Beat {
  readonly task: Task;
  readonly claim_expires: UnixSeconds;
}

export interface ListFilter {
  readonly assignee?: string | undefined;
  readonly status?: readonly Status[] | undefined;
  readonly tenant?: string | undefined;
  readonly session?: string | undefined;
  /** Show archived tasks too. */
  readonly archived?: boolean | undefined;
  readonly search?: string | undefined;
  readonly sort?: ListSort | undefined;
  readonly limit?: number | undefined;
}

export const LIST_SORTS = [
  "created",
  "created-desc",
  "priority",
  "priority-desc",
  "status",
  "assignee",
  "title",
  "updated",
] as const;
export type ListSort = (typeof LIST_SORTS)[number];

export interface ListedTask {
  readonly task: Task;
  /** Unsettled parents. */
  readonly waits_for: readonly TaskId[];
  /** Short words why it does not move (`held`, `until …`, `parent blocked`), or null. */
  readonly wait_note: string | null;
}

export interface TaskView {
  readonly task: Task;
  readonly latest_summary: string | null;
  readonly parents: readonly TaskBrief[];
  readonly children: readonly TaskBrief[];
  readonly comments: readonly Comment[];
  readonly events: readonly BoardEvent[];
  readonly runs: readonly Run[];
  readonly attachments: readonly Attachment[];
  readonly subscriptions: readonly Subscription[];
  readonly diagnostics: readonly Diagnostic[];
  readonly workspace: WorkspaceState;
  readonly reasons: readonly WaitReason[];
  /** Failure limit in force and where it comes from. */
  readonly failure_limit: FailureLimit;
}

export interface TaskBrief {
  readonly id: TaskId;
  readonly title: string;
  readonly status: Status;
  readonly assignee: string | null;
  readonly verdict: Verdict | null;
}

export interface FailureLimit {
  readonly limit: number;
  readonly source: "task" | "dispatch_flag" | "config" | "default";
}

export interface RunFilter {
  readonly state_type?: "status" | "outcome" | undefined;
  readonly state_name?: string | undefined;
}

/** A run without its texts, and the title of its task. */
export interface RecentRun {
  readonly run: Run;
  readonly title: string;
}

/** Which part of a log is meant. */
export interface LogQuestion {
  /** Only the last so many bytes. */
  readonly tailBytes?: number | undefined;
  /** Only what this run wrote. */
  readonly run?: number | undefined;
}

export interface LogPart {
  readonly path: string;
  /** Something of what was asked for is kept. */
  readonly exists: boolean;
  /** The log with its backups. */
  readonly size_bytes: number;
  readonly content: string;
  /** There is more than what is shown. */
  readonly truncated: boolean;
}

export interface BoardStats {
  readonly by_status: Record<Status, number>;
  readonly by_assignee: Record<string, Record<string, number>>;
  readonly oldest_ready_age_seconds: number | null;
  readonly usage: { readonly total: RunUsage; readonly by_assignee: Record<string, RunUsage> };
  readonly now: UnixSeconds;
}

export interface PassOptions {
  readonly dryRun?: boolean;
  /** Starts in this pass; 0 starts nothing. */
  readonly max?: number;
  readonly failureLimit?: number;
}

/** What a worker says about its own failure before it ends (7.5). Stored on the run; `settle` reads it. */
export interface FailureReport {
  readonly class: string;
  readonly error?: string | undefined;
  /** Provider's own "not before"; for class throttled. */
  readonly until?: UnixSeconds | undefined;
  readonly budget_used?: number | undefined;
  readonly budget_max?: number | undefined;
  /** Reminders given and last text, for a run that ends without a terminal call. */
  readonly reminders?: number | undefined;
  readonly last_text?: string | undefined;
  readonly session_id?: SessionId | undefined;
  readonly usage?: RunUsage | undefined;
}

/**
 * The verbs of the board. Each resolves when its one transaction is durable, and rejects with an `AppError` of board part 22 that changed nothing.
 * `id` is a full task id; `find` turns a prefix into one. A worker's actor carries its claim, which is compared in the same transaction.
 */
export interface BoardApi
  extends BoardRecords,
    BoardWorkerApi,
    BoardsApi,
    ExplainApi,
    GcApi,
    NotifyApi,
    OrchestrationApi,
    WorkspaceApi,
    BoardScreenApi {
  /** Which board a call uses (11.2). @throws E_BAD_BOARD, E_BOARD_NOT_FOUND */
  resolve(request: BoardRequest): Promise<ResolvedBoard>;
  /** Full id of a task from an id or a unique prefix of at least three characters after `t_`. @throws E_NOT_FOUND, E_AMBIGUOUS */
  find(board: BoardSlug, given: string): Promise<TaskId>;

  create(board: BoardSlug, params: NewTask, by: Actor): Promise<Created>;
  assign(board: BoardSlug, id: TaskId, assignee: string | null, by: Actor): Promise<Changed>;
  link(board: BoardSlug, parent: TaskId, child: TaskId, by: Actor): Promise<TaskLink>;
  unlink(board: BoardSlug, parent: TaskId, child: TaskId, by: Actor): Promise<TaskLink>;
  comment(board: BoardSlug, id: TaskId, text: string, by: Actor): Promise<{ task: Task; comment: Comment }>;
  /** Claim for something outside (7.10): opens the run, makes the workspace and writes the claim file. @throws E_STATE, E_PARENTS_OPEN, E_WORKSPACE */
  claimOutside(
    board: BoardSlug,
    id: TaskId,
    options: { ttl?: number | undefined; pid?: number | undefined },
    by: Actor,
  ): Promise<ClaimAnswer>;
  /** Extend the lease; a note adds an event. Without a claim it extends the lease of the open run. */
  heartbeat(board: BoardSlug, id: TaskId, note: string | undefined, by: Actor): Promise<Beat>;
  complete(board: BoardSlug, id: TaskId, params: CompleteParams, by: Actor): Promise<FinishedTask>;
  block(board: BoardSlug, id: TaskId, params: BlockParams, by: Actor): Promise<FinishedTask>;
  schedule(
    board: BoardSlug,
    id: TaskId,
    params: { reason?: string | undefined; at?: UnixSeconds | undefined; comment?: boolean | undefined },
    by: Actor,
  ): Promise<FinishedTask>;
  unblock(
    board: BoardSlug,
    id: TaskId,
    params: { reason?: string | undefined; comment?: boolean | undefined },
    by: Actor,
  ): Promise<{ task: Task }>;
  promote(
    board: BoardSlug,
    id: TaskId,
    params: { reason?: string | undefined; force?: boolean; dryRun?: boolean; expected_version?: number | undefined },
    by: Actor,
  ): Promise<{ task: Task; promoted: boolean; forced: boolean }>;
  reclaim(board: BoardSlug, id: TaskId, reason: string | undefined, by: Actor): Promise<{ task: Task }>;
  reopen(
    board: BoardSlug,
    id: TaskId,
    params: { reason?: string | undefined; to?: "triage" | "todo"; force?: boolean },
    by: Actor,
  ): Promise<{ task: Task; demoted: readonly TaskId[]; still_done: readonly TaskId[] }>;
  /** `workspace`: outcome for its worktree; undefined without one. */
  archive(
    board: BoardSlug,
    id: TaskId,
    by: Actor,
  ): Promise<{ task: Task; released: number; workspace: WorkspaceRemoval | undefined }>;
  unarchive(
    board: BoardSlug,
    id: TaskId,
    params: { force?: boolean },
    by: Actor,
  ): Promise<{ task: Task; demoted: readonly TaskId[]; warnings: readonly string[] }>;
  /** A worker says why it is about to end. @throws E_CLAIM_LOST */
  reportFailure(board: BoardSlug, claim: ClaimRef, report: FailureReport): Promise<void>;

  list(board: BoardSlug, filter: ListFilter): Promise<readonly ListedTask[]>;
  /** The tasks as indented JSON, UTF-8 in pieces, byte for byte the output of `JSON.stringify` with two spaces. */
  listText(board: BoardSlug, filter: ListFilter): Promise<readonly Uint8Array[]>;
  task(board: BoardSlug, id: TaskId): Promise<Task>;
  show(board: BoardSlug, id: TaskId, filter?: RunFilter): Promise<TaskView>;
  runs(board: BoardSlug, id: TaskId, filter?: RunFilter): Promise<readonly Run[]>;
  /** Runs that are open or have ended since then, oldest first. */
  recentRuns(board: BoardSlug, since: UnixSeconds): Promise<readonly RecentRun[]>;
  context(board: BoardSlug, id: TaskId): Promise<string>;
  log(board: BoardSlug, id: TaskId, part: LogQuestion): Promise<LogPart>;
  /** Text of a task's log and what is added, until the run that is open now has ended or the signal aborts. */
  followLog(board: BoardSlug, id: TaskId, part: LogQuestion, signal: AbortSignal): AsyncIterable<string>;
  stats(board: BoardSlug): Promise<BoardStats>;
  /** Durable events with an id above `after`, then new ones as they commit, until the signal aborts. */
  events(board: BoardSlug, after: number, signal: AbortSignal): AsyncIterable<BoardEvent>;
  /** Stored events with an id above `after`, at most `limit`. */
  eventsAfter(board: BoardSlug, after: number, limit: number): Promise<readonly BoardEvent[]>;
  /** Id of the newest event, or 0. */
  lastEvent(board: BoardSlug): Promise<number>;

  /** One pass of the dispatcher over all boards. */
  dispatch(options: PassOptions): Promise<PassResult>;

  /** Banner of a list: the number of other boards, and whether this one is paused. */
  banner(board: BoardSlug): Promise<{ others: number; paused: boolean; reason: string | null }>;
}
