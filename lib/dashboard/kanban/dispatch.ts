import * as z from "zod";
import type { PassResult } from "../../contracts/board/board.js";
import { seconds, taskId } from "../../contracts/wire/shapes/values.js";
import { defineEndpoint, type Endpoint } from "../../http/endpoint.js";
import { integerOf, switchOf } from "../../http/query.js";
import type { KanbanParts } from "../core/parts.js";
import { boardQuery, boardToChange } from "./request/asked.js";

/** Starts of a pass by hand that names no number. */
const STARTS = 8;

const pass = z.object({
  reclaimed: z.int(),
  promoted: z.int(),
  due: z.int(),
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
  skipped_per_profile_capped: z.array(z.object({ task_id: taskId, assignee: z.string(), current: z.int() })),
  skipped_capped: z.int(),
  skipped_paused: z.int(),
  respawn_guarded: z.array(z.object({ task_id: taskId, reason: z.string(), until: seconds })),
  dry_run: z.boolean(),
}) satisfies z.ZodType<PassResult>;

/** A pass of the dispatcher by hand (board part, 6.9). */
export const DISPATCH_ENDPOINTS: readonly Endpoint<KanbanParts>[] = [
  defineEndpoint({
    method: "POST",
    path: "/dispatch",
    summary: "Run one pass of the dispatcher over all boards.",
    tag: "dispatcher",
    query: z.object({
      board: boardQuery.shape.board,
      dry_run: switchOf("only show what a pass would do"),
      max: integerOf(0, 1_000, "maximum workers to start").optional(),
    }),
    body: z.object({ dry_run: z.boolean().optional(), max: z.int().min(0).max(1_000).optional() }),
    answer: pass,
    run: async ({ query, body }, parts: KanbanParts) => {
      if (query.board !== undefined) await boardToChange(parts, query);
      const max = body.max ?? query.max ?? STARTS;
      return { json: await parts.board.dispatch({ dryRun: body.dry_run ?? query.dry_run, max }) };
    },
  }),
];
