import type { RunId, TaskId, UnixSeconds } from "../../../lib/base/units.js";
import type {
  BlockKind,
  Run,
  RunOutcome,
  RunUsage,
  Status,
  Task,
  Verdict,
} from "../../../lib/contracts/board/board.js";

/** A task as it is stored: no long texts, no links, truth values as 0 and 1. Verbs decide on it. */
export interface TaskRow {
  readonly id: TaskId;
  readonly title: string;
  readonly assignee: string | null;
  readonly status: Status;
  readonly priority: number;
  readonly tenant: string | null;
  readonly workspace_kind: Task["workspace_kind"];
  readonly workspace_path: string | null;
  readonly branch_name: string | null;
  readonly created_by: string;
  readonly created_at: UnixSeconds;
  readonly started_at: UnixSeconds | null;
  readonly completed_at: UnixSeconds | null;
  readonly skills: string;
  readonly max_retries: number | null;
  readonly session_id: string | null;
  readonly idempotency_key: string | null;
  readonly max_runtime_seconds: number | null;
  readonly goal_mode: number;
  readonly goal_max_turns: number | null;
  readonly model_override: string | null;
  readonly consecutive_failures: number;
  readonly last_failure_error: string | null;
  readonly last_failure_class: string | null;
  readonly not_before: UnixSeconds | null;
  readonly scheduled_at: UnixSeconds | null;
  readonly block_kind: BlockKind | null;
  readonly verdict: Verdict | null;
  readonly external: number;
  readonly hold: number;
  readonly auto_decompose: number;
  readonly decompose_attempts: number;
  readonly decompose_next_at: UnixSeconds | null;
  readonly decomposed_from: TaskId | null;
  readonly repo_path: string | null;
  readonly base_name: string | null;
  readonly base_commit: string | null;
  readonly current_run_id: RunId | null;
  readonly archived_at: UnixSeconds | null;
  readonly archived_from: Status | null;
  readonly created_run_id: RunId | null;
  readonly guard_reason: string | null;
  readonly guard_until: UnixSeconds | null;
  /** 1: the branch of the worktree was made for the task, so that it may go with it. */
  readonly branch_made: number;
  readonly updated_at: UnixSeconds;
  readonly version: number;
}

/** Columns that a verb may change beside the status. */
export type TaskPatch = Partial<
  Omit<TaskRow, "id" | "status" | "created_at" | "created_by" | "version" | "updated_at">
>;

export interface UsageRow {
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly cached_tokens: number | null;
  readonly api_calls: number | null;
  readonly cost_usd: number | null;
}

/** A run as it is stored, without its texts. */
export interface RunRow extends UsageRow {
  readonly id: RunId;
  readonly task_id: TaskId;
  readonly profile: string;
  readonly outcome: RunOutcome | null;
  readonly end_reason: string | null;
  readonly claim_lock: string | null;
  readonly claim_expires: UnixSeconds | null;
  readonly token_sha256: string | null;
  readonly fenced_by: string | null;
  readonly stuck: number;
  readonly worker_pid: number | null;
  readonly host_id: string | null;
  readonly boot_id: string | null;
  readonly worker_start: string | null;
  readonly last_heartbeat_at: UnixSeconds;
  readonly max_runtime_seconds: number | null;
  readonly started_at: UnixSeconds;
  readonly ended_at: UnixSeconds | null;
  readonly verdict: Verdict | null;
  readonly error: string | null;
  readonly error_class: string | null;
  readonly exit_code: number | null;
  readonly exit_signal: string | null;
  readonly session_id: string | null;
}

export interface RunTexts {
  readonly summary: string | null;
  readonly metadata: string | null;
}

/** What a task row is joined with for its JSON. */
export interface TaskExtras {
  readonly body: string | null;
  readonly result: string | null;
  readonly block_reason: string | null;
  readonly worker_pid: number | null;
  readonly claim_expires: UnixSeconds | null;
  readonly last_heartbeat_at: UnixSeconds | null;
}

