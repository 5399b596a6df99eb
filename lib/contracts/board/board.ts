/** Records of the task board as `--json`, RPC and tools show them (board part, 2). Instants are unix seconds. */
import type { RunId, TaskId, UnixSeconds } from "../../base/units.js";

export const STATUSES = ["triage", "todo", "ready", "running", "blocked", "scheduled", "done", "archived"] as const;
export type Status = (typeof STATUSES)[number];

export type BlockKind = "human" | "worker" | "breaker" | "protocol" | "budget";
export type Verdict = "accepted" | "rejected";
export type RunOutcome =
  | "completed"
  | "blocked"
  | "scheduled"
  | "crashed"
  | "timed_out"
  | "spawn_failed"
  | "protocol_violation"
  | "rate_limited"
  | "reclaimed"
  | "stale";

/** Proves that the caller is the worker of the open run. Every worker operation carries it; the types do not allow leaving it out. */
export interface ClaimRef {
  readonly task: TaskId;
  readonly run: RunId;
  readonly token: string;
}

/** Who causes a change. A worker's actor carries its claim. */
export type Actor = (
  | { readonly kind: "human"; readonly name: string }
  | { readonly kind: "agent"; readonly name: string }
  | { readonly kind: "system"; readonly name: string }
  | { readonly kind: "worker"; readonly name: string; readonly claim: ClaimRef }
) & {
  /** Command line that the change belongs to. */
  readonly line?: LineKey | undefined;
};

/** A command line that may be run again when its owner ends before it answers. */
export interface LineKey {
  /** Letters and digits, its own: the events of what it changes carry it. */
  readonly key: string;
  /** A run was started before, and its outcome is unknown. */
  readonly again: boolean;
}

export interface RunUsage {
  input_tokens: number;
  output_tokens: number;
  cached_tokens: number;
  api_calls: number;
  /** null: no price is known for what was used. A sum counts what is known. */
  cost_usd: number | null;
}

/** Key order is part of the contract: the first 20 keys, then the rest. */
export interface Task {
  id: TaskId;
  title: string;
  body: string | null;
  assignee: string | null;
  status: Status;
  priority: number;
  tenant: string | null;
  workspace_kind: "scratch" | "dir" | "worktree";
  workspace_path: string | null;
  branch_name: string | null;
  created_by: string;
  created_at: UnixSeconds;
  started_at: UnixSeconds | null;
  completed_at: UnixSeconds | null;
  result: string | null;
  skills: string[];
  max_retries: number | null;
  session_id: string | null;
  workflow_template_id: null;
  current_step_key: null;
  idempotency_key: string | null;
  max_runtime_seconds: number | null;
  goal_mode: boolean;
  goal_max_turns: number | null;
  model_override: string | null;
  consecutive_failures: number;
  last_failure_error: string | null;
  last_failure_class: string | null;
  not_before: UnixSeconds | null;
  scheduled_at: UnixSeconds | null;
  block_kind: BlockKind | null;
  block_reason: string | null;
  verdict: Verdict | null;
  external: boolean;
  hold: boolean;
  auto_decompose: boolean;
  decompose_attempts: number;
  decompose_next_at: UnixSeconds | null;
  decomposed_from: TaskId | null;
  ignored_parents: TaskId[];
  repo_path: string | null;
  base_name: string | null;
  base_commit: string | null;
  current_run_id: RunId | null;
  worker_pid: number | null;
  claim_expires: UnixSeconds | null;
  last_heartbeat_at: UnixSeconds | null;
  archived_at: UnixSeconds | null;
  archived_from: Status | null;
  updated_at: UnixSeconds;
  version: number;
  parents: TaskId[];
  children: TaskId[];
  usage: RunUsage | null;
}

export interface Run {
  id: RunId;
  task_id: TaskId;
  profile: string;
  step_key: null;
  status: "running" | RunOutcome;
  outcome: RunOutcome | null;
  claim_lock: string | null;
  claim_expires: UnixSeconds | null;
  worker_pid: number | null;
  host_id: string | null;
  boot_id: string | null;
  worker_start: string | null;
  last_heartbeat_at: UnixSeconds;
  max_runtime_seconds: number | null;
  started_at: UnixSeconds;
  ended_at: UnixSeconds | null;
  summary: string | null;
  metadata: Record<string, unknown> | null;
  verdict: Verdict | null;
  error: string | null;
  error_class: string | null;
  exit_code: number | null;
  exit_signal: string | null;
  session_id: string | null;
  usage: RunUsage | null;
  end_reason: string | null;
}

export interface Comment {
  id: number;
  task_id: TaskId;
  author: string;
  author_kind: "human" | "worker" | "agent" | "system";
  text: string;
  created_at: UnixSeconds;
}

export interface BoardEvent {
  id: number;
  task_id: TaskId | null;
  run_id: RunId | null;
  kind: string;
  payload: Record<string, unknown>;
  actor: string | null;
  created_at: UnixSeconds;
}

/** Content of the claim file (0600) and answer of `claim --json`. */
export interface ClaimFile {
  board: string;
  task: TaskId;
  run: RunId;
  token: string;
  ttl_seconds: number;
}

/** Settings of one board (2.8). A board without stored settings has empty strings and `created_at: null`. */
export interface BoardRecord {
  slug: string;
  name: string;
  description: string;
  icon: string;
  color: string;
  default_workdir: string;
  created_at: UnixSeconds | null;
  archived: boolean;
  orchestration: "auto" | "manual" | null;
  max_in_progress: number | null;
  paused_at: UnixSeconds | null;
  paused_by: string | null;
  paused_reason: string | null;
}

/** What one pass of the dispatcher did, or would do (6.9). */
export interface PassResult {
  reclaimed: number;
  promoted: number;
  due: number;
  spawned: { task_id: TaskId; assignee: string; workspace: string | null }[];
  crashed: TaskId[];
  timed_out: TaskId[];
  stale: TaskId[];
  rate_limited: TaskId[];
  protocol_violations: TaskId[];
  auto_blocked: TaskId[];
  auto_assigned_default: TaskId[];
  skipped_unassigned: TaskId[];
  skipped_nonspawnable: TaskId[];
  skipped_per_profile_capped: { task_id: TaskId; assignee: string; current: number }[];
  skipped_capped: number;
  skipped_paused: number;
  respawn_guarded: { task_id: TaskId; reason: string; until: UnixSeconds }[];
  dry_run: boolean;
}
