/** What fills a conversation's window, and what it has cost (core part, 14.3). */
import type { SessionId, TurnId } from "../../base/units.js";

/** One thing in the next request. */
export interface ContextPart {
  readonly group: "system" | "tools" | "messages";
  readonly name: string;
  readonly tokens: number;
}

/** Counters of the newest request, as the provider told them. */
export interface LastRequest {
  readonly fresh: number;
  readonly cached_read: number;
  readonly cached_write: number;
  readonly reasoning: number;
  readonly output: number;
  /** Share of the prompt that the provider had cached, 0 to 1. */
  readonly cache_share: number;
}

export interface ContextReport {
  readonly session_id: SessionId;
  readonly lineage_root: SessionId;
  readonly model: string;
  readonly provider: string;
  readonly window: number;
  /** Size at which the conversation is compacted. */
  readonly trigger: number;
  /** Tokens of the next request; the sum of the parts. */
  readonly total: number;
  /** Of the window. */
  readonly percent: number;
  readonly free: number;
  /** A provider has counted most of the total. Single parts are always estimates. */
  readonly exact: boolean;
  readonly parts: readonly ContextPart[];
  /** Null before the first answer, and where the provider tells nothing. */
  readonly last_request: LastRequest | null;
  /** The largest messages. */
  readonly largest: readonly {
    readonly id: number;
    readonly role: string;
    readonly tool: string | null;
    readonly tokens: number;
  }[];
  /** What a compaction would do now; null: there is nothing to take out. */
  readonly compaction: { readonly first: number; readonly summarised: number; readonly last: number } | null;
  /** Whether a compaction comes by itself: `off` by setting, `stopped` because it did not help, `late` after an undo. */
  readonly automatic: "on" | "off" | "stopped" | "late";
  readonly compactions: number;
}

/** Tokens by kind, and their price. */
export interface CostSum {
  readonly requests: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
  readonly reasoning_tokens: number;
  readonly total_tokens: number;
  /** Known price in USD; null when none is known. */
  readonly cost_usd: number | null;
  /** `partial`: the price of some requests is not known. `estimated`: some are counted by list prices, because their provider reports none. */
  readonly cost_status: "exact" | "estimated" | "partial" | "unknown";
}

export type CostRow<K extends string> = CostSum & Readonly<Record<K, string>>;
export type CostScope = "session" | "today" | "week" | "all";

export interface CostReport {
  readonly scope: CostScope;
  readonly session_id: SessionId | null;
  /** ISO 8601; null: from the beginning. */
  readonly since: string | null;
  readonly total: CostSum;
  /** Of a session only. */
  readonly turns: readonly (CostSum & { readonly turn_id: TurnId | null; readonly at: string })[];
  readonly by_model: readonly CostRow<"model" | "provider">[];
  /** Side work. */
  readonly by_slot: readonly CostRow<"slot">[];
  /** Of a session only: conversations that it has sent to work. */
  readonly by_child: readonly (CostSum & { readonly session_id: SessionId; readonly title: string | null })[];
  /** Of a session only: what results of tools have put into the conversation, in tokens as estimated. */
  readonly by_tool_result: readonly { readonly tool: string; readonly calls: number; readonly tokens: number }[];
}

export interface InsightsReport {
  readonly days: number;
  readonly since: string;
  readonly total: CostSum;
  readonly sessions: number;
  readonly by_day: readonly CostRow<"day">[];
  readonly by_model: readonly CostRow<"model" | "provider">[];
  readonly by_slot: readonly CostRow<"slot">[];
  readonly by_tool: readonly {
    readonly tool: string;
    readonly calls: number;
    readonly errors: number;
    readonly tokens: number;
  }[];
}

export interface UsageApi {
  /** What fills the next request of a conversation. Changes nothing. */
  context(id: SessionId): Promise<ContextReport>;
  /** @param id needed for the scope `session` */
  cost(scope: CostScope, id?: SessionId): Promise<CostReport>;
  insights(days: number): Promise<InsightsReport>;
}
