import * as z from "zod";
import {
  diagnosticShape,
  reasonShape,
  taskDiagnosticsShape,
  whyShape,
  workspaceStateShape,
} from "../shapes/explain.js";
import {
  attachmentShape,
  boardEventShape,
  commentShape,
  runShape,
  subscriptionShape,
  taskShape,
} from "../shapes/records.js";
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

const specifyOutcome = z.object({
  task_id: z.string(),
  ok: z.boolean(),
  reason: z.string(),
  new_title: z.string().nullable(),
});
const decomposeOutcome = specifyOutcome.extend({ fanout: z.boolean(), child_ids: z.array(taskId).nullable() });
/** With `all`, when the board does not have triage tasks. */
const noTriage = z.object({
  specified: z.number().exactOptional(),
  decomposed: z.number().exactOptional(),
  total: z.number(),
});

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
  "kanban.assign": z.object({ ok: z.boolean(), task: taskShape, warnings: z.array(z.string()) }),
  "kanban.assignees": z.array(assigneeShape),
  "kanban.attach": z.object({ ok: z.boolean(), task: taskShape, attachments: z.array(attachmentShape) }),
  "kanban.attachments": z.array(attachmentShape),
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
  "kanban.comment": z.object({ ok: z.boolean(), task: taskShape, comment: commentShape }),
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
  "kanban.create": taskShape.extend({
    created: z.boolean(),
    warnings: z.array(z.string()),
    subscribed: z.string().exactOptional(),
  }),
  "kanban.decompose": z.union([decomposeOutcome, z.array(decomposeOutcome), noTriage, z.array(noTriage)]),
  "kanban.detach": z.object({ ok: z.boolean(), task: taskShape, attachment: attachmentShape }),
  "kanban.diagnostics": z.array(taskDiagnosticsShape),
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
    checks: z.array(
      z.object({
        fix: z.string().nullable(),
        name: z.string(),
        status: z.enum(["ok", "warn", "fail"]),
        detail: z.string(),
      }),
    ),
  }),
  "kanban.edit": z.object({
    ok: z.boolean(),
    task: taskShape,
    fields: z.array(z.string()),
    demoted: z.array(taskId),
    warnings: z.array(z.string()),
  }),
  "kanban.gc": gcReportShape,
  "kanban.heartbeat": z.object({ ok: z.boolean(), task: taskShape, claim_expires: z.number() }),
  "kanban.init": z.object({ ok: z.boolean(), board: boardSlug, store: z.string(), profiles: z.array(z.string()) }),
  "kanban.link": z.object({ ok: z.boolean(), task: taskShape, parent_id: taskId, child_id: taskId }),
  "kanban.list": z.array(taskShape),
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
  "kanban.reassign": z.object({
    ok: z.boolean(),
    task: taskShape,
    reclaimed: z.boolean(),
    warnings: z.array(z.string()),
  }),
  "kanban.reclaim": z.object({ ok: z.boolean(), task: taskShape }),
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
  "kanban.runs": z.array(runShape),
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
    task: taskShape,
    latest_summary: z.string().nullable(),
    parents: z.array(taskBriefShape),
    children: z.array(taskBriefShape),
    comments: z.array(commentShape),
    events: z.array(boardEventShape),
    runs: z.array(runShape),
    attachments: z.array(attachmentShape),
    subscriptions: z.array(subscriptionShape),
    diagnostics: z.array(diagnosticShape),
    workspace: workspaceStateShape,
    reasons: z.array(reasonShape),
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
  "kanban.unlink": z.object({ ok: z.boolean(), task: taskShape, parent_id: taskId, child_id: taskId }),
  "kanban.why": whyShape,
};
