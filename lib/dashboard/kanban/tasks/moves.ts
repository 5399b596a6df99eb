import * as z from "zod";
import { status, taskId } from "../../../contracts/wire/shapes/values.js";
import { defineEndpoint } from "../../../http/endpoint.js";
import type { KanbanParts } from "../../core/parts.js";
import { boardQuery, DASHBOARD } from "../request/asked.js";
import { reasonField } from "./given.js";
import { taskPath, taskToChange, toWarning } from "./place.js";
import { expectedVersion, toEtagHeader, unlessStale } from "./precondition.js";

const about = { method: "POST", tag: "tasks", params: taskPath, query: boardQuery, errors: [404, 409, 412] } as const;
const done = { ok: z.literal(true), task_id: taskId };

/** Stop the worker of a task and make it ready again. */
export const reclaimTask = defineEndpoint({
  ...about,
  path: "/tasks/:id/reclaim",
  summary: "Stop the worker of a task and return the task to ready.",
  body: z.object({ reason: reasonField }),
  answer: z.object(done),
  run: async (request, parts: KanbanParts) => {
    const { board, id } = await taskToChange(parts, request);
    await expectedVersion(parts, { board, id }, request);
    const { task } = await parts.board.reclaim(board, id, request.body.reason ?? undefined, DASHBOARD);
    return { json: { ok: true, task_id: id }, headers: toEtagHeader(task) };
  },
});

/** Give a task to another assignee. */
export const reassignTask = defineEndpoint({
  ...about,
  path: "/tasks/:id/reassign",
  summary: "Reassign a task; a running one requires reclaim_first.",
  body: z.object({
    profile: z.string().nullable().describe("Null, empty or `none`: unassigned."),
    reclaim_first: z.boolean().nullish(),
    reason: reasonField,
  }),
  answer: z.object({ ...done, assignee: z.string().nullable(), warning: z.string().exactOptional() }),
  run: async (request, parts: KanbanParts) => {
    const { board, id } = await taskToChange(parts, request);
    const expected_version = await expectedVersion(parts, { board, id }, request);
    const { profile: assignee, reclaim_first, reason: why } = request.body;
    const params = { assignee, reclaim: reclaim_first === true, reason: why ?? undefined, expected_version };
    const { task, warnings } = await unlessStale(expected_version, () =>
      parts.board.reassign(board, id, params, DASHBOARD),
    );
    return {
      json: { ok: true, task_id: id, assignee: task.assignee, ...toWarning(warnings) },
      headers: toEtagHeader(task),
    };
  },
});

/** Make a waiting task ready. */
export const promoteTask = defineEndpoint({
  ...about,
  path: "/tasks/:id/promote",
  summary: "Make a waiting task ready; unfinished parents require force.",
  body: z.object({ force: z.boolean().nullish(), dry_run: z.boolean().nullish(), reason: reasonField }),
  answer: z.object({ ...done, status }),
  run: async (request, parts: KanbanParts) => {
    const { board, id } = await taskToChange(parts, request);
    const expected_version = await expectedVersion(parts, { board, id }, request);
    const { force, dry_run, reason: why } = request.body;
    const params = { force: force === true, dryRun: dry_run === true, reason: why ?? undefined, expected_version };
    const { task } = await unlessStale(expected_version, () => parts.board.promote(board, id, params, DASHBOARD));
    return { json: { ok: true, task_id: id, status: task.status }, headers: toEtagHeader(task) };
  },
});
