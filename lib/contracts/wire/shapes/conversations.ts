import * as z from "zod";
import type { ChildInfo } from "../../chat/children.js";
import type { CompactionEnded, CompactionUndone } from "../../chat/compact.js";
import type { GoalRecord } from "../../chat/goal.js";
import type { ProcessInfo } from "../../chat/processes.js";
import type { PostedJson, QueueItem, QueueState } from "../../chat/queue.js";
import type { SessionRow } from "../../chat/session-overview.js";
import type { SessionStatus } from "../../chat/session-status.js";
import type { DeletedSession, Redone, Undone } from "../../chat/sessions.js";
import type { RestoredFiles } from "../../chat/turn-files.js";
import type { KeptPicture } from "../../models/pictures.js";
import type { PagedMessage, PagePlace, SessionPage, TurnEnd } from "./session-page.js";
import { instant, message } from "./sessions.js";
import { epochMs, sessionId, turnId } from "./values.js";

/** Schema of `ChildInfo`. */
export const childInfoShape = z
  .object({
    id: sessionId,
    parent_session_id: sessionId,
    goal: z.string(),
    role: z.string(),
    status: z.string(),
    background: z.boolean(),
    tokens: z.object({ input: z.number(), output: z.number() }),
    tool: z.string().nullable(),
    duration_ms: z.number(),
    started_at: epochMs,
  })
  .meta({ id: "ChildInfo" }) satisfies z.ZodType<ChildInfo>;

/** Schema of `CompactionEnded`. */
export const compactionEndedShape = z
  .object({
    ok: z.boolean(),
    reason: z.enum(["start", "round", "overflow", "manual", "hygiene"]),
    tokens_before: z.number(),
    tokens_after: z.number(),
    messages_before: z.number(),
    messages_after: z.number(),
    method: z.enum(["model", "local"]),
    new_session_id: sessionId.nullable(),
    duration_ms: z.number(),
    count: z.number(),
    error: z.string().exactOptional(),
  })
  .meta({ id: "CompactionEnded" }) satisfies z.ZodType<CompactionEnded>;

/** Schema of `CompactionUndone`. */
export const compactionUndoneShape = z
  .object({
    new_session_id: sessionId,
    tokens_before: z.number(),
    tokens_after: z.number(),
    messages_before: z.number(),
    messages_after: z.number(),
  })
  .meta({ id: "CompactionUndone" }) satisfies z.ZodType<CompactionUndone>;

/** Schema of `GoalRecord`. */
export const goalRecordShape = z
  .object({
    goal: z.string(),
    status: z.enum(["done", "active", "paused"]),
    turns_used: z.number(),
    max_turns: z.number(),
    created_at: epochMs,
    last_turn_at: epochMs.nullable(),
    last_verdict: z.enum(["continue", "done", "skipped"]).nullable(),
    last_reason: z.string().nullable(),
    paused_reason: z.enum(["user", "interrupt", "budget"]).nullable(),
    judge_failures: z.number(),
    subgoals: z.array(z.string()),
  })
  .meta({ id: "GoalRecord" }) satisfies z.ZodType<GoalRecord>;

/** Schema of `KeptPicture`. */
export const keptPictureShape = z
  .object({ bytes: z.number(), mention: z.string(), path: z.string(), name: z.string() })
  .meta({ id: "KeptPicture" }) satisfies z.ZodType<KeptPicture>;

/** Schema of `ProcessInfo`. */
export const processInfoShape = z
  .object({
    id: z.string(),
    session_id: sessionId,
    command: z.string(),
    pid: z.number(),
    status: z.enum(["running", "exited"]),
    uptime_ms: z.number(),
    exit_code: z.number().nullable(),
    reason: z.string().nullable(),
  })
  .meta({ id: "ProcessInfo" }) satisfies z.ZodType<ProcessInfo>;

/** Schema of `QueueItem`. */
export const queueItemShape = z
  .object({
    id: z.string(),
    text: z.string(),
    attachments: z.array(z.string()),
    source: z.string(),
    by: z.string(),
    created_at: epochMs,
    kind: z.enum(["message", "process_notice", "continuation"]),
    request: z.string().exactOptional(),
  })
  .meta({ id: "QueueItem" }) satisfies z.ZodType<QueueItem>;

