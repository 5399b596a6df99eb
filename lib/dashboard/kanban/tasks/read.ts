import * as z from "zod";
import { AppError } from "../../../base/errors.js";
import type { LogPart, TaskBrief } from "../../../contracts/board/api.js";
import { cardShape, reasonShape, whyShape, workspaceStateShape } from "../../../contracts/wire/shapes/explain.js";
import {
  attachmentShape,
  boardEventShape,
  commentShape,
  runShape,
  subscriptionShape,
} from "../../../contracts/wire/shapes/records.js";
import { status, taskId } from "../../../contracts/wire/shapes/values.js";
import { defineEndpoint } from "../../../http/endpoint.js";
import { integerOf } from "../../../http/query.js";
import type { KanbanParts } from "../../core/parts.js";
import { boardQuery } from "../request/asked.js";
import { taskPath, taskToRead } from "./place.js";
import { toEtagHeader } from "./precondition.js";

const brief = z.object({
  id: taskId,
  title: z.string(),
  status,
  assignee: z.string().nullable(),
  verdict: z.enum(["accepted", "rejected"]).nullable(),
}) satisfies z.ZodType<TaskBrief>;

/** Everything about one task, with the version that a change may name. */
export const getTask = defineEndpoint({
  method: "GET",
  path: "/tasks/:id",
  summary: "Read a task in detail.",
  tag: "tasks",
  params: taskPath,
  query: boardQuery.extend({
    run_state_type: z
      .enum(["status", "outcome"])
      .optional()
      .describe("Only runs whose status or outcome is `run_state_name`."),
    run_state_name: z.string().optional(),
  }),
  answer: z.object({
    task: cardShape,
    comments: z.array(commentShape),
    events: z.array(boardEventShape),
    attachments: z.array(attachmentShape),
    links: z.object({ parents: z.array(brief), children: z.array(brief) }),
    runs: z.array(runShape),
    subscriptions: z.array(subscriptionShape),
    reasons: z.array(reasonShape),
  }),
  errors: [404],
  run: async (request, parts: KanbanParts) => {
    const { run_state_type: state_type, run_state_name: state_name } = request.query;
    if ((state_type === undefined) !== (state_name === undefined))
      throw new AppError("E_USAGE", "run_state_type and run_state_name must be used together");
    const { board, id } = await taskToRead(parts, request);
    // The card first: what changes in between is then newer than the tag, never older.
    const shown = await parts.board.card(board, id);
    const { comments, events, attachments, parents, children, runs, subscriptions, reasons } = await parts.board.show(
      board,
      id,
      {
        state_type,
        state_name,
      },
    );
    const json = {
      task: shown,
      comments,
      events,
      attachments,
      links: { parents, children },
      runs,
      subscriptions,
      reasons,
    };
    return { json, headers: toEtagHeader(shown) };
  },
});

/** Why a task does not move, and what to do. */
export const getWhy = defineEndpoint({
  method: "GET",
  path: "/tasks/:id/why",
  summary: "Explain why a task is not progressing.",
  tag: "tasks",
  params: taskPath,
  query: boardQuery,
  answer: whyShape,
  errors: [404],
  run: async (request, parts: KanbanParts) => {
    const { board, id } = await taskToRead(parts, request);
    return { json: await parts.board.why(board, id) };
  },
});

/** What a worker of the task reads. */
export const getContext = defineEndpoint({
  method: "GET",
  path: "/tasks/:id/context",
  summary: "Read the initial context of a worker of the task.",
  tag: "tasks",
  params: taskPath,
  query: boardQuery,
  answer: z.object({ context: z.string() }),
  errors: [404],
  run: async (request, parts: KanbanParts) => {
    const { board, id } = await taskToRead(parts, request);
    return { json: { context: await parts.board.context(board, id) } };
  },
});

/** The workspace as it is now. */
export const getWorkspace = defineEndpoint({
  method: "GET",
  path: "/tasks/:id/workspace",
  summary: "Read the state of a task's workspace.",
  tag: "tasks",
  params: taskPath,
  query: boardQuery,
  answer: workspaceStateShape,
  errors: [404],
  run: async (request, parts: KanbanParts) => {
    const { board, id } = await taskToRead(parts, request);
    return { json: await parts.board.workspace(board, id) };
  },
});

/** Most of a log that one answer holds. */
const MOST_BYTES = 2_000_000;

/** The end of a worker's log. */
export const getLog = defineEndpoint({
  method: "GET",
  path: "/tasks/:id/log",
  summary: "Read the end of a task's log.",
  tag: "tasks",
  params: taskPath,
  query: boardQuery.extend({
    tail: integerOf(1, MOST_BYTES, "Maximum bytes").default(MOST_BYTES),
    run: integerOf(1, Number.MAX_SAFE_INTEGER, "Only this run").optional(),
  }),
  answer: z.object({
    task_id: taskId,
    path: z.string(),
    exists: z.boolean(),
    size_bytes: z.int(),
    content: z.string(),
    truncated: z.boolean(),
  }) satisfies z.ZodType<LogPart>,
  errors: [404],
  run: async (request, parts: KanbanParts) => {
    const { board, id } = await taskToRead(parts, request);
    const { tail: tailBytes, run: ofRun } = request.query;
    return { json: { task_id: id, ...(await parts.board.log(board, id, { tailBytes, run: ofRun })) } };
  },
});
