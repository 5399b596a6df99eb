import type { SessionId, TurnId } from "../../../lib/base/units.js";
import type { Usage } from "../../../lib/contracts/models/model.js";
import type { Query, Row, Step } from "../../store.js";

/** One request whose counters are kept. */
export interface Used {
  readonly session: SessionId;
  /** "": it belongs to no turn. */
  readonly turn: TurnId | "";
  readonly at: number;
  readonly usage: Usage;
}

/** Slot of what children of a conversation used: their parent's price holds it, and it stands under their own sessions as well. */
export const DELEGATE_SLOT = "delegate";

/** Side work of a conversation, and the model that did it. */
export interface SideUsed extends Used {
  readonly slot: string;
  readonly model: string;
  readonly provider: string;
}

const COUNT = `ON CONFLICT (session_id, turn_id, slot, model, provider) DO UPDATE SET requests = requests + 1,
  input_tokens = input_tokens + excluded.input_tokens, output_tokens = output_tokens + excluded.output_tokens,
  cache_read_tokens = cache_read_tokens + excluded.cache_read_tokens, cache_write_tokens = cache_write_tokens + excluded.cache_write_tokens,
  reasoning_tokens = reasoning_tokens + excluded.reasoning_tokens, unpriced = unpriced + excluded.unpriced, at = excluded.at,
  estimated = estimated + excluded.estimated,
  cost_usd = CASE WHEN excluded.cost_usd IS NULL THEN cost_usd ELSE COALESCE(cost_usd, 0) + excluded.cost_usd END`;

/** A request of the conversation itself; its model is the one of the session. */
export function mainUsageStep({ session, turn, at, usage }: Used): Step {
  return {
    sql: `INSERT INTO turn_usage SELECT id, ?, '', model, provider, lineage_root, ?, 1, ?, ?, ?, ?, ?, ?, ?, ? FROM sessions WHERE id = ? ${COUNT}`,
    args: [turn, at, ...counters(usage), session],
  };
}

/** A request of side work: counted under its slot, and its price in the cost of the session. */
export function sideUsageSteps({ session, turn, at, usage, slot, model, provider }: SideUsed): Step[] {
  return [
    {
      sql: `INSERT INTO turn_usage SELECT id, ?, ?, ?, ?, lineage_root, ?, 1, ?, ?, ?, ?, ?, ?, ?, ? FROM sessions WHERE id = ? ${COUNT}`,
      args: [turn, slot, model, provider, at, ...counters(usage), session],
    },
    {
      sql: "UPDATE sessions SET estimated_cost_usd = CASE WHEN ? IS NULL THEN estimated_cost_usd ELSE COALESCE(estimated_cost_usd, 0) + ? END WHERE id = ?",
      args: [usage.costUsd ?? null, usage.costUsd ?? null, session],
    },
  ];
}

const counters = ({ input, output, cacheRead, cacheWrite, reasoning, costUsd, estimated }: Usage) => [
  input,
  output,
  cacheRead,
  cacheWrite,
  reasoning,
  costUsd ?? null,
  costUsd === undefined ? 1 : 0,
  costUsd !== undefined && estimated === true ? 1 : 0,
];

/** What the requests of one kind in one turn used. */
export interface UsageRow {
  readonly session_id: SessionId;
  readonly turn_id: string;
  readonly slot: string;
  readonly model: string;
  readonly provider: string;
  readonly lineage_root: SessionId;
  /** Of the newest request. */
  readonly at: number;
  readonly requests: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
  readonly reasoning_tokens: number;
  /** Null when no price of them is known. */
  readonly cost_usd: number | null;
  readonly unpriced: number;
  /** Requests whose cost comes from list prices. */
  readonly estimated: number;
}

/** Of a lineage, oldest first. Its children's use is among it, in the slot `delegate`. */
export async function ofLineage(q: Query, root: string): Promise<UsageRow[]> {
  return q.all<Row & UsageRow>("SELECT * FROM turn_usage WHERE lineage_root = ? ORDER BY at, session_id, turn_id", [
    root,
  ]);
}

/** Of everything since an instant, oldest first. What children used stands under their own sessions, so it is left out of their parents'. */
export async function since(q: Query, from: number): Promise<UsageRow[]> {
  return q.all<Row & UsageRow>(
    "SELECT * FROM turn_usage WHERE at >= ? AND slot <> ? ORDER BY at, session_id, turn_id",
    [from, DELEGATE_SLOT],
  );
}

/** What results of one tool have put into conversations. */
export interface ToolResults {
  readonly tool: string;
  readonly calls: number;
  readonly errors: number;
  readonly chars: number;
}

const RESULTS = `SELECT COALESCE(tool_name, 'tool') AS tool, count(*) AS calls, sum(COALESCE(status, 'ok') = 'error') AS errors,
  sum(length(content)) AS chars FROM messages WHERE role = 'tool' AND copied_from IS NULL`;

/** Of one lineage, the largest first. */
export async function resultsOfLineage(q: Query, root: string): Promise<ToolResults[]> {
  return q.all<Row & ToolResults>(
    `${RESULTS} AND session_id IN (SELECT id FROM sessions WHERE lineage_root = ?) GROUP BY 1 ORDER BY chars DESC, tool`,
    [root],
  );
}

/** Of everything since an instant, the most used first. */
export async function resultsSince(q: Query, from: number): Promise<ToolResults[]> {
  return q.all<Row & ToolResults>(`${RESULTS} AND created_at >= ? GROUP BY 1 ORDER BY calls DESC, tool`, [from]);
}

/** Known cost of all segments of a lineage in USD. */
export async function lineageCost(q: Query, root: string): Promise<number> {
  const row = await q.get("SELECT SUM(estimated_cost_usd) AS cost FROM sessions WHERE lineage_root = ?", [root]);
  return Number(row?.["cost"] ?? 0);
}
