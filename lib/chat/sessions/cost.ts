import type { Query, Store } from "../../../storage/store.js";
import * as sessions from "../../../storage/tables/sessions/records.js";
import * as usage from "../../../storage/tables/sessions/usage.js";
import { AppError } from "../../base/errors.js";
import type { Clock } from "../../base/time/clock.js";
import { type EpochMs, type SessionId, type TurnId, toIso } from "../../base/units.js";
import type { SessionRecord } from "../../contracts/chat/chat.js";
import type { CostReport, CostScope, InsightsReport } from "../../contracts/chat/usage.js";
import { toTokens } from "../tokens/estimate.js";
import { noSession } from "../transcript/session-record.js";
import { largestFirst, sumOf, sumUsageBy } from "./sums.js";

const DAY_MS = 86_400_000;
/** Conversations that one conversation has sent to work, with those that they have sent. */
const CHILDREN = 1_000;

/** What one conversation has used and cost, over all its segments. @throws E_NOT_FOUND */
export function sessionCost(store: Store, id: SessionId): Promise<CostReport> {
  return store.read(async (q) => {
    const session = await sessions.get(q, id);
    if (!session) throw noSession(id);
    const own = await usage.ofLineage(q, session.lineage_root);
    const children = await childrenOf(q, session.lineage_root);
    const all = [...withoutChildren(own), ...children.flatMap(({ rows }) => rows)];
    const results = await usage.resultsOfLineage(q, session.lineage_root);
    return {
      scope: "session",
      session_id: id,
      since: null,
      total: sumOf(all),
      turns: sumUsageBy(
        own,
        ({ turn_id }) => turn_id,
        ({ turn_id, at }) => ({ turn_id: turn_id === "" ? null : (turn_id as TurnId), at: toIso(at as EpochMs) }), // the store wrote them from these
      ),
      ...byModelAndSlot(all),
      by_child: children.map(({ child, rows }) => ({ session_id: child.id, title: child.title, ...sumOf(rows) })),
      by_tool_result: results.map(({ tool, calls, chars }) => ({ tool, calls, tokens: toTokens(chars) })),
    };
  });
}

/** What everything has cost since an instant. */
export async function costSince(store: Store, clock: Clock, scope: Exclude<CostScope, "session">): Promise<CostReport> {
  const from = beginOf(scope, clock.now());
  const rows = await store.read((q) => usage.since(q, from));
  return {
    scope,
    session_id: null,
    since: from === 0 ? null : toIso(from as EpochMs),
    total: sumOf(rows), // an instant before now
    turns: [],
    ...byModelAndSlot(rows),
    by_child: [],
    by_tool_result: [],
  };
}

/** Use over time, by day, model, side work and tool. */
export async function insights(store: Store, clock: Clock, days: number): Promise<InsightsReport> {
  if (!Number.isInteger(days) || days < 1 || days > 3_650)
    throw new AppError("E_INVALID", `invalid number of days: ${days}`, { hint: "use a whole number from 1 to 3650" });
  const from = beginOf("today", clock.now()) - (days - 1) * DAY_MS;
  const [rows, results] = await store.read(
    async (q) => [await usage.since(q, from), await usage.resultsSince(q, from)] as const,
  );
  return {
    days,
    since: toIso(from as EpochMs),
    total: sumOf(rows), // an instant before now
    sessions: new Set(rows.map(({ lineage_root }) => lineage_root)).size,
    by_day: sumUsageBy(
      rows,
      ({ at }) => localDay(at),
      ({ at }) => ({ day: localDay(at) }),
    ),
    ...byModelAndSlot(rows),
    by_tool: results.map(({ tool, calls, errors, chars }) => ({ tool, calls, errors, tokens: toTokens(chars) })),
  };
}

function byModelAndSlot(rows: readonly usage.UsageRow[]): Pick<CostReport, "by_model" | "by_slot"> {
  return {
    by_model: largestFirst(
      sumUsageBy(
        rows,
        ({ model, provider }) => `${provider}\n${model}`,
        ({ model, provider }) => ({ model, provider }),
      ),
    ),
    by_slot: largestFirst(
      sumUsageBy(
        rows.filter(({ slot }) => slot !== ""),
        ({ slot }) => slot,
        ({ slot }) => ({ slot }),
      ),
    ),
  };
}

/** What children used is counted under their own sessions. */
const withoutChildren = (rows: readonly usage.UsageRow[]): usage.UsageRow[] =>
  rows.filter(({ slot }) => slot !== usage.DELEGATE_SLOT);

async function childrenOf(q: Query, root: SessionId): Promise<{ child: SessionRecord; rows: usage.UsageRow[] }[]> {
  const roots = new Set<SessionId>([root]);
  const found: { child: SessionRecord; rows: usage.UsageRow[] }[] = [];
  for (const one of roots) {
    for (const child of await sessions.delegated(q, one)) {
      if (roots.has(child.lineage_root) || roots.size > CHILDREN) continue;
      roots.add(child.lineage_root);
      found.push({ child, rows: withoutChildren(await usage.ofLineage(q, child.lineage_root)) });
    }
  }
  return found;
}

/** Days begin at midnight where the program runs; a week is the last seven of them. */
function beginOf(scope: Exclude<CostScope, "session">, now: number): number {
  if (scope === "all") return 0;
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  return scope === "today" ? midnight : midnight - 6 * DAY_MS;
}

function localDay(at: number): string {
  const date = new Date(at);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
