import * as z from "zod";
import { EVENT_KINDS } from "../../board/notify.js";
import { defineEvent, type EventForm } from "./define.js";

type Kind = (typeof EVENT_KINDS)[number];
interface Row {
  readonly summary: string;
  readonly data?: z.ZodRawShape;
}

const text = z.string().optional();
const maybe = z.string().nullish();
const count = z.number().optional();
const pid = z.number().nullish();
const names = z.array(z.string()).optional();
const flag = z.boolean().optional();
const seconds = z.number().nullish().describe("Unix seconds");

/** How a worker was ended. */
const ending = { prev_pid: pid, termination_attempted: flag, terminated: flag, sigkill: flag, host_local: flag };

const ROWS: Readonly<Record<Kind, Row>> = {
  created: {
    summary: "A task was created.",
    data: {
      assignee: maybe,
      status: text,
      parents: names,
      tenant: maybe,
      branch_name: maybe,
      skills: z.array(z.string()).nullish(),
      goal_mode: z.union([z.boolean(), z.number()]).optional(),
      by: text,
      from_decompose_of: text,
    },
  },
  promoted: { summary: "All dependencies of the task are done: it is ready." },
  promoted_manual: {
    summary: "The task was promoted manually.",
    data: { actor: text, reason: maybe, forced: flag, ignored_parents: names },
  },
  claimed: { summary: "A worker claimed the task.", data: { lock: text, expires: seconds, run_id: count } },
  claim_rejected: { summary: "The task could not be claimed.", data: { reason: text } },
  claim_extended: {
    summary: "The worker sent a heartbeat; the lease was extended.",
    data: {
      reason: text,
      worker_pid: pid,
      claim_expires_was: seconds,
      claim_expires_now: seconds,
      last_heartbeat_at: seconds,
    },
  },
  spawned: { summary: "The worker process started.", data: { pid } },
  adopted: { summary: "A new owner adopted the worker.", data: { pid } },
  spawn_failed: { summary: "The worker could not be started.", data: { error: text, failures: count } },
  heartbeat: { summary: "The worker left a progress note.", data: { note: maybe } },
  completed: {
    summary: "The task is done.",
    data: {
      result_len: count,
      summary: maybe,
      verdict: maybe,
      verified_cards: names,
      artifacts: z.array(z.number()).optional().describe("ids of attachments"),
    },
  },
  completion_blocked_hallucination: {
    summary: "A completion was rejected: it names tasks that do not exist.",
    data: { phantom_cards: names, verified_cards: names, summary_preview: maybe },
  },
  phantom_refs_suspected: { summary: "The summary names unknown task ids.", data: { ids: names, source: text } },
  artifact_skipped: {
    summary: "A file was not stored.",
    data: { path: text, size: z.number().nullish(), reason: text },
  },
  blocked: { summary: "The task is blocked.", data: { reason: maybe, block_kind: maybe } },
  unblocked: { summary: "The task was unblocked.", data: { reason: maybe } },
  scheduled: { summary: "The task was scheduled.", data: { reason: maybe, scheduled_at: seconds } },
  due: { summary: "The scheduled time was reached.", data: { scheduled_at: seconds } },
  specified: {
    summary: "The task was specified and left triage.",
    data: { changed_fields: names, previous: z.looseObject({ title: text, body: maybe }).optional() },
  },
  decomposed: {
    summary: "The task was decomposed.",
    data: { child_ids: names, root_assignee: maybe, previous_assignee: maybe },
  },
  decompose_failed: {
    summary: "Decomposition failed.",
    data: { attempt: count, reason: text, next_at: seconds },
  },
  linked: { summary: "A dependency was added.", data: { parent: text, child: text } },
  unlinked: { summary: "A dependency was removed.", data: { parent: text, child: text } },
  commented: {
    summary: "A comment was added.",
    data: { comment_id: count, author: text, author_kind: text, len: count },
  },
  attached: { summary: "A file was attached.", data: { id: count, filename: text, size: count, by: text } },
  attachment_removed: { summary: "An attached file was removed.", data: { filename: text } },
  assigned: { summary: "The task was assigned.", data: { assignee: maybe, previous: maybe, source: text } },
  edited: { summary: "Fields of the task were changed.", data: { fields: names } },
  reprioritized: { summary: "The priority was changed.", data: { priority: count } },
  status: {
    summary: "The status was set directly, or because of another task.",
    data: { status: text, reason: maybe, parent: text },
  },
  reopened: { summary: "The task was reopened.", data: { reason: maybe } },
  archived: { summary: "The task was archived.", data: { released: count } },
  unarchived: { summary: "The task left the archive." },
  reclaimed: {
    summary: "The run was ended and the task was released.",
    data: { reason: maybe, ...ending, claim_expires: seconds, last_heartbeat_at: seconds, manual: flag },
  },
  crashed: {
    summary: "The worker ended without completing the task.",
    data: {
      pid,
      exit_kind: text,
      exit_code: z.number().nullish(),
      signal: z.unknown().optional(),
      error_class: maybe,
      failures: count,
    },
  },
  protocol_violation: {
    summary: "The worker stopped without completing or blocking the task.",
    data: { pid, exit_code: z.number().nullish(), reminders: count, last_text: maybe },
  },
  rate_limited: {
    summary: "The worker was rate-limited by its provider.",
    data: { pid, exit_code: z.number().nullish(), until: seconds },
  },
  timed_out: {
    summary: "The run timed out.",
    data: {
      pid,
      cause: text,
      elapsed_seconds: count,
      limit_seconds: z.number().nullish(),
      budget_used: count,
      budget_max: count,
      sigkill: flag,
      failures: count,
    },
  },
  stale: {
    summary: "The worker's heartbeat is stale.",
    data: {
      elapsed_seconds: count,
      last_heartbeat_at: seconds,
      heartbeat_age_seconds: z.number().nullish(),
      timeout_seconds: count,
      pid,
      ...ending,
    },
  },
  stuck: { summary: "The worker cannot be stopped.", data: { pid } },
  gave_up: {
    summary: "The task is not retried.",
    data: { failures: count, effective_limit: count, limit_source: text, error: maybe, trigger_outcome: text },
  },
  respawn_guarded: { summary: "The next attempt is delayed.", data: { reason: text, until: seconds } },
  skill_missing: { summary: "The run started without some skills.", data: { skills: names } },
  workspace_created: {
    summary: "The worker's directory was prepared.",
    data: { kind: text, path: text, branch: maybe, base_commit: maybe },
  },
  tip_scratch_workspace: { summary: "Hint about scratch directories.", data: { message: text } },
  board_created: { summary: "The board was created; `data` holds its settings." },
  board_updated: { summary: "Settings of the board were changed; `data` holds them." },
  board_paused: { summary: "The board was paused." },
  board_resumed: { summary: "The board was resumed." },
  board_archived: { summary: "The board was archived." },
  deleted: { summary: "A task was deleted permanently.", data: { task_id: text, title: text } },
  orchestration_changed: { summary: "Settings of the orchestration were changed; `data` holds them." },
};

/** With each event that changes the status of a task. */
const moved = { from: maybe.describe("status before; null for a new task"), to: maybe.describe("status after") };

/** Events of a board, from the store `board:<slug>`: `task_id`, `run_id` and `actor` are members of the event, the rest is in `data`. */
export const BOARD_EVENTS: readonly EventForm[] = EVENT_KINDS.map((kind) => {
  const { summary, data = {} } = ROWS[kind];
  return defineEvent(kind, true, `Board: ${summary}`, z.looseObject({ ...moved, ...data }));
});