/** Schema of `QueueState`. */
export const queueStateShape = z
  .object({ items: z.array(queueItemShape), paused: z.boolean() })
  .meta({ id: "QueueState" }) satisfies z.ZodType<QueueState>;

/** Schema of `SessionRow`. */
export const sessionRowShape = z
  .object({
    id: z.string(),
    title: z.string(),
    preview: z.string(),
    cwd: z.string(),
    model: z.string(),
    messages: z.number(),
    cost: z.number().nullable(),
    last_active_at: epochMs,
    archived: z.boolean(),
    running: z.boolean(),
    questions: z.number(),
    pinned: z.boolean(),
    found: z.array(z.string()).exactOptional(),
  })
  .meta({ id: "SessionRow" }) satisfies z.ZodType<SessionRow>;

/** Schema of `PagePlace`. */
export const pagePlaceShape = z
  .object({ session_id: z.string(), ordinal: z.number(), id: z.number().exactOptional() })
  .meta({ id: "PagePlace" }) satisfies z.ZodType<PagePlace>;

const pagedMessageShape = message
  .extend({
    call_previews: z.record(z.string(), z.string()).exactOptional().describe("what announced each call, by its id"),
  })
  .meta({ id: "PagedMessage" }) satisfies z.ZodType<PagedMessage>;

const turnEndShape = z
  .object({
    turn_id: z.string(),
    model: z.string().describe("the model that answered last, or empty"),
    ended_at: instant,
    duration_ms: z.number(),
    input_tokens: z.number(),
    output_tokens: z.number(),
    cache_read_tokens: z.number(),
    cache_write_tokens: z.number(),
    estimated_cost_usd: z.number().nullable(),
  })
  .meta({ id: "TurnEnd" }) satisfies z.ZodType<TurnEnd>;

/** Schema of `SessionPage`. */
export const sessionPageShape = z
  .object({
    messages: z.array(pagedMessageShape),
    older: pagePlaceShape.nullable(),
    newer: pagePlaceShape.nullable(),
    turns: z
      .array(turnEndShape)
      .exactOptional()
      .describe("turns whose last message is on this page, once they have ended"),
    running: z.boolean().exactOptional(),
  })
  .meta({ id: "SessionPage" }) satisfies z.ZodType<SessionPage>;

/** Schema of `SessionStatus`. */
export const sessionStatusShape = z
  .object({
    session_id: sessionId,
    effort: z.string(),
    fast: z.boolean(),
    ephemeral: z.boolean(),
    goal: z.object({ status: z.string(), turns_used: z.number(), max_turns: z.number() }).nullable(),
    directory: z.string(),
    branch: z.string(),
  })
  .meta({ id: "SessionStatus" }) satisfies z.ZodType<SessionStatus>;

/** Schema of `DeletedSession`. */
export const deletedSessionShape = z
  .object({ sessions: z.number(), messages: z.number(), backups: z.array(z.string()) })
  .meta({ id: "DeletedSession" }) satisfies z.ZodType<DeletedSession>;

const restoredFilesShape = z
  .object({
    restored: z.array(z.string()),
    removed: z.array(z.string()),
    skipped: z.array(z.object({ path: z.string(), reason: z.string() })),
    partial: z.array(z.string()).exactOptional(),
    token: z.string(),
  })
  .meta({ id: "RestoredFiles" }) satisfies z.ZodType<RestoredFiles>;

/** Schema of `Undone`. */
export const undoneShape = z
  .object({
    exchanges: z.number(),
    turns: z.array(turnId),
    messages: z.number(),
    text: z.string(),
    files: restoredFilesShape.exactOptional(),
  })
  .meta({ id: "Undone" }) satisfies z.ZodType<Undone>;

/** Schema of `Redone`. */
export const redoneShape = z
  .object({ messages: z.number(), files: restoredFilesShape.exactOptional() })
  .meta({ id: "Redone" }) satisfies z.ZodType<Redone>;

/** Schema of `PostedJson`. */
export const postedJsonShape = z
  .object({
    turn_id: turnId.exactOptional(),
    queued: queueItemShape.exactOptional(),
    steered: z.literal(true).exactOptional(),
  })
  .meta({ id: "PostedJson" }) satisfies z.ZodType<PostedJson>;
