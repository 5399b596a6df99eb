import * as z from "zod";
import type { ContextPart, ContextReport, CostReport, CostSum, InsightsReport, LastRequest } from "../../chat/usage.js";
import { sessionId, turnId } from "./values.js";

const contextPartShape = z
  .object({ group: z.enum(["system", "tools", "messages"]), name: z.string(), tokens: z.number() })
  .meta({ id: "ContextPart" }) satisfies z.ZodType<ContextPart>;

const lastRequestShape = z
  .object({
    fresh: z.number(),
    cached_read: z.number(),
    cached_write: z.number(),
    reasoning: z.number(),
    output: z.number(),
    cache_share: z.number(),
  })
  .meta({ id: "LastRequest" }) satisfies z.ZodType<LastRequest>;

/** Schema of `ContextReport`. */
export const contextReportShape = z
  .object({
    session_id: sessionId,
    lineage_root: sessionId,
    model: z.string(),
    provider: z.string(),
    window: z.number(),
    trigger: z.number(),
    total: z.number(),
    percent: z.number(),
    free: z.number(),
    exact: z.boolean(),
    parts: z.array(contextPartShape),
    last_request: lastRequestShape.nullable(),
    largest: z.array(z.object({ id: z.number(), role: z.string(), tool: z.string().nullable(), tokens: z.number() })),
    compaction: z.object({ first: z.number(), summarised: z.number(), last: z.number() }).nullable(),
    automatic: z.enum(["on", "off", "stopped", "late"]),
    compactions: z.number(),
  })
  .meta({ id: "ContextReport" }) satisfies z.ZodType<ContextReport>;

const costSumShape = z
  .object({
    requests: z.number(),
    input_tokens: z.number(),
    output_tokens: z.number(),
    cache_read_tokens: z.number(),
    cache_write_tokens: z.number(),
    reasoning_tokens: z.number(),
    total_tokens: z.number(),
    cost_usd: z.number().nullable(),
    cost_status: z.enum(["unknown", "exact", "estimated", "partial"]),
  })
  .meta({ id: "CostSum" }) satisfies z.ZodType<CostSum>;

/** Schema of `CostReport`. */
export const costReportShape = z
  .object({
    scope: z.enum(["session", "today", "week", "all"]),
    session_id: sessionId.nullable(),
    since: z.string().nullable(),
    total: costSumShape,
    turns: z.array(
      costSumShape.extend({
        turn_id: turnId.nullable(),
        at: z.string(),
      }),
    ),
    by_model: z.array(
      costSumShape.extend({
        model: z.string(),
        provider: z.string(),
      }),
    ),
    by_slot: z.array(
      costSumShape.extend({
        slot: z.string(),
      }),
    ),
    by_child: z.array(
      costSumShape.extend({
        session_id: sessionId,
        title: z.string().nullable(),
      }),
    ),
    by_tool_result: z.array(z.object({ tool: z.string(), calls: z.number(), tokens: z.number() })),
  })
  .meta({ id: "CostReport" }) satisfies z.ZodType<CostReport>;

/** Schema of `InsightsReport`. */
export const insightsReportShape = z
  .object({
    days: z.number(),
    since: z.string(),
    total: costSumShape,
    sessions: z.number(),
    by_day: z.array(
      costSumShape.extend({
        day: z.string(),
      }),
    ),
    by_model: z.array(
      costSumShape.extend({
        model: z.string(),
        provider: z.string(),
      }),
    ),
    by_slot: z.array(
      costSumShape.extend({
        slot: z.string(),
      }),
    ),
    by_tool: z.array(z.object({ tool: z.string(), calls: z.number(), errors: z.number(), tokens: z.number() })),
  })
  .meta({ id: "InsightsReport" }) satisfies z.ZodType<InsightsReport>;
