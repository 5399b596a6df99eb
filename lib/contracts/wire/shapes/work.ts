import * as z from "zod";
import type { BoardStats, ClaimAnswer, TaskBrief } from "../../board/api.js";
import type { PassResult } from "../../board/board.js";
import { type Assignee, type NextTask, REASON_CODES } from "../../board/explain.js";
import type { GcFile, GcKept, GcReport, GcWorkspace } from "../../board/gc.js";
import type { Swarm } from "../../board/orchestration.js";
import type { Edited } from "../../board/records.js";
import type { CardPage, LegalMove, SlimCard } from "../../board/screen.js";
import { taskShape, usageShape } from "./records.js";
import { boardSlug, runId, seconds, status, taskId } from "./values.js";

const slimCardShape = z
  .object({
    id: taskId,
    title: z.string(),
    status: status,
    assignee: z.string().nullable(),
    priority: z.number(),
    tenant: z.string().nullable(),
    created_at: seconds,
    made: z.number(),
    ended_at: seconds,
    since: seconds,
    beat: z.number().nullable(),
    run_id: z.number().nullable(),
    note: z.string().nullable(),
    comments: z.number(),
    children: z.object({ done: z.number(), total: z.number() }).nullable(),
    version: z.number(),
  })
  .meta({ id: "SlimCard" }) satisfies z.ZodType<SlimCard>;

/** Schema of `CardPage`. */
export const cardPageShape = z
  .object({
    board: boardSlug,
    cards: z.array(slimCardShape),
    counts: z.object({
      triage: z.number(),
      todo: z.number(),
      ready: z.number(),
      running: z.number(),
      blocked: z.number(),
      scheduled: z.number(),
      done: z.number(),
      archived: z.number(),
    }),
    latest_event_id: z.number(),
    paused: z.object({ reason: z.string().nullable() }).nullable(),
  })
  .meta({ id: "CardPage" }) satisfies z.ZodType<CardPage>;

/** Schema of `LegalMove`. */
export const legalMoveShape = z
  .object({
    to: z.enum(["triage", "todo", "ready", "blocked", "scheduled", "done", "archived"]),
    legal: z.boolean(),
    text: z.string(),
  })
  .meta({ id: "LegalMove" }) satisfies z.ZodType<LegalMove>;

/** Schema of `Edited`. */
export const editedShape = z
  .object({ task: taskShape, fields: z.array(z.string()), demoted: z.array(taskId), warnings: z.array(z.string()) })
  .meta({ id: "Edited" }) satisfies z.ZodType<Edited>;

/** Schema of `Assignee`. */
export const assigneeShape = z
  .object({
    name: z.string(),
    on_disk: z.boolean(),
    external: z.boolean(),
    counts: z.object({
      triage: z.number().exactOptional(),
      todo: z.number().exactOptional(),
      ready: z.number().exactOptional(),
      running: z.number().exactOptional(),
      blocked: z.number().exactOptional(),
      scheduled: z.number().exactOptional(),
      done: z.number().exactOptional(),
      archived: z.number().exactOptional(),
    }),
  })
  .meta({ id: "Assignee" }) satisfies z.ZodType<Assignee>;

/** Schema of `ClaimAnswer`. */
export const claimAnswerShape = z
  .object({ task: taskShape, run_id: runId, token: z.string(), claim_expires: z.number(), workspace: z.string() })
  .meta({ id: "ClaimAnswer" }) satisfies z.ZodType<ClaimAnswer>;

/** Schema of `PassResult`. */
export const passResultShape = z
  .object({
    reclaimed: z.number(),
    promoted: z.number(),
    due: z.number(),
    spawned: z.array(z.object({ task_id: taskId, assignee: z.string(), workspace: z.string().nullable() })),
    crashed: z.array(taskId),
    timed_out: z.array(taskId),
    stale: z.array(taskId),
    rate_limited: z.array(taskId),
    protocol_violations: z.array(taskId),
    auto_blocked: z.array(taskId),
    auto_assigned_default: z.array(taskId),
    skipped_unassigned: z.array(taskId),
    skipped_nonspawnable: z.array(taskId),
    skipped_per_profile_capped: z.array(z.object({ task_id: taskId, assignee: z.string(), current: z.number() })),
    skipped_capped: z.number(),
    skipped_paused: z.number(),
    respawn_guarded: z.array(z.object({ task_id: taskId, reason: z.string(), until: seconds })),
    dry_run: z.boolean(),
  })
  .meta({ id: "PassResult" }) satisfies z.ZodType<PassResult>;

const gcWorkspaceShape = z
  .object({
    task_id: taskId,
    kind: z.enum(["scratch", "dir", "worktree"]),
    branch: z.string().nullable(),
    path: z.string(),
    size_bytes: z.number(),
  })
  .meta({ id: "GcWorkspace" }) satisfies z.ZodType<GcWorkspace>;

const gcFileShape = z
  .object({ path: z.string(), size_bytes: z.number() })
  .meta({ id: "GcFile" }) satisfies z.ZodType<GcFile>;

const gcKeptShape = z
  .object({ task_id: taskId.nullable(), path: z.string(), reason: z.string() })
  .meta({ id: "GcKept" }) satisfies z.ZodType<GcKept>;

/** Schema of `GcReport`. */
export const gcReportShape = z
  .object({
    board: boardSlug,
    dry_run: z.boolean(),
    workspaces: z.array(gcWorkspaceShape),
    events: z.object({ count: z.number(), size_bytes: z.number() }),
    logs: z.array(gcFileShape),
    run_files: z.array(gcFileShape),
    deliveries: z.number(),
    size_bytes: z.number(),
    kept: z.array(gcKeptShape),
  })
  .meta({ id: "GcReport" }) satisfies z.ZodType<GcReport>;

/** Schema of `NextTask`. */
export const nextTaskShape = z
  .object({
    task_id: taskId,
    title: z.string(),
    assignee: z.string().nullable(),
    priority: z.number(),
    verdict: z.enum(["start", "wait"]),
    code: z.enum(REASON_CODES).exactOptional(),
    until: seconds.exactOptional(),
  })
  .meta({ id: "NextTask" }) satisfies z.ZodType<NextTask>;

/** Schema of `TaskBrief`. */
export const taskBriefShape = z
  .object({
    id: taskId,
    title: z.string(),
    status: status,
    assignee: z.string().nullable(),
    verdict: z.enum(["accepted", "rejected"]).nullable(),
  })
  .meta({ id: "TaskBrief" }) satisfies z.ZodType<TaskBrief>;

/** Schema of `BoardStats`. */
export const boardStatsShape = z
  .object({
    by_status: z.object({
      triage: z.number(),
      todo: z.number(),
      ready: z.number(),
      running: z.number(),
      blocked: z.number(),
      scheduled: z.number(),
      done: z.number(),
      archived: z.number(),
    }),
    by_assignee: z.record(z.string(), z.record(z.string(), z.number())),
    oldest_ready_age_seconds: z.number().nullable(),
    usage: z.object({ total: usageShape, by_assignee: z.record(z.string(), usageShape) }),
    now: z.number(),
  })
  .meta({ id: "BoardStats" }) satisfies z.ZodType<BoardStats>;

/** Schema of `Swarm`. */
export const swarmShape = z
  .object({
    root_id: taskId,
    worker_ids: z.array(taskId),
    verifier_id: taskId,
    synthesizer_id: taskId,
    created: z.boolean(),
  })
  .meta({ id: "Swarm" }) satisfies z.ZodType<Swarm>;
