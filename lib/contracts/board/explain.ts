import type { BoardSlug, TaskId, UnixSeconds } from "../../base/units.js";
import type { Check } from "../check.js";
import type { Status, Task } from "./board.js";
import type { WorkspaceState } from "./workspace.js";

/** Why a task does not move, or that it does (board part, 19.1), worst first. */
export const REASON_CODES = [
  "stuck",
  "parent_rejected",
  "blocked_protocol",
  "blocked_breaker",
  "blocked_budget",
  "unknown_assignee",
  "no_worker_program",
  "triage_exhausted",
  "triage_no_client",
  "blocked_worker",
  "blocked_human",
  "parent_blocked",
  "board_paused",
  "dispatcher_disabled",
  "dispatcher_absent",
  "triage_opted_out",
  "triage_manual",
  "held",
  "parent_open",
  "scheduled_open_end",
  "scheduled_until",
  "deferred_throttle",
  "deferred_backoff",
  "worker_leaving",
  "cap_profile",
  "cap_board",
  "cap_global",
  "external",
  "triage_settling",
  "will_assign_default",
  "running",
  "ready_now",
  "done",
  "archived",
  "parent_archived",
  "no_model",
] as const;
export type ReasonCode = (typeof REASON_CODES)[number];

/** One sentence about why a task does not move, and what to do. */
export interface WaitReason {
  readonly code: ReasonCode;
  readonly text: string;
  readonly until?: UnixSeconds;
  readonly ids?: readonly TaskId[];
  /** What to do about it; absent when nothing has to be done. */
  readonly action?: string;
  /** Last lines of the task's log. */
  readonly log?: readonly string[];
  /** What the worker said last. */
  readonly last_text?: string;
}

/** Something that keeps a ready task from being started, as a pass meets it. */
export interface Obstacle {
  readonly code: Extract<
    ReasonCode,
    | "external"
    | "unknown_assignee"
    | "no_worker_program"
    | "cap_profile"
    | "cap_board"
    | "cap_global"
    | "deferred_backoff"
    | "deferred_throttle"
    | "worker_leaving"
    | "board_paused"
  >;
  readonly until?: UnixSeconds;
  /** Runs that count against the cap, and the cap. */
  readonly current?: number;
  readonly cap?: number;
  /** Of `no_worker_program`: which program, and what is wrong with it. */
  readonly problem?: string;
}

/** What a pass would do with a ready task. Without obstacles it would start it. */
export interface StartForecast {
  readonly id: TaskId;
  readonly title: string;
  readonly priority: number;
  /** Its own, or the resolved default; null for an outside task without one. */
  readonly assignee: string | null;
  /** The task has no assignee and would get the default. */
  readonly given: boolean;
  readonly obstacles: readonly Obstacle[];
}

/** `dispatching`: a long-lived owner starts workers. `disabled`: it runs without a dispatcher. `absent`: no owner runs. */
export type DispatchState = "dispatching" | "disabled" | "absent";

/** What the dispatcher of this process tells about itself and about what it would do. Nothing of it changes a byte. */
export interface DispatchForecast {
  state(): DispatchState;
  /** Passes met startable tasks and free slots, and started nothing. */
  stalled(): boolean;
  /** Ready tasks of each board in dispatch order, at most `limit` of a board. */
  forecastStarts(limit?: number): Promise<ReadonlyMap<BoardSlug, readonly StartForecast[]>>;
  /** One ready task by itself: what stands before it is looked at only as far as runs are open. Undefined: it is not ready. */
  forecastTask(board: BoardSlug, id: TaskId): Promise<StartForecast | undefined>;
}

/** Answer of `why`. */
export interface Why {
  readonly task_id: TaskId;
  readonly status: Status;
  /** A pass of the dispatcher would start it now. */
  readonly runnable: boolean;
  readonly reasons: readonly WaitReason[];
  /** What to do about the worst reason; null when nothing has to be done. */
  readonly next_action: string | null;
}

/** Row of `next`. */
export interface NextTask {
  readonly task_id: TaskId;
  readonly title: string;
  readonly assignee: string | null;
  readonly priority: number;
  readonly verdict: "start" | "wait";
  readonly code?: ReasonCode;
  readonly until?: UnixSeconds;
}

export const SEVERITIES = ["warning", "error", "critical"] as const;
export type Severity = (typeof SEVERITIES)[number];

export const DIAGNOSTIC_KINDS = [
  "hallucinated_cards",
  "phantom_refs",
  "triage_aux_unavailable",
  "auto_decompose_exhausted",
  "repeated_failures",
  "repeated_crashes",
  "protocol_violation",
  "stuck_in_blocked",
  "block_unblock_cycling",
  "stranded_in_ready",
  "unknown_assignee",
  "no_worker_program",
  "waiting_on_failed_parent",
  "worker_stuck",
  "profile_auth",
  "throttled",
  "notify_failing",
  "workspace_kept",
  "dispatcher_absent",
  "dispatcher_stalled",
  "board_store",
] as const;
export type DiagnosticKind = (typeof DIAGNOSTIC_KINDS)[number];

/** Something that helps. `payload` is what the verb of that name takes; `suggested`: the one to try first. */
export interface DiagnosticAction {
  readonly kind: "reclaim" | "reassign" | "unblock" | "promote" | "edit" | "cli_hint" | "open_docs" | "comment";
  readonly label: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly suggested: boolean;
}

