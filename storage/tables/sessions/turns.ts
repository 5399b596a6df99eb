import type { EpochMs, SessionId, TurnId } from "../../../lib/base/units.js";
import type { OpenTurn } from "../../../lib/contracts/chat/chat.js";
import type { EndedTurn } from "../../../lib/contracts/chat/work.js";
import type { Usage } from "../../../lib/contracts/models/model.js";
import type { Query, Row, Step, Tx, Value } from "../../store.js";

/**
 * Count the next turn of a session, which opens it again. A segment that a compaction has closed stays closed.
 *
 * @returns its id, or undefined for an unknown session or one that cannot have one
 */
export async function nextTurn(
  tx: Tx,
  session: SessionId,
  at: EpochMs,
): Promise<{ turn: TurnId; first: boolean } | undefined> {
  const row = await tx.get(
    `UPDATE sessions SET turn_count = turn_count + 1, last_active_at = ?, ended_at = NULL, end_reason = NULL
     WHERE id = ? AND COALESCE(end_reason, '') NOT IN ('compaction', 'compaction_undone') RETURNING turn_count`,
    [at, session],
  );
  if (row === undefined) return undefined;
  return { turn: `${session}:${Number(row["turn_count"])}` as TurnId, first: row["turn_count"] === 1 }; // the form that the brand stands for
}

export interface NewTurn {
  readonly turn: TurnId;
  readonly session: SessionId;
  readonly at: EpochMs;
  /** Run of the worker that works on it. */
  readonly run: number | null;
}

/** @throws E_CONFLICT when another turn of the session is open */
export async function open(tx: Tx, { turn, session, at, run }: NewTurn): Promise<void> {
  await tx.run("INSERT INTO turns (turn_id, session_id, started_at, run_id) VALUES (?, ?, ?, ?)", [
    turn,
    session,
    at,
    run,
  ]);
}

export async function openTurn(q: Query, session: SessionId): Promise<OpenTurn | undefined> {
  const [found] = await turnsWhere(q, "session_id = ? AND ended_at IS NULL", [session]);
  return found;
}

/** Every turn that was not closed. */
export async function openTurns(q: Query): Promise<OpenTurn[]> {
  return turnsWhere(q, "ended_at IS NULL ORDER BY started_at, turn_id", []);
}

async function turnsWhere(q: Query, where: string, args: readonly Value[]): Promise<OpenTurn[]> {
  const rows = await q.all<Row & OpenTurn>(
    `SELECT turn_id, session_id, started_at, draft, run_id FROM turns WHERE ${where}`,
    args,
  );
  return rows;
}

/** How the newest turn of a session ended; undefined: it goes on, or does not exist. */
export async function lastEnding(q: Query, session: SessionId): Promise<string | undefined> {
  const row = await q.get(
    "SELECT exit_reason FROM turns WHERE session_id = ? ORDER BY started_at DESC, turn_id DESC LIMIT 1",
    [session],
  );
  return typeof row?.["exit_reason"] === "string" ? row["exit_reason"] : undefined;
}

/** Those of these turns that have ended, with what their requests used. @param sessions segments of one conversation in which they ran */
export async function ended(q: Query, sessions: readonly SessionId[], turns: readonly TurnId[]): Promise<EndedTurn[]> {
  if (sessions.length === 0 || turns.length === 0) return [];
  const marks = (values: readonly string[]) => values.map(() => "?").join(", ");
  return q.all<Row & EndedTurn>(
    `SELECT t.turn_id, COALESCE((SELECT a.model FROM turn_usage a WHERE a.turn_id = t.turn_id AND a.slot = ''
         AND a.session_id IN (${marks(sessions)}) ORDER BY a.at DESC, a.rowid DESC LIMIT 1), '') AS model, t.started_at, t.ended_at, COALESCE(SUM(u.input_tokens), 0) AS input_tokens,
       COALESCE(SUM(u.output_tokens), 0) AS output_tokens, COALESCE(SUM(u.cache_read_tokens), 0) AS cache_read_tokens,
       COALESCE(SUM(u.cache_write_tokens), 0) AS cache_write_tokens, SUM(u.cost_usd) AS cost_usd
     FROM turns t LEFT JOIN turn_usage u ON u.turn_id = t.turn_id AND u.slot = '' AND u.session_id IN (${marks(sessions)})
     WHERE t.turn_id IN (${marks(turns)}) AND t.ended_at IS NOT NULL GROUP BY t.turn_id`,
    [...sessions, ...sessions, ...turns],
  );
}

