import type { EpochMs, SessionId } from "../../../lib/base/units.js";
import type { CronRun, RunStatus } from "../../../lib/contracts/gateway/cron.js";
import type { Query, Tx } from "../../store.js";

/** A run as it lies in the store. */
export type RunRow = Omit<CronRun, "delivery_ids"> & { readonly seq: number; readonly delivery_ids: string | null };

const FIELDS = ["id", "job_id", "cause", "scheduled_for", "missed", "made_at", "ended_at", "status"] as const;

export type NewRun = Pick<RunRow, (typeof FIELDS)[number]>;

/** Store a run. False: its slot has one already. */
export async function insertRun(tx: Tx, run: NewRun): Promise<boolean> {
  if (run.cause === "schedule") {
    const sql = "SELECT id FROM cron_runs WHERE job_id = ? AND scheduled_for = ? AND cause = 'schedule'";
    if ((await tx.get(sql, [run.job_id, run.scheduled_for])) !== undefined) return false;
  }
  await tx.run(
    `INSERT INTO cron_runs (${FIELDS.join(", ")}) VALUES (${FIELDS.map(() => "?").join(", ")})`,
    FIELDS.map((field) => run[field]),
  );
  return true;
}

export async function getRun(q: Query, id: string): Promise<RunRow | undefined> {
  return q.get<RunRow>("SELECT * FROM cron_runs WHERE id = ?", [id]);
}

/** Runs that wait for their turn, the earliest slot first. */
export async function queuedRuns(q: Query): Promise<RunRow[]> {
  return q.all<RunRow>("SELECT * FROM cron_runs WHERE status = 'queued' ORDER BY scheduled_for, seq");
}

export async function runningRuns(q: Query): Promise<RunRow[]> {
  return q.all<RunRow>("SELECT * FROM cron_runs WHERE status = 'running' ORDER BY scheduled_for, seq");
}

/** A queued run begins. False: it is not queued any more. */
export async function beginRun(tx: Tx, id: string, now: EpochMs): Promise<boolean> {
  return (
    (await tx.run("UPDATE cron_runs SET status = 'running', started_at = ? WHERE id = ? AND status = 'queued'", [
      now,
      id,
    ])) === 1
  );
}

/** What a run ended with. */
export interface RunEnd {
  readonly status: RunStatus;
  readonly error: string | null;
  readonly session_id: SessionId | null;
  readonly output_path: string | null;
  readonly delivery_ids: readonly string[];
}

/** A running run ends. False: it has ended before, or its job was removed. */
export async function endRun(tx: Tx, id: string, end: RunEnd, now: EpochMs): Promise<boolean> {
  const sql = `UPDATE cron_runs SET status = ?, error = ?, session_id = ?, output_path = ?, delivery_ids = ?, ended_at = ?
    WHERE id = ? AND status = 'running'`;
  const ids = end.delivery_ids.length === 0 ? null : JSON.stringify(end.delivery_ids);
  return (await tx.run(sql, [end.status, end.error, end.session_id, end.output_path, ids, now, id])) === 1;
}

/** Runs of a job, the newest first. */
export async function runsOf(q: Query, job: string, limit: number): Promise<RunRow[]> {
  return q.all<RunRow>("SELECT * FROM cron_runs WHERE job_id = ? ORDER BY seq DESC LIMIT ?", [job, limit]);
}

/** Forget all but the newest `keep` runs of a job. */
export async function pruneRuns(tx: Tx, job: string, keep: number): Promise<void> {
  const sql = `DELETE FROM cron_runs WHERE job_id = ? AND status NOT IN ('queued', 'running')
    AND seq <= (SELECT seq FROM cron_runs WHERE job_id = ? ORDER BY seq DESC LIMIT 1 OFFSET ?)`;
  await tx.run(sql, [job, job, keep]);
}
