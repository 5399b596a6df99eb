import * as z from "zod";
import { STATUSES, type Task } from "../../../contracts/board/board.js";
import type { WriteParams } from "../../../contracts/board/records.js";
import { taskShape } from "../../../contracts/wire/shapes/records.js";
import { anyObject, taskId } from "../../../contracts/wire/shapes/values.js";
import { defineEndpoint } from "../../../http/endpoint.js";
import type { KanbanParts } from "../../core/parts.js";
import { boardQuery, DASHBOARD } from "../request/asked.js";
import { runtime } from "./given.js";
import { taskPath, taskToChange, toWarning } from "./place.js";
import { expectedVersion, toEtagHeader, unlessStale } from "./precondition.js";

const text = z.string().nullable().optional();
const flag = z.boolean().optional();
const count = z.int().nullable().optional();

const fields = z.object({
  status: z
    .string()
    .optional()
    .describe(
      `One of ${STATUSES.filter((status) => status !== "running").join(", ")}; running can only be set by a claim.`,
    ),
  assignee: text.describe("Empty: unassigned."),
  priority: z.int().optional(),
  title: z.string().optional(),
  body: text,
  tenant: text,
  skills: z.array(z.string()).optional(),
  max_runtime_seconds: count,
  max_runtime: runtime.nullable().optional(),
  max_retries: count,
  model_override: text,
  workspace_kind: z.enum(["scratch", "dir", "worktree"]).optional(),
  workspace_path: text,
  branch_name: text,
  goal_mode: flag,
  goal_max_turns: count,
  auto_decompose: flag,
  external: flag,
  hold: flag,
  scheduled_at: count.describe("Unix seconds."),
  block_reason: text,
  result: text,
  summary: text,
  metadata: anyObject.nullable().optional(),
  verdict: z.enum(["accepted", "rejected"]).optional(),
});

/** Change a task: fields and status at once, all of it or nothing (board part, 14.5). */
export const changeTask = defineEndpoint({
  method: "PATCH",
  path: "/tasks/:id",
  summary: "Change fields and status of a task atomically.",
  tag: "tasks",
  params: taskPath,
  query: boardQuery,
  body: fields.extend({
    force: flag.describe("Ignore unfinished parents; stop the workers of children that must wait again."),
    expected_status: z.enum(STATUSES).optional().describe("Responds 409 if the task has another status."),
  }),
  answer: z.object({ task: taskShape, warning: z.string().exactOptional() }),
  errors: [404, 409, 412, 413],
  run: async (request, parts: KanbanParts) => {
    const place = await taskToChange(parts, request);
    const { force, expected_status, max_runtime, ...given } = request.body;
    const params: WriteParams = {
      ...given,
      ...(max_runtime === undefined ? {} : { max_runtime_seconds: max_runtime }),
    };
    const expected_version = await expectedVersion(parts, place, request);
    const options = { force, expected_status, expected_version };
    const done = await unlessStale(expected_version, () =>
      parts.board.write(place.board, place.id, { ...params, ...options }, DASHBOARD),
    );
    return {
      json: { task: done.task, ...toWarning([...done.warnings, ...seenLater(done.task, done.fields)]) },
      headers: toEtagHeader(done.task),
    };
  },
});

/** A worker at work does not look at its task all the time. */
const seenLater = (changed: Task, names: readonly string[]): readonly string[] =>
  changed.status === "running" && names.length > 0
    ? ["the running worker sees the change when it shows the task again"]
    : [];

/** Delete a task in any status; its worker is stopped first. */
export const deleteTask = defineEndpoint({
  method: "DELETE",
  path: "/tasks/:id",
  summary: "Delete a task with all its data; its worker is stopped first.",
  tag: "tasks",
  params: taskPath,
  query: boardQuery,
  answer: z.object({ deleted: z.literal(true), task_id: taskId, warning: z.string().exactOptional() }),
  errors: [404, 409, 412],
  run: async (request, parts: KanbanParts) => {
    const { board, id } = await taskToChange(parts, request);
    const expected_version = await expectedVersion(parts, { board, id }, request);
    const gone = await unlessStale(expected_version, () =>
      parts.board.remove(board, id, { any: true, expected_version }, DASHBOARD),
    );
    return { json: { deleted: true, task_id: id, ...toWarning(gone.kept.map((path) => `kept: ${path}`)) } };
  },
});