/** First step of every script that writes into a turn: changes nothing, and fails the script, when the turn has ended. */
export function mustBeOpen(session: SessionId, turn: TurnId): Step {
  return {
    sql: "UPDATE turns SET draft = '' WHERE turn_id = ? AND session_id = ? AND ended_at IS NULL",
    args: [turn, session],
    expect: 1,
  };
}

/** A draft that comes after the end of its turn is void. */
export function draftStep(turn: TurnId, text: string): Step {
  return { sql: "UPDATE turns SET draft = ? WHERE turn_id = ? AND ended_at IS NULL", args: [text, turn] };
}

/** @returns false when it had ended already */
export async function close(tx: Tx, turn: TurnId, reason: string, at: EpochMs): Promise<boolean> {
  const changed = await tx.run(
    "UPDATE turns SET ended_at = ?, exit_reason = ?, draft = '' WHERE turn_id = ? AND ended_at IS NULL",
    [at, reason, turn],
  );
  return changed === 1;
}

/** The open turn goes on in another segment of its lineage. @throws E_CONFLICT when a turn is open there */
export async function move(tx: Tx, turn: TurnId, to: SessionId): Promise<void> {
  await tx.run("UPDATE turns SET session_id = ? WHERE turn_id = ? AND ended_at IS NULL", [to, turn]);
}

export interface OpenCall {
  readonly call_id: string;
  readonly tool_name: string;
  readonly ordinal: number;
}

/** Calls of a turn that have no result yet, in their order. */
export async function openCalls(q: Query, turn: TurnId): Promise<OpenCall[]> {
  return q.all<Row & OpenCall>(
    "SELECT call_id, tool_name, ordinal FROM open_calls WHERE turn_id = ? ORDER BY ordinal",
    [turn],
  );
}

/** Counters of one model request. */
export function usageStep(session: SessionId, usage: Usage, promptTokens: number): Step {
  return {
    sql: `UPDATE sessions SET api_call_count = api_call_count + 1, input_tokens = input_tokens + ?, output_tokens = output_tokens + ?,
      cache_read_tokens = cache_read_tokens + ?, cache_write_tokens = cache_write_tokens + ?, reasoning_tokens = reasoning_tokens + ?,
      last_prompt_tokens = ?,
      estimated_cost_usd = CASE WHEN ? IS NULL THEN estimated_cost_usd ELSE COALESCE(estimated_cost_usd, 0) + ? END WHERE id = ?`,
    args: [
      usage.input,
      usage.output,
      usage.cacheRead,
      usage.cacheWrite,
      usage.reasoning,
      promptTokens,
      usage.costUsd ?? null,
      usage.costUsd ?? null,
      session,
    ],
  };
}

/** Execute the steps of a script inside an open transaction. @returns their rows */
export async function apply(tx: Tx, steps: readonly Step[]): Promise<Row[][]> {
  const rows: Row[][] = [];
  for (const step of steps) {
    const args = step.args.map((arg) =>
      typeof arg === "object" && arg !== null ? (rows[arg.from]?.[0]?.[arg.column] ?? null) : arg,
    );
    const returning = step.sql.includes("RETURNING");
    const found = returning ? await tx.all(step.sql, args) : [];
    if (!returning) await tx.run(step.sql, args);
    rows.push(found);
  }
  return rows;
}
