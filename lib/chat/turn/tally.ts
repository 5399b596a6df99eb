import type { Ms, TurnId } from "../../base/units.js";
import type { Denied, ExitReason, SessionRecord, TurnResult } from "../../contracts/chat/chat.js";
import type { ModelChoice, ModelFailure, Replay, Usage } from "../../contracts/models/model.js";
import type { EndedCall } from "./interruption.js";

/** What one turn has used and done so far. */
export interface TurnTally {
  apiCalls: number;
  toolCalls: number;
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  reasoning: number;
  lastPrompt: number;
  /** What the provider said its answers cost, in USD. */
  costUsd: number;
  /** Answers that came with a price. */
  priced: number;
  /** Of them, those whose cost comes from list prices. */
  estimated: number;
  /** Answers whose usage was counted. */
  counted: number;
  /** Characters of the texts that stand before calls, which are stored. */
  saidChars: number;
  /** Calls in the order in which they ended. */
  readonly calls: EndedCall[];
  readonly denied: Denied[];
  readonly changed: Set<string>;
  /** Path -> tool and first line of its error, for files that a call failed to change and no later one changed. */
  readonly notChanged: Map<string, { tool: string; error: string }>;
}

export function newTally(): TurnTally {
  return {
    apiCalls: 0,
    toolCalls: 0,
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    reasoning: 0,
    lastPrompt: 0,
    costUsd: 0,
    priced: 0,
    estimated: 0,
    counted: 0,
    saidChars: 0,
    calls: [],
    denied: [],
    changed: new Set(),
    notChanged: new Map(),
  };
}

/** Add the usage of one request. @returns prompt tokens of that request, cached ones included. */
export function addTurnUsage(tally: TurnTally, usage: Usage): number {
  tally.input += usage.input;
  tally.output += usage.output;
  tally.cacheRead += usage.cacheRead;
  tally.cacheWrite += usage.cacheWrite;
  tally.reasoning += usage.reasoning;
  tally.counted += 1;
  if (usage.costUsd !== undefined) {
    tally.costUsd += usage.costUsd;
    tally.priced += 1;
    if (usage.estimated === true) tally.estimated += 1;
  }
  tally.lastPrompt = usage.input + usage.cacheRead + usage.cacheWrite;
  return tally.lastPrompt;
}

/** How a turn ended. */
export interface TurnEnding {
  readonly reason: ExitReason;
  readonly answer: string;
  readonly reasoning?: string;
  /** The answer stands in the conversation already. */
  readonly stored?: boolean;
  /** Of an answer that was given in one piece. */
  readonly replay?: Replay;
  readonly failure?: Pick<ModelFailure, "message" | "retryAfterMs"> & {
    readonly class: string;
    readonly hint?: string;
  };
  /** Rounds of a turn that used them all. */
  readonly budget?: { readonly used: number; readonly max: number };
  readonly partial?: boolean;
}

/** Ends that nobody but a person or the end of the owner brought about. */
export const INTERRUPTED: readonly ExitReason[] = [
  "interrupted_by_user",
  "interrupted_during_api_call",
  "owner_stopped",
];
const BUDGET: readonly ExitReason[] = [
  "budget_exhausted",
  "max_iterations_reached",
  "time_limit_reached",
  "cost_limit_reached",
];

/** Failures that are left when no compaction helped. */
const TOO_LARGE: ReadonlySet<string> = new Set(["context_overflow", "payload_too_large", "long_context_tier"]);

export interface ResultFacts {
  readonly session: SessionRecord;
  readonly turn: TurnId;
  readonly choice: ModelChoice;
  readonly durationMs: Ms;
}

/** The result object of core part, 2.5. `completed`: there is an answer, no budget was spent, nothing failed. */
export function toResult(ending: TurnEnding, tally: TurnTally, facts: ResultFacts): TurnResult {
  const interrupted = INTERRUPTED.includes(ending.reason);
  const failed = ending.failure !== undefined;
  const spent = BUDGET.includes(ending.reason);
  return {
    final_response: ending.answer,
    reasoning: ending.reasoning ?? "",
    session_id: facts.session.id,
    lineage_root: facts.session.lineage_root,
    turn_id: facts.turn,
    completed: ending.answer !== "" && !spent && !failed && !interrupted,
    failed,
    partial: ending.partial ?? false,
    interrupted,
    exit_reason: ending.reason,
    api_calls: tally.apiCalls,
    tool_calls: tally.toolCalls,
    denied: tally.denied,
    files_changed: [...tally.changed],
    files_not_changed: [...tally.notChanged].map(([path, { tool, error }]) => ({ path, tool, error })),
    model: facts.choice.model,
    provider: facts.choice.provider.id,
    base_url: facts.choice.provider.baseUrl,
    input_tokens: tally.input,
    output_tokens: tally.output,
    cache_read_tokens: tally.cacheRead,
    cache_write_tokens: tally.cacheWrite,
    reasoning_tokens: tally.reasoning,
    total_tokens: tally.input + tally.output + tally.cacheRead + tally.cacheWrite,
    last_prompt_tokens: tally.lastPrompt,
    context_window: facts.choice.window,
    estimated_cost_usd: tally.priced === 0 ? null : tally.costUsd,
    cost_status:
      tally.priced === 0 ? "unknown" : tally.priced < tally.counted || tally.estimated > 0 ? "estimated" : "exact",
    cost_source: tally.priced === 0 ? null : tally.estimated > 0 ? "list prices" : "provider",
    response_transformed: false,
    duration_ms: Math.round(facts.durationMs),
    ...(ending.failure ? { error: errorOf(ending.failure) } : {}),
    ...(TOO_LARGE.has(ending.failure?.class ?? "") ? { compaction_exhausted: true } : {}),
    ...(ending.budget ? { budget: ending.budget } : {}),
  };
}

const errorOf = ({
  class: kind,
  message,
  hint = "",
  retryAfterMs,
}: NonNullable<TurnEnding["failure"]>): NonNullable<TurnResult["error"]> => ({
  class: kind,
  message,
  hint,
  ...(retryAfterMs === undefined ? {} : { retry_after_ms: retryAfterMs }),
});
