import * as z from "zod";
import type { BoardEvent, Comment, Run, RunOutcome, RunUsage, Task } from "../../board/board.js";
import type { Subscription } from "../../board/notify.js";
import type { Attachment } from "../../board/records.js";
import { anyObject, runId, seconds, status, taskId } from "./values.js";

const text = z.string().nullable();
const count = z.int().nullable();
const verdict = z.enum(["accepted", "rejected"]).nullable();

/** Tokens and money. */
export const usageShape = z
  .object({
    input_tokens: z.int(),
    output_tokens: z.int(),
    cached_tokens: z.int(),
    api_calls: z.int(),
    cost_usd: z.number().nullable().describe("null: price unknown"),
  })
  .meta({ id: "Usage" }) satisfies z.ZodType<RunUsage>;

/** A task, in the order of its keys. */
export const taskShape = z
  .object({
    id: taskId,
    title: z.string(),
    body: text,
    assignee: text,
    status,
    priority: z.int(),
    tenant: text,
    workspace_kind: z.enum(["scratch", "dir", "worktree"]),
    workspace_path: text,
    branch_name: text,
    created_by: z.string(),
    created_at: seconds,
    started_at: seconds.nullable(),
    completed_at: seconds.nullable(),
    result: text,
    skills: z.array(z.string()),
    max_retries: count,
    session_id: text,
    workflow_template_id: z.null(),
    current_step_key: z.null(),
    idempotency_key: text,
    max_runtime_seconds: count,
    goal_mode: z.boolean(),
    goal_max_turns: count,
    model_override: text,
    consecutive_failures: z.int(),
    last_failure_error: text,
    last_failure_class: text,
    not_before: seconds.nullable(),
    scheduled_at: seconds.nullable(),
    block_kind: z.enum(["human", "worker", "breaker", "protocol", "budget"]).nullable(),
    block_reason: text,
    verdict,
    external: z.boolean(),
    hold: z.boolean(),
    auto_decompose: z.boolean(),
    decompose_attempts: z.int(),
    decompose_next_at: seconds.nullable(),
    decomposed_from: taskId.nullable(),
    ignored_parents: z.array(taskId),
    repo_path: text,
    base_name: text,
    base_commit: text,
    current_run_id: runId.nullable(),
    worker_pid: count,
    claim_expires: seconds.nullable(),
    last_heartbeat_at: seconds.nullable(),
    archived_at: seconds.nullable(),
    archived_from: status.nullable(),
    updated_at: seconds,
    version: z.int(),
    parents: z.array(taskId),
    children: z.array(taskId),
    usage: usageShape.nullable(),
  })
  .meta({ id: "Task" }) satisfies z.ZodType<Task>;

const OUTCOMES = [
  "completed",
  "blocked",
  "scheduled",
  "crashed",
  "timed_out",
  "spawn_failed",
  "protocol_violation",
  "rate_limited",
  "reclaimed",
  "stale",
] as const satisfies readonly RunOutcome[];
const outcome = z.enum(OUTCOMES);

/** One attempt at a task. */
export const runShape = z
  .object({
    id: runId,
    task_id: taskId,
    profile: z.string(),
    step_key: z.null(),
    status: z.union([z.literal("running"), outcome]),
    outcome: outcome.nullable(),
    claim_lock: text,
    claim_expires: seconds.nullable(),
    worker_pid: count,
    host_id: text,
    boot_id: text,
    worker_start: text,
    last_heartbeat_at: seconds,
    max_runtime_seconds: count,
    started_at: seconds,
    ended_at: seconds.nullable(),
    summary: text,
    metadata: anyObject.nullable(),
    verdict,
    error: text,
    error_class: text,
    exit_code: count,
    exit_signal: text,
    session_id: text,
    usage: usageShape.nullable(),
    end_reason: text,
  })
  .meta({ id: "Run" }) satisfies z.ZodType<Run>;

export const commentShape = z
  .object({
    id: z.int(),
    task_id: taskId,
    author: z.string(),
    author_kind: z.enum(["human", "worker", "agent", "system"]),
    text: z.string(),
    created_at: seconds,
  })
  .meta({ id: "Comment" }) satisfies z.ZodType<Comment>;

/** Something that happened; the kinds only ever become more. */
export const boardEventShape = z
  .object({
    id: z.int(),
    task_id: taskId.nullable(),
    run_id: runId.nullable(),
    kind: z.string(),
    payload: anyObject,
    actor: text,
    created_at: seconds,
  })
  .meta({ id: "BoardEvent" }) satisfies z.ZodType<BoardEvent>;

export const attachmentShape = z
  .object({
    id: z.int(),
    task_id: taskId,
    filename: z.string(),
    stored_path: z.string(),
    content_type: z.string(),
    size: z.int(),
    sha256: z.string(),
    uploaded_by: z.string(),
    run_id: runId.nullable(),
    created_at: seconds,
  })
  .meta({ id: "Attachment" }) satisfies z.ZodType<Attachment>;

export const subscriptionShape = z
  .object({
    id: z.int(),
    task_id: taskId.nullable(),
    tenant: text,
    platform: z.string(),
    chat_id: z.string(),
    thread_id: z.string(),
    user_id: text,
    notifier_profile: text,
    kinds: z.array(z.string()).nullable(),
    artifacts: z.boolean(),
    inherited_from: taskId.nullable(),
    created_at: seconds,
    last_event_id: z.int(),
    ended: z.boolean(),
    degraded: z.boolean(),
    waiting: z.int(),
  })
  .meta({ id: "Subscription" }) satisfies z.ZodType<Subscription>;