export interface TaskLinks {
  readonly parents: TaskId[];
  readonly children: TaskId[];
  readonly ignored: TaskId[];
}

/** Usage of a run or a sum of them; null when nothing was ever counted. */
export function toUsage(row: UsageRow | undefined): RunUsage | null {
  if (row === undefined || row.api_calls === null) return null;
  return {
    input_tokens: row.input_tokens ?? 0,
    output_tokens: row.output_tokens ?? 0,
    cached_tokens: row.cached_tokens ?? 0,
    api_calls: row.api_calls,
    cost_usd: row.cost_usd,
  };
}

/**
 * The JSON form of a task. The order of the keys is part of the contract (board part, 2.3). One literal: put together from parts it would be a slow
 * dictionary, and a board makes thousands.
 */
export function toTask(row: TaskRow & TaskExtras, links: TaskLinks, usage: RunUsage | null): Task {
  return {
    id: row.id,
    title: row.title,
    body: row.body,
    assignee: row.assignee,
    status: row.status,
    priority: row.priority,
    tenant: row.tenant,
    workspace_kind: row.workspace_kind,
    workspace_path: row.workspace_path,
    branch_name: row.branch_name,
    created_by: row.created_by,
    created_at: row.created_at,
    started_at: row.started_at,
    completed_at: row.completed_at,
    result: row.result,
    skills: JSON.parse(row.skills) as string[], // written by this product as a JSON array of strings
    max_retries: row.max_retries,
    session_id: row.session_id,
    workflow_template_id: null,
    current_step_key: null,
    idempotency_key: row.idempotency_key,
    max_runtime_seconds: row.max_runtime_seconds,
    goal_mode: row.goal_mode === 1,
    goal_max_turns: row.goal_max_turns,
    model_override: row.model_override,
    consecutive_failures: row.consecutive_failures,
    last_failure_error: row.last_failure_error,
    last_failure_class: row.last_failure_class,
    not_before: row.not_before,
    scheduled_at: row.scheduled_at,
    block_kind: row.block_kind,
    block_reason: row.block_reason,
    verdict: row.verdict,
    external: row.external === 1,
    hold: row.hold === 1,
    auto_decompose: row.auto_decompose === 1,
    decompose_attempts: row.decompose_attempts,
    decompose_next_at: row.decompose_next_at,
    decomposed_from: row.decomposed_from,
    ignored_parents: links.ignored,
    repo_path: row.repo_path,
    base_name: row.base_name,
    base_commit: row.base_commit,
    current_run_id: row.current_run_id,
    worker_pid: row.worker_pid,
    claim_expires: row.claim_expires,
    last_heartbeat_at: row.last_heartbeat_at,
    archived_at: row.archived_at,
    archived_from: row.archived_from,
    updated_at: row.updated_at,
    version: row.version,
    parents: links.parents,
    children: links.children,
    usage,
  };
}

/** The JSON form of a run. Neither token nor fence is in it. */
export function toRun(row: RunRow & RunTexts): Run {
  const metadata = row.metadata === null ? null : (JSON.parse(row.metadata) as Record<string, unknown>); // written as a JSON object
  return {
    id: row.id,
    task_id: row.task_id,
    profile: row.profile,
    step_key: null,
    status: row.outcome ?? "running",
    outcome: row.outcome,
    claim_lock: row.claim_lock,
    claim_expires: row.claim_expires,
    worker_pid: row.worker_pid,
    host_id: row.host_id,
    boot_id: row.boot_id,
    worker_start: row.worker_start,
    last_heartbeat_at: row.last_heartbeat_at,
    max_runtime_seconds: row.max_runtime_seconds,
    started_at: row.started_at,
    ended_at: row.ended_at,
    summary: row.summary,
    metadata,
    verdict: row.verdict,
    error: row.error,
    error_class: row.error_class,
    exit_code: row.exit_code,
    exit_signal: row.exit_signal,
    session_id: row.session_id,
    usage: toUsage(row),
    end_reason: row.end_reason,
  };
}