/** Something that needs a person (board part, 19.3). */
export interface Diagnostic {
  readonly kind: DiagnosticKind;
  readonly severity: Severity;
  readonly title: string;
  readonly detail: string;
  readonly actions: readonly DiagnosticAction[];
  readonly first_seen_at: UnixSeconds;
  readonly last_seen_at: UnixSeconds;
  readonly count: number;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Diagnostics of one task, worst first; of the board itself with nulls. */
export interface TaskDiagnostics {
  readonly task_id: TaskId | null;
  readonly title: string | null;
  readonly status: Status | null;
  readonly assignee: string | null;
  readonly diagnostics: readonly Diagnostic[];
}

export interface DiagnosticFilter {
  /** Only these and worse ones. */
  readonly severity?: Severity | undefined;
  readonly task?: TaskId | undefined;
}

/** A name that tasks are assigned to, or that could be. */
export interface Assignee {
  readonly name: string;
  /** It is a profile. */
  readonly on_disk: boolean;
  /** Something outside: named in `kanban.external_assignees`, or no profile and all its tasks are marked external. */
  readonly external: boolean;
  /** Tasks by status; statuses without tasks are left out. */
  readonly counts: Partial<Record<Status, number>>;
}

/** What a card shows of the diagnostics of its task. */
export interface CardWarnings {
  readonly count: number;
  /** How many of each kind. */
  readonly kinds: Partial<Record<DiagnosticKind, number>>;
  readonly latest_at: UnixSeconds | null;
  readonly highest_severity: Severity | null;
}

/** A task as the board view shows it (board part, 14.2). */
export interface Card extends Task {
  readonly age: {
    readonly created_age_seconds: number;
    readonly started_age_seconds: number | null;
    readonly time_to_complete_seconds: number | null;
  };
  /** Since when it has its status. */
  readonly since: UnixSeconds;
  /** Grows with each task of the board: what orders cards that were made within one second. */
  readonly made: number;
  readonly latest_summary: string | null;
  readonly link_counts: { readonly parents: number; readonly children: number };
  readonly comment_count: number;
  /** Children of a decomposition; null for every other task. */
  readonly progress: { readonly done: number; readonly total: number } | null;
  readonly waits_for: readonly TaskId[];
  readonly diagnostics: readonly Diagnostic[];
  readonly warnings: CardWarnings;
  /** Of a worktree; null for other workspaces, and for one that was not made yet. */
  readonly workspace: Pick<WorkspaceState, "branch" | "ahead" | "dirty" | "merged"> | null;
}

export interface ViewFilter {
  readonly tenant?: string | undefined;
  readonly archived?: boolean | undefined;
  /** Only these tasks, as far as they are there; `limit` counts for nothing then. At most 500. */
  readonly ids?: readonly string[] | undefined;
  /** Cards of each column; default 500. */
  readonly limit?: number | undefined;
}

/** A board in columns (board part, 14.3). */
export interface BoardView {
  readonly columns: readonly { readonly name: Status; readonly total: number; readonly tasks: readonly Card[] }[];
  readonly tenants: readonly string[];
  readonly assignees: readonly string[];
  readonly board: BoardSlug;
  readonly paused: boolean;
  /** Every event up to this one is in the cards; later ones may be. */
  readonly latest_event_id: number;
  readonly now: UnixSeconds;
}

export interface DoctorOptions {
  /** Repair what loses nothing. */
  readonly fix: boolean;
  /** Read all events, runs and attachments, not only the newest. */
  readonly deep?: boolean | undefined;
}

/** Answer of `doctor`. */
export interface BoardHealth {
  /** Nothing failed; warnings may be there. */
  readonly ok: boolean;
  readonly checks: readonly Check[];
}

/** Verbs that explain the board. Only `doctor` with `fix` writes. */
export interface ExplainApi {
  /** Why a task does not move, and what to do. @throws E_NOT_FOUND */
  why(board: BoardSlug, id: TaskId): Promise<Why>;
  /** Ready tasks in dispatch order, each with what a pass would do with it now. */
  next(board: BoardSlug, options?: { readonly limit?: number | undefined }): Promise<readonly NextTask[]>;
  /** What needs attention, worst first. A board whose store cannot be opened has that as its only finding. */
  diagnostics(board: BoardSlug, filter?: DiagnosticFilter): Promise<readonly TaskDiagnostics[]>;
  /** Profiles, and every other name that tasks are assigned to. */
  assignees(board: BoardSlug): Promise<readonly Assignee[]>;
  /** One task as a card, with its whole latest summary. @throws E_NOT_FOUND */
  card(board: BoardSlug, id: TaskId): Promise<Card>;
  /** The board in columns. A board that was never written has empty ones. */
  view(board: BoardSlug, filter?: ViewFilter): Promise<BoardView>;
  /** Everything that can be wrong with a board. `fix` repairs what loses nothing; without it nothing is written. */
  doctor(board: BoardSlug, options: DoctorOptions): Promise<BoardHealth>;
}

/** Stands in `WaitReason.text` before the beginning of `last_text`, for those who show no more than the text. */
export const LAST_WORDS = " Its last words: ";
