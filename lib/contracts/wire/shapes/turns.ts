import * as z from "zod";
import type { Denied, TurnResult } from "../../chat/chat.js";
import { sessionId, turnId } from "./values.js";

const exitReason = z.enum([
  "text_response",
  "interrupted_by_user",
  "interrupted_during_api_call",
  "budget_exhausted",
  "max_iterations_reached",
  "cost_limit_reached",
  "time_limit_reached",
  "empty_response_exhausted",
  "all_retries_exhausted_no_response",
  "partial_stream_recovery",
  "fallback_prior_turn_content",
  "content_policy_blocked",
  "guardrail_halt",
  "invalid_tool_calls",
  "truncated",
  "context_too_small",
  "owner_stopped",
] as const);

const deniedShape = z
  .object({ tool: z.string(), preview: z.string(), rule_to_allow: z.string() })
  .meta({ id: "DeniedCall" }) satisfies z.ZodType<Denied>;

const counts = {
  input_tokens: z.number().describe("excluding cached tokens"),
  output_tokens: z.number(),
  cache_read_tokens: z.number(),
  cache_write_tokens: z.number(),
  reasoning_tokens: z.number(),
  total_tokens: z.number(),
  last_prompt_tokens: z.number(),
  context_window: z.number(),
};

const cost = {
  estimated_cost_usd: z.number().nullable().describe("null: not reported by the provider"),
  cost_status: z.enum(["exact", "estimated", "unknown"]),
  cost_source: z.enum(["provider", "list prices"]).nullable(),
};

/** Schema of `TurnResult`: event `turn.ended`, last line of `--json`. */
export const turnResultShape = z
  .object({
    final_response: z.string(),
    reasoning: z.string(),
    session_id: sessionId,
    lineage_root: sessionId,
    turn_id: turnId,
    completed: z.boolean().describe("the turn answered within its budget and without failure"),
    failed: z.boolean(),
    partial: z.boolean(),
    interrupted: z.boolean(),
    exit_reason: exitReason,
    api_calls: z.number(),
    tool_calls: z.number(),
    denied: z.array(deniedShape),
    files_changed: z.array(z.string()),
    files_not_changed: z.array(z.object({ path: z.string(), tool: z.string(), error: z.string() })),
    model: z.string(),
    provider: z.string(),
    base_url: z.string(),
    ...counts,
    ...cost,
    response_transformed: z.boolean().describe("a hook changed the answer"),
    duration_ms: z.number(),
    error: z
      .object({ class: z.string(), message: z.string(), hint: z.string(), retry_after_ms: z.number().exactOptional() })
      .exactOptional(),
    pending_steer: z.string().exactOptional().describe("unused steering messages; they are first in the queue"),
    compaction_exhausted: z.boolean().exactOptional(),
    budget: z.object({ used: z.number(), max: z.number() }).exactOptional(),
  })
  .meta({ id: "TurnResult" }) satisfies z.ZodType<TurnResult>;
