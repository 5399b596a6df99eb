import * as z from "zod";
import { type Assignee, type NextTask, REASON_CODES, SEVERITIES } from "../../contracts/board/explain.js";
import { taskDiagnosticsShape } from "../../contracts/wire/shapes/explain.js";
import { usageShape } from "../../contracts/wire/shapes/records.js";
import { seconds, status, statusCounts, taskId } from "../../contracts/wire/shapes/values.js";
import { defineEndpoint, type Endpoint } from "../../http/endpoint.js";
import { integerOf } from "../../http/query.js";
import type { KanbanParts } from "../core/parts.js";
import { boardQuery, boardToRead } from "./request/asked.js";

const tag = "explaining";

const nextTask = z.object({
  task_id: taskId,
  title: z.string(),
  assignee: z.string().nullable(),
  priority: z.int(),
  verdict: z.enum(["start", "wait"]),
  code: z.enum(REASON_CODES).exactOptional(),
  until: seconds.exactOptional(),
}) satisfies z.ZodType<NextTask>;

const assignee = z.object({
  name: z.string(),
  on_disk: z.boolean(),
  external: z.boolean(),
  counts: statusCounts,
}) satisfies z.ZodType<Assignee>;

const stats = z.object({
  by_status: z.record(status, z.int()),
  by_assignee: z.record(z.string(), z.record(z.string(), z.int())),
  oldest_ready_age_seconds: z.int().nullable(),
  usage: z.object({ total: usageShape, by_assignee: z.record(z.string(), usageShape) }),
  now: seconds,
});

/** One thing that was looked at, and what to do about it. */
const check = z.object({
  name: z.string(),
  status: z.enum(["ok", "warn", "fail"]),
  detail: z.string(),
  fix: z.string().nullable(),
});

/** What a board says about itself (board part, 19). */
export const EXPLAINED_ENDPOINTS: readonly Endpoint<KanbanParts>[] = [
  defineEndpoint({
    method: "GET",
    path: "/next",
    summary: "List ready tasks in start order, and what delays each.",
    tag,
    query: boardQuery.extend({ limit: integerOf(1, 10_000, "maximum number of items").optional() }),
    answer: z.array(nextTask),
    errors: [404],
    run: async ({ query }, parts: KanbanParts) => ({
      json: await parts.board.next(await boardToRead(parts, query), { limit: query.limit }),
    }),
  }),
  defineEndpoint({
    method: "GET",
    path: "/diagnostics",
    summary: "List problems that need attention, worst first; with nulls for the board itself.",
    tag,
    query: boardQuery.extend({ severity: z.enum(SEVERITIES).optional().describe("minimum severity") }),
    answer: z.array(taskDiagnosticsShape),
    errors: [404],
    run: async ({ query }, parts: KanbanParts) => ({
      json: await parts.board.diagnostics(await boardToRead(parts, query), { severity: query.severity }),
    }),
  }),
  defineEndpoint({
    method: "GET",
    path: "/stats",
    summary: "Read tasks, tokens and cost by status and assignee.",
    tag,
    query: boardQuery,
    answer: stats,
    errors: [404],
    run: async ({ query }, parts: KanbanParts) => ({ json: await parts.board.stats(await boardToRead(parts, query)) }),
  }),
  defineEndpoint({
    method: "GET",
    path: "/assignees",
    summary: "List profiles and external names with assigned tasks.",
    tag,
    query: boardQuery,
    answer: z.object({ assignees: z.array(assignee) }),
    errors: [404],
    run: async ({ query }, parts: KanbanParts) => ({
      json: { assignees: await parts.board.assignees(await boardToRead(parts, query)) },
    }),
  }),
  defineEndpoint({
    method: "GET",
    path: "/doctor",
    summary: "Check a board for problems, without changes.",
    tag,
    query: boardQuery,
    answer: z.object({ ok: z.boolean(), checks: z.array(check) }),
    errors: [404],
    run: async ({ query }, parts: KanbanParts) => {
      const { ok, checks } = await parts.board.doctor(await boardToRead(parts, query), { fix: false });
      return { json: { ok, checks: checks.map((one) => ({ ...one, fix: one.fix ?? null })) } };
    },
  }),
];
