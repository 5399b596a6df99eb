import * as z from "zod";
import { diagnostic, reason, taskDiagnostics, why, workspaceState } from "../shapes/explain.js";
import { attachment, boardEvent, comment, run, subscription, task } from "../shapes/records.js";
import { boardSlug, taskId } from "../shapes/values.js";
import {
  assigneeShape,
  boardStatsShape,
  claimAnswerShape,
  gcReportShape,
  nextTaskShape,
  passResultShape,
  swarmShape,
  taskBriefShape,
} from "../shapes/work.js";
import type { Results } from "./define.js";

const specifyOutcome = z.object({ task_id: z.string(), ok: z.boolean(), reason: z.string(), new_title: z.string().nullable() });
const decomposeOutcome = specifyOutcome.extend({ fanout: z.boolean(), child_ids: z.array(taskId).nullable() });
/** With `all`, when there are no triage tasks. */
const noTriage = z.object({ specified: z.number().exactOptional(), decomposed: z.number().exactOptional(), total: z.number() });

/** Answers of `kanban.*` about tasks. */
export const KANBAN_RESULTS: Results = {
  "kanban.archive": z.object({
    results: z.array(
      z.object({
        task_id: z.string(),
        ok: z.boolean(),
        status: z.string().nullable(),
        error: z.object({ message: z.string(), code: z.string() }).nullable(),
      }),
    ),
  }),
  "kanban.assign": z.object({ ok: z.boolean(), task: task, warnings: z.array(z.string()) }),
  "kanban.assignees": z.array(assigneeShape),
  "kanban.attach": z.object({ ok: z.boolean(), task: task, attachments: z.array(attachment) }),
  "kanban.attachments": z.array(attachment),
  "kanban.block": z.object({
    results: z.array(
      z.object({
        task_id: z.string(),
        ok: z.boolean(),
        status: z.string().nullable(),
        error: z.object({ message: z.string(), code: z.string() }).nullable(),
      }),
    ),
  }),
  "kanban.claim": claimAnswerShape,
  "kanban.comment": z.object({ ok: z.boolean(), task: task, comment: comment }),
  "kanban.complete": z.object({
    results: z.array(
      z.object({
        task_id: z.string(),
        ok: z.boolean(),
        status: z.string().nullable(),
        error: z.object({ message: z.string(), code: z.string() }).nullable(),
      }),
    ),
  }),
  "kanban.context": z.object({ task_id: taskId, context: z.string() }),
  "kanban.create": task.extend({ created: z.boolean(), warnings: z.array(z.string()), subscribed: z.string().exactOptional() }),
  "kanban.decompose": z.union([decomposeOutcome, z.array(decomposeOutcome), noTriage, z.array(noTriage)]),
  "kanban.detach": z.object({ ok: z.boolean(), task: task, attachment: attachment }),
  "kanban.diagnostics": z.array(taskDiagnostics),
  "kanban.diff": z.object({
    task_id: taskId,
    base_commit: z.string().nullable(),
    head: z.string().nullable(),
    files_changed: z.number().nullable(),
    insertions: z.number().nullable(),
    deletions: z.number().nullable(),
    diff: z.string(),
  }),
  "kanban.dispatch": passResultShape,
  "kanban.doctor": z.object({
    ok: z.boolean(),
    checks: z.array(z.object({ fix: z.string().nullable(), name: z.string(), status: z.enum(["ok", "warn", "fail"]), detail: z.string() })),
  }),
  "kanban.edit": z.object({
    ok: z.boolean(),
    task: task,
    fields: z.array(z.string()),
    demoted: z.array(taskId),
    warnings: z.array(z.string()),
  }),
  "kanban.gc": gcReportShape,
  "kanban.heartbeat": z.object({ ok: z.boolean(), task: task, claim_expires: z.number() }),
  "kanban.init": z.object({ ok: z.boolean(), board: boardSlug, store: z.string(), profiles: z.array(z.string()) }),
  "kanban.link": z.object({ ok: z.boolean(), task: task, parent_id: taskId, child_id: taskId }),
  "kanban.list": z.array(task),
  "kanban.log": z.object({
    path: z.string(),
    exists: z.boolean(),
    size_bytes: z.number(),
    content: z.string(),
    truncated: z.boolean(),
    task_id: taskId,
  }),
  "kanban.next": z.array(nextTaskShape),
  "kanban.promote": z.object({
    results: z.array(
      z.object({
        task_id: z.string(),
        ok: z.boolean(),
        status: z.string().nullable(),
        error: z.object({ message: z.string(), code: z.string() }).nullable(),
      }),
    ),
  }),
  "kanban.reassign": z.object({ ok: z.boolean(), task: task, reclaimed: z.boolean(), warnings: z.array(z.string()) }),
  "kanban.reclaim": z.object({ ok: z.boolean(), task: task }),
  "kanban.reopen": z.object({
    results: z.array(
      z.object({
        task_id: z.string(),
        ok: z.boolean(),
        status: z.string().nullable(),
        error: z.object({ message: z.string(), code: z.string() }).nullable(),
      }),
    ),
  }),
  "kanban.runs": z.array(run),
  "kanban.schedule": z.object({
    results: z.array(
      z.object({
        task_id: z.string(),
        ok: z.boolean(),
        status: z.string().nullable(),
        error: z.object({ message: z.string(), code: z.string() }).nullable(),
      }),
    ),
  }),
  "kanban.show": z.object({
    task: task,
    latest_summary: z.string().nullable(),
    parents: z.array(taskBriefShape),
    children: z.array(taskBriefShape),
    comments: z.array(comment),
    events: z.array(boardEvent),
    runs: z.array(run),
    attachments: z.array(attachment),
    subscriptions: z.array(subscription),
    diagnostics: z.array(diagnostic),
    workspace: workspaceState,
    reasons: z.array(reason),
  }),
  "kanban.specify": z.union([specifyOutcome, z.array(specifyOutcome), noTriage, z.array(noTriage)]),
  "kanban.stats": boardStatsShape,
  "kanban.swarm": swarmShape,
  "kanban.unarchive": z.object({
    results: z.array(
      z.object({
        task_id: z.string(),
        ok: z.boolean(),
        status: z.string().nullable(),
        error: z.object({ message: z.string(), code: z.string() }).nullable(),
      }),
    ),
  }),
  "kanban.unblock": z.object({
    results: z.array(
      z.object({
        task_id: z.string(),
        ok: z.boolean(),
        status: z.string().nullable(),
        error: z.object({ message: z.string(), code: z.string() }).nullable(),
      }),
    ),
  }),
  "kanban.unlink": z.object({ ok: z.boolean(), task: task, parent_id: taskId, child_id: taskId }),
  "kanban.why": why,
};
