import * as z from "zod";
import type { TaskDiagnostics, WaitReason, Why } from "../../board/explain.js";
import {
  type BoardView,
  type Card,
  DIAGNOSTIC_KINDS,
  type Diagnostic,
  REASON_CODES,
  SEVERITIES,
} from "../../board/explain.js";
import type { WorkspaceState } from "../../board/workspace.js";
import { taskShape } from "./records.js";
import { anyObject, boardSlug, seconds, status, taskId } from "./values.js";

/** One sentence why a task does not move. */
export const reasonShape = z
  .object({
    code: z.enum(REASON_CODES),
    text: z.string(),
    until: seconds.exactOptional(),
    ids: z.array(taskId).exactOptional(),
    action: z.string().exactOptional(),
    log: z.array(z.string()).exactOptional(),
    last_text: z.string().exactOptional(),
  })
  .meta({ id: "WaitReason" }) satisfies z.ZodType<WaitReason>;

export const whyShape = z
  .object({
    task_id: taskId,
    status,
    runnable: z.boolean(),
    reasons: z.array(reasonShape),
    next_action: z.string().nullable(),
  })
  .meta({ id: "Why" }) satisfies z.ZodType<Why>;

const action = z.object({
  kind: z.enum(["reclaim", "reassign", "unblock", "promote", "edit", "cli_hint", "open_docs", "comment"]),
  label: z.string(),
  payload: anyObject,
  suggested: z.boolean(),
});

/** Something that needs a person. */
export const diagnosticShape = z
  .object({
    kind: z.enum(DIAGNOSTIC_KINDS),
    severity: z.enum(SEVERITIES),
    title: z.string(),
    detail: z.string(),
    actions: z.array(action),
    first_seen_at: seconds,
    last_seen_at: seconds,
    count: z.int(),
    data: anyObject,
  })
  .meta({ id: "Diagnostic" }) satisfies z.ZodType<Diagnostic>;

/** Diagnostics of one task; of the board itself with nulls. */
export const taskDiagnosticsShape = z
  .object({
    task_id: taskId.nullable(),
    title: z.string().nullable(),
    status: status.nullable(),
    assignee: z.string().nullable(),
    diagnostics: z.array(diagnosticShape),
  })
  .meta({ id: "TaskDiagnostics" }) satisfies z.ZodType<TaskDiagnostics>;

const flag = z.boolean().nullable();
const number = z.int().nullable();
const text = z.string().nullable();

/** A workspace as it is now; what only worktrees have, and what could not be found out, is null. */
export const workspaceStateShape = z
  .object({
    kind: z.enum(["scratch", "dir", "worktree"]),
    path: text,
    exists: z.boolean(),
    size_bytes: number,
    branch: text,
    base_commit: text,
    head: text,
    ahead: number,
    dirty: flag,
    merged: flag,
    files_changed: number,
    insertions: number,
    deletions: number,
  })
  .meta({ id: "WorkspaceState" }) satisfies z.ZodType<WorkspaceState>;

/** A task with what a board shows beside it. */
export const cardShape = taskShape
  .extend({
    age: z.object({
      created_age_seconds: z.int(),
      started_age_seconds: number,
      time_to_complete_seconds: number,
    }),
    since: seconds,
    made: z.int(),
    latest_summary: text,
    link_counts: z.object({ parents: z.int(), children: z.int() }),
    comment_count: z.int(),
    progress: z.object({ done: z.int(), total: z.int() }).nullable(),
    waits_for: z.array(taskId),
    diagnostics: z.array(diagnosticShape),
    warnings: z.object({
      count: z.int(),
      kinds: z.partialRecord(z.enum(DIAGNOSTIC_KINDS), z.int()),
      latest_at: seconds.nullable(),
      highest_severity: z.enum(SEVERITIES).nullable(),
    }),
    workspace: z.object({ branch: text, ahead: number, dirty: flag, merged: flag }).nullable(),
  })
  .meta({ id: "Card" }) satisfies z.ZodType<Card>;

/** A board in columns. */
export const boardViewShape = z
  .object({
    columns: z.array(z.object({ name: status, total: z.int(), tasks: z.array(cardShape) })),
    tenants: z.array(z.string()),
    assignees: z.array(z.string()),
    board: boardSlug,
    paused: z.boolean(),
    latest_event_id: z.int(),
    now: seconds,
  })
  .meta({ id: "BoardView" }) satisfies z.ZodType<BoardView>;
