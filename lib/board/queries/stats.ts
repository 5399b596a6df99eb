import { readySince } from "../../../storage/tables/board/cards.js";
import { toUsage, type UsageRow } from "../../../storage/tables/board/rows.js";
import { usageByProfile } from "../../../storage/tables/board/runs.js";
import { counts } from "../../../storage/tables/board/tasks.js";
import { type BoardSlug, toUnix } from "../../base/units.js";
import type { BoardStats } from "../../contracts/board/api.js";
import type { RunUsage } from "../../contracts/board/board.js";
import type { Core } from "../core/core.js";
import { noStatuses } from "./read.js";

const ZERO: RunUsage = { input_tokens: 0, output_tokens: 0, cached_tokens: 0, api_calls: 0, cost_usd: null };

/** Counts, waiting time and usage of a board (board part, 10.4). */
export async function stats(core: Core, board: BoardSlug): Promise<BoardStats> {
  const store = await core.reading(board);
  const now = toUnix(core.clock.now());
  const found = await store?.read(async (q) => ({
    counted: await counts(q),
    oldest: await readySince(q),
    usage: await usageByProfile(q),
  }));
  const by_status = noStatuses();
  const by_assignee: Record<string, Record<string, number>> = {};
  for (const { status, assignee, count } of found?.counted ?? []) {
    by_status[status] += count;
    const name = assignee ?? "(unassigned)";
    by_assignee[name] = { ...by_assignee[name], [status]: count };
  }
  const oldest = found?.oldest ?? null;
  return {
    by_status,
    by_assignee,
    oldest_ready_age_seconds: oldest === null ? null : Math.max(0, now - oldest),
    usage: sums(found?.usage ?? []),
    now,
  };
}

function sums(rows: readonly (UsageRow & { profile: string })[]): BoardStats["usage"] {
  const by_assignee: Record<string, RunUsage> = {};
  let total: RunUsage = { ...ZERO, cost_usd: rows.length === 0 ? 0 : null };
  for (const row of rows) {
    const usage = toUsage(row) ?? ZERO;
    by_assignee[row.profile] = usage;
    total = add(total, usage);
  }
  return { total, by_assignee };
}

function add(a: RunUsage, b: RunUsage): RunUsage {
  return {
    input_tokens: a.input_tokens + b.input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    cached_tokens: a.cached_tokens + b.cached_tokens,
    api_calls: a.api_calls + b.api_calls,
    cost_usd: addCost(a.cost_usd, b.cost_usd),
  };
}

const addCost = (a: number | null, b: number | null): number | null => (a === null ? b : a + (b ?? 0));
