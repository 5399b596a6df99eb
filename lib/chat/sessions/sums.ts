import type { UsageRow } from "../../../storage/tables/sessions/usage.js";
import type { CostSum } from "../../contracts/chat/usage.js";

/** Requests added up. An unknown price is never 0. */
export function sumOf(rows: readonly UsageRow[]): CostSum {
  const of = (name: "requests" | "unpriced" | "estimated" | TokenName) => rows.reduce((sum, row) => sum + row[name], 0);
  const requests = of("requests");
  const unpriced = of("unpriced");
  const estimated = of("estimated");
  const priced = rows.some(({ cost_usd }) => cost_usd !== null);
  const tokens = {
    input_tokens: of("input_tokens"),
    output_tokens: of("output_tokens"),
    cache_read_tokens: of("cache_read_tokens"),
    cache_write_tokens: of("cache_write_tokens"),
  };
  return {
    requests,
    ...tokens,
    reasoning_tokens: of("reasoning_tokens"),
    total_tokens: Object.values(tokens).reduce((sum, count) => sum + count, 0),
    cost_usd: priced ? rows.reduce((sum, row) => sum + (row.cost_usd ?? 0), 0) : null,
    cost_status: !priced ? "unknown" : unpriced > 0 ? "partial" : estimated > 0 ? "estimated" : "exact",
  };
}

type TokenName = "input_tokens" | "output_tokens" | "cache_read_tokens" | "cache_write_tokens" | "reasoning_tokens";

/** The rows by a key, each with its sum, in the order in which they first come. */
export function sumUsageBy<T extends object>(
  rows: readonly UsageRow[],
  keyOf: (row: UsageRow) => string,
  named: (row: UsageRow) => T,
): (CostSum & T)[] {
  const by = new Map<string, UsageRow[]>();
  for (const row of rows) {
    const own = by.get(keyOf(row)) ?? [];
    own.push(row);
    by.set(keyOf(row), own);
  }
  return [...by.values()].flatMap((own) => (own[0] === undefined ? [] : [{ ...named(own[0]), ...sumOf(own) }]));
}

/** Most tokens first. */
export const largestFirst = <T extends CostSum>(rows: readonly T[]): T[] =>
  rows.toSorted((a, b) => b.total_tokens - a.total_tokens);
