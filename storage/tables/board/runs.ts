import type { RunId, TaskId, UnixSeconds } from "../../../lib/base/units.js";
import type { RunOutcome, RunUsage, Verdict } from "../../../lib/contracts/board/board.js";
import type { Query, Tx } from "../../store.js";
import type { RunRow, RunTexts, UsageRow } from "./rows.js";

export interface NewRun {
  readonly task: TaskId;
  readonly profile: string;
  readonly lock: string;
  readonly tokenSha256: string;
  readonly expires: UnixSeconds;
  readonly maxRuntime: number | null;
  readonly at: UnixSeconds;
}

/** Open a run: the lease begins, and the claim is its first heartbeat. */
export async function openRun(tx: Tx, run: NewRun): Promise<RunId> {
  const [row] = await tx.all<{ id: RunId }>(
    `INSERT INTO runs (task_id, profile, claim_lock, token_sha256, claim_expires, max_runtime_seconds, last_heartbeat_at, started_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
    [run.task, run.profile, run.lock, run.tokenSha256, run.expires, run.maxRuntime, run.at, run.at],
  );
  if (row === undefined) throw new Error("an inserted run has an id");
  return row.id;
}

export interface RunClose {
  readonly outcome: RunOutcome;
  readonly at: UnixSeconds;
  readonly reason?: string | null;
  readonly verdict?: Verdict | null;
  readonly error?: string | null;
  readonly errorClass?: string | null;
  readonly exitCode?: number | null;
  readonly exitSignal?: string | null;
  readonly session?: string | null;
  readonly usage?: RunUsage | null;
}

/** A run of zero length, so that the handoff of an unclaimed task has a home. */
export async function closedRun(tx: Tx, task: TaskId, profile: string, close: RunClose): Promise<RunId> {
  const [row] = await tx.all<{ id: RunId }>(
    `INSERT INTO runs (task_id, profile, outcome, end_reason, verdict, last_heartbeat_at, started_at, ended_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
    [task, profile, close.outcome, close.reason ?? null, close.verdict ?? null, close.at, close.at, close.at],
  );
  if (row === undefined) throw new Error("an inserted run has an id");
  return row.id;
}

/** End an open run. False: it had ended before, and nothing was changed. Session and usage stay what they were unless given. */
export async function closeRun(tx: Tx, id: RunId, close: RunClose): Promise<boolean> {
  const usage = close.usage ?? null;
  const changed = await tx.run(
    `UPDATE runs SET outcome = ?, end_reason = ?, verdict = ?, error = ?, error_class = ?, exit_code = ?, exit_signal = ?, ended_at = ?,
       session_id = COALESCE(?, session_id), input_tokens = COALESCE(?, input_tokens), output_tokens = COALESCE(?, output_tokens),
       cached_tokens = COALESCE(?, cached_tokens), api_calls = COALESCE(?, api_calls), cost_usd = COALESCE(?, cost_usd),
       claim_lock = NULL, claim_expires = NULL, fenced_by = NULL
     WHERE id = ? AND ended_at IS NULL`,
    [
      close.outcome,
      close.reason ?? null,
      close.verdict ?? null,
      close.error ?? null,
      close.errorClass ?? null,
      close.exitCode ?? null,
      close.exitSignal ?? null,
      close.at,
      close.session ?? null,
      usage?.input_tokens ?? null,
      usage?.output_tokens ?? null,
      usage?.cached_tokens ?? null,
      usage?.api_calls ?? null,
      usage?.cost_usd ?? null,
      id,
    ],
  );
  return changed === 1;
}

/** Handoff texts of a run; those left out stay. */
export async function setRunTexts(
  tx: Tx,
  id: RunId,
  texts: { summary?: string | null; metadata?: string | null; report?: string },
): Promise<void> {
  const given = Object.entries(texts).filter((entry): entry is [string, string | null] => entry[1] !== undefined);
  if (given.length === 0) return;
  const names = given.map(([name]) => name);
  await tx.run(
    `INSERT INTO run_texts (run_id, ${names.join(", ")}) VALUES (?, ${names.map(() => "?").join(", ")})
     ON CONFLICT (run_id) DO UPDATE SET ${names.map((name) => `${name} = excluded.${name}`).join(", ")}`,
    [id, ...given.map(([, value]) => value)],
  );
}

/** Judge a completed run again. */
export async function setRunVerdict(tx: Tx, id: RunId, verdict: Verdict): Promise<void> {
  await tx.run("UPDATE runs SET verdict = ? WHERE id = ?", [verdict, id]);
}

/** What a worker said about its own failure, as JSON. */
export async function reportOf(q: Query, id: RunId): Promise<string | null> {
  const row = await q.get<{ report: string | null }>("SELECT report FROM run_texts WHERE run_id = ?", [id]);
  return row?.report ?? null;
}

const WITH_TEXTS = "SELECT r.*, x.summary, x.metadata FROM runs r LEFT JOIN run_texts x ON x.run_id = r.id";

export async function getRun(q: Query, id: number): Promise<RunRow | undefined> {
  return q.get<RunRow>("SELECT * FROM runs WHERE id = ?", [id]);
}

/** One run with its texts. */
export async function runById(q: Query, id: number): Promise<(RunRow & RunTexts) | undefined> {
  return q.get<RunRow & RunTexts>(`${WITH_TEXTS} WHERE r.id = ?`, [id]);
}

/** Lease and heartbeat of an open run. */
export async function beatRun(tx: Tx, id: RunId, expires: UnixSeconds, at: UnixSeconds): Promise<boolean> {
  return (
    (await tx.run("UPDATE runs SET claim_expires = ?, last_heartbeat_at = ? WHERE id = ? AND ended_at IS NULL", [
      expires,
      at,
      id,
    ])) === 1
  );
}

/** Lease of an open run, when it still ends at `was`. The heartbeat stays: only the worker beats. */
export async function extendRun(tx: Tx, id: RunId, was: UnixSeconds | null, expires: UnixSeconds): Promise<boolean> {
  const same = was === null ? "claim_expires IS NULL" : "claim_expires = ?";
  const args = was === null ? [expires, id] : [expires, id, was];
  return (await tx.run(`UPDATE runs SET claim_expires = ? WHERE id = ? AND ended_at IS NULL AND ${same}`, args)) === 1;
}

/** Identity of the process that leads the worker. */
export async function bindRun(
  tx: Tx,
  id: RunId,
  worker: { pid: number; start: string; boot: string; host: string },
): Promise<boolean> {
  return (
    (await tx.run(
      "UPDATE runs SET worker_pid = ?, worker_start = ?, boot_id = ?, host_id = ? WHERE id = ? AND ended_at IS NULL",
      [worker.pid, worker.start, worker.boot, worker.host, id],
    )) === 1
  );
}

/** Raise or lift the fence of an open run. From then on operations of its worker are refused by the owner instance that raised it. */
export async function fenceRun(tx: Tx, id: RunId, by: string | null): Promise<boolean> {
  return (await tx.run("UPDATE runs SET fenced_by = ? WHERE id = ? AND ended_at IS NULL", [by, id])) === 1;
}

/** Mark that `stuck` was written. False: it was before. */
export async function markStuck(tx: Tx, id: RunId): Promise<boolean> {
  return (await tx.run("UPDATE runs SET stuck = 1 WHERE id = ? AND stuck = 0", [id])) === 1;
}

/** Conversation and usage of an open run, as the worker reports them. */
export async function noteRun(tx: Tx, id: RunId, session: string | null, usage: RunUsage | null): Promise<void> {
  await tx.run(
    `UPDATE runs SET session_id = COALESCE(?, session_id), input_tokens = COALESCE(?, input_tokens),
       output_tokens = COALESCE(?, output_tokens), cached_tokens = COALESCE(?, cached_tokens), api_calls = COALESCE(?, api_calls),
       cost_usd = COALESCE(?, cost_usd) WHERE id = ?`,
    [
      session,
      usage?.input_tokens ?? null,
      usage?.output_tokens ?? null,
      usage?.cached_tokens ?? null,
      usage?.api_calls ?? null,
      usage?.cost_usd ?? null,
      id,
    ],
  );
}

/** Runs of a task, oldest first. */
export async function runsOf(q: Query, task: TaskId): Promise<(RunRow & RunTexts)[]> {
  return q.all<RunRow & RunTexts>(`${WITH_TEXTS} WHERE r.task_id = ? ORDER BY r.id`, [task]);
}

export interface OpenRunRow extends RunRow {
  readonly assignee: string | null;
  readonly external: number;
  readonly workspace_kind: string;
  readonly workspace_path: string | null;
}

const OPEN = `SELECT r.*, t.assignee, t.external, t.workspace_kind, t.workspace_path FROM runs r JOIN tasks t ON t.id = r.task_id
  WHERE r.ended_at IS NULL`;

/** Every open run with what its supervisor needs, oldest first. */
export async function openRuns(q: Query): Promise<OpenRunRow[]> {
  // In order of id the engine would walk through every run there ever was.
  return (await q.all<OpenRunRow>(OPEN)).toSorted((a, b) => a.id - b.id);
}

export async function openRunById(q: Query, id: RunId): Promise<OpenRunRow | undefined> {
  return q.get<OpenRunRow>(`${OPEN} AND r.id = ?`, [id]);
}

/** Summary and metadata of the newest completed run of a task. */
export async function latestCompleted(q: Query, task: TaskId): Promise<(RunRow & RunTexts) | undefined> {
  return q.get<RunRow & RunTexts>(
    `${WITH_TEXTS} WHERE r.task_id = ? AND r.outcome = 'completed' ORDER BY r.id DESC LIMIT 1`,
    [task],
  );
}

/** Outcomes of the newest closed runs of a task, newest first. */
export async function lastOutcomes(
  q: Query,
  task: TaskId,
  limit: number,
): Promise<{ outcome: RunOutcome; end_reason: string | null }[]> {
  return q.all(
    "SELECT outcome, end_reason FROM runs WHERE task_id = ? AND ended_at IS NOT NULL ORDER BY id DESC LIMIT ?",
    [task, limit],
  );
}

/** Newest completed runs of a profile on other tasks. */
export async function workOf(
  q: Query,
  profile: string,
  except: TaskId,
  limit: number,
): Promise<{ task_id: TaskId; title: string; summary: string | null; ended_at: UnixSeconds }[]> {
  return q.all(
    `SELECT r.task_id, t.title, x.summary, r.ended_at FROM runs r JOIN tasks t ON t.id = r.task_id LEFT JOIN run_texts x ON x.run_id = r.id
     WHERE r.profile = ? AND r.task_id <> ? AND r.outcome = 'completed' ORDER BY r.id DESC LIMIT ?`,
    [profile, except, limit],
  );
}

const SUMS = `SUM(input_tokens) AS input_tokens, SUM(output_tokens) AS output_tokens, SUM(cached_tokens) AS cached_tokens,
  SUM(api_calls) AS api_calls, SUM(cost_usd) AS cost_usd`;

/** Usage of one task over all its runs. */
export async function usageOf(q: Query, task: TaskId): Promise<UsageRow | undefined> {
  return q.get<UsageRow>(`SELECT ${SUMS} FROM runs WHERE task_id = ?`, [task]);
}

/** Usage by task, of tasks that have any. */
export async function usageByTask(
  q: Query,
  ids: readonly string[] | undefined,
): Promise<(UsageRow & { task_id: TaskId })[]> {
  const only = ids === undefined ? "" : ` AND task_id IN (${ids.map(() => "?").join(", ")})`;
  return q.all(`SELECT task_id, ${SUMS} FROM runs WHERE api_calls IS NOT NULL${only} GROUP BY task_id`, ids ?? []);
}

/** Usage by profile, of profiles that have any. */
export async function usageByProfile(q: Query): Promise<(UsageRow & { profile: string })[]> {
  return q.all(`SELECT profile, ${SUMS} FROM runs WHERE api_calls IS NOT NULL GROUP BY profile ORDER BY profile`);
}

export interface RecentRunRow extends RunRow {
  readonly title: string;
}

/** How far back in the order of their beginnings runs are looked for that have ended. */
const LOOKED_AT = 500;

/** Open runs, and of the newest ones those that ended since `since`, with the titles of their tasks; newest last. */
export async function recentRuns(q: Query, since: UnixSeconds): Promise<RecentRunRow[]> {
  const select = "SELECT r.*, t.title FROM runs r JOIN tasks t ON t.id = r.task_id WHERE";
  const open = await q.all<RecentRunRow>(`${select} r.ended_at IS NULL`);
  const ended = await q.all<RecentRunRow>(
    `${select} r.id > (SELECT COALESCE(MAX(id), 0) FROM runs) - ? AND r.ended_at >= ?`,
    [LOOKED_AT, since],
  );
  return [...open, ...ended].toSorted((a, b) => a.id - b.id);
}
