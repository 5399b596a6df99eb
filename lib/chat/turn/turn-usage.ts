import type { Ms, TurnId } from "../../base/units.js";
import type { Denied, ExitReason, SessionRecord, TurnResult } from "../../contracts/chat/chat.js";
import type { ModelChoice, ModelFailure, Replay, Usage } from "../../contracts/models/model.js";
import type { EndedCall } from "./interruption.js";

/** What one turn has used and done so far. */
export interface TurnUsage {
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

export function newTurnUsage(): TurnUsage {
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
export function addTurnUsage(turnUsage: TurnUsage, usage: Usage): number {
  turnUsage.input += usage.input;
  turnUsage.output += usage.output;
  turnUsage.cacheRead += usage.cacheRead;
  turnUsage.cacheWrite += usage.cacheWrite;
  turnUsage.reasoning += usage.reasoning;
  turnUsage.counted += 1;
  if (usage.costUsd !== undefined) {
    turnUsage.costUsd += usage.costUsd;
    turnUsage.priced += 1;
    if (usage.estimated === true) turnUsage.estimated += 1;
  }
  turnUsage.lastPrompt = usage.input + usage.cacheRead + usage.cacheWrite;
  return turnUsage.lastPrompt;
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
  /** Thread of another program that worked the turn, and the window that it told. */
  readonly thread?: string;
  readonly window?: number;
}

/** Ends that only a person or the end of the owner brought about. */
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
export function toResult(ending: TurnEnding, turnUsage: TurnUsage, facts: ResultFacts): TurnResult {
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
    api_calls: turnUsage.apiCalls,
    tool_calls: turnUsage.toolCalls,
    denied: turnUsage.denied,
    files_changed: [...turnUsage.changed],
    files_not_changed: [...turnUsage.notChanged].map(([path, { tool, error }]) => ({ path, tool, error })),
    model: facts.choice.model,
    provider: facts.choice.provider.id,
    base_url: facts.choice.provider.baseUrl,
    input_tokens: turnUsage.input,
    output_tokens: turnUsage.output,
    cache_read_tokens: turnUsage.cacheRead,
    cache_write_tokens: turnUsage.cacheWrite,
    reasoning_tokens: turnUsage.reasoning,
    total_tokens: turnUsage.input + turnUsage.output + turnUsage.cacheRead + turnUsage.cacheWrite,
    last_prompt_tokens: turnUsage.lastPrompt,
    context_window: ending.window ?? facts.choice.window,
    estimated_cost_usd: turnUsage.priced === 0 ? null : turnUsage.costUsd,
    cost_status:
      turnUsage.priced === 0
        ? "unknown"
        : turnUsage.priced < turnUsage.counted || turnUsage.estimated > 0
          ? "estimated"
          : "exact",
    cost_source: turnUsage.priced === 0 ? null : turnUsage.estimated > 0 ? "list prices" : "provider",
    response_transformed: false,
    duration_ms: Math.round(facts.durationMs),
    ...(ending.failure ? { error: errorOf(ending.failure) } : {}),
    ...(TOO_LARGE.has(ending.failure?.class ?? "") ? { compaction_exhausted: true } : {}),
    ...(ending.budget ? { budget: ending.budget } : {}),
    ...(ending.thread === undefined ? {} : { thread_id: ending.thread }),
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
