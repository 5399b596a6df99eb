import type { EpochMs } from "../../../lib/base/units.js";
import type { CatchUp, DeliveryStatus, JobState, RunStatus } from "../../../lib/contracts/gateway/cron.js";
import type { Query, Tx } from "../../store.js";

/** A job as it lies in the store; `definition` and `schedule` are JSON. */
export interface JobRow {
  id: string;
  name: string;
  definition: string;
  schedule: string;
  timezone: string;
  catch_up: CatchUp;
  repeat_times: number | null;
  repeat_completed: number;
  enabled: 0 | 1;
  state: JobState;
  paused_at: EpochMs | null;
  paused_reason: string | null;
  created_at: EpochMs;
  /** Intervals are counted from it. */
  anchor_at: EpochMs;
  /** Slots up to here have run, are queued, or were counted as missed. */
  handled_until: EpochMs;
  next_run_at: EpochMs | null;
  last_run_at: EpochMs | null;
  last_status: RunStatus | null;
  last_error: string | null;
  last_missed: number;
  last_delivery_status: DeliveryStatus | null;
  last_delivery_error: string | null;
  /** Grows with each change. */
  revision: number;
  updated_at: EpochMs;
}

const FIELDS = [
  "id",
  "name",
  "definition",
  "schedule",
  "timezone",
  "catch_up",
  "repeat_times",
  "state",
  "created_at",
  "anchor_at",
  "handled_until",
  "next_run_at",
  "updated_at",
] as const;

export type NewJobRow = Pick<JobRow, (typeof FIELDS)[number]>;

export async function insertJob(tx: Tx, row: NewJobRow): Promise<void> {
  const sql = `INSERT INTO cron_jobs (${FIELDS.join(", ")}) VALUES (${FIELDS.map(() => "?").join(", ")})`;
  await tx.run(
    sql,
    FIELDS.map((field) => row[field]),
  );
}

const CHANGEABLE = [
  "name",
  "definition",
  "schedule",
  "timezone",
  "catch_up",
  "repeat_times",
  "repeat_completed",
  "enabled",
  "state",
  "paused_at",
  "paused_reason",
  "anchor_at",
  "handled_until",
  "next_run_at",
  "last_run_at",
  "last_status",
  "last_error",
  "last_missed",
  "last_delivery_status",
  "last_delivery_error",
] as const;

export type JobPatch = Partial<Pick<JobRow, (typeof CHANGEABLE)[number]>>;

/** Change a job that is as it was read. False: it was changed or removed meanwhile. */
export async function patchJob(
  tx: Tx,
  job: { readonly id: string; readonly revision: number },
  patch: JobPatch,
  now: EpochMs,
): Promise<boolean> {
  const fields = CHANGEABLE.filter((field) => patch[field] !== undefined);
  const sets = [...fields.map((field) => `${field} = ?`), "revision = revision + 1", "updated_at = ?"];
  const values = fields.map((field) => patch[field] ?? null);
  return (
    (await tx.run(`UPDATE cron_jobs SET ${sets.join(", ")} WHERE id = ? AND revision = ?`, [
      ...values,
      now,
      job.id,
      job.revision,
    ])) === 1
  );
}

export async function getJob(q: Query, id: string): Promise<JobRow | undefined> {
  return q.get<JobRow>("SELECT * FROM cron_jobs WHERE id = ?", [id]);
}

/** Jobs that are meant by an id or a name. */
export async function jobsNamed(q: Query, name: string): Promise<JobRow[]> {
  return q.all<JobRow>(
    "SELECT * FROM cron_jobs WHERE id = ? OR name = ? ORDER BY id = ? DESC, created_at, id LIMIT 20",
    [name, name, name],
  );
}

export async function allJobs(q: Query): Promise<JobRow[]> {
  return q.all<JobRow>("SELECT * FROM cron_jobs ORDER BY next_run_at IS NULL, next_run_at, created_at, id");
}

/** Jobs whose time has come and that do not run, the earliest first. */
export async function dueJobs(q: Query, now: EpochMs, limit: number): Promise<JobRow[]> {
  const sql = `SELECT * FROM cron_jobs WHERE enabled = 1 AND next_run_at IS NOT NULL AND next_run_at <= ? AND state = 'scheduled'
    ORDER BY next_run_at, id LIMIT ?`;
  return q.all<JobRow>(sql, [now, limit]);
}

/** Jobs that wait and whose slots are handled beyond a moment: the clock was set back. */
export async function jobsAhead(q: Query, moment: EpochMs): Promise<JobRow[]> {
  return q.all<JobRow>("SELECT * FROM cron_jobs WHERE enabled = 1 AND state = 'scheduled' AND handled_until > ?", [
    moment,
  ]);
}

/** When the next job is due that does not run; undefined: none ever. */
export async function nextDue(q: Query): Promise<EpochMs | undefined> {
  const sql =
    "SELECT min(next_run_at) AS at FROM cron_jobs WHERE enabled = 1 AND next_run_at IS NOT NULL AND state = 'scheduled'";
  return (await q.get<{ at: EpochMs | null }>(sql))?.at ?? undefined;
}

/** Remove a job and its runs. False: unknown job. */
export async function deleteJob(tx: Tx, id: string): Promise<boolean> {
  await tx.run("DELETE FROM cron_runs WHERE job_id = ?", [id]);
  return (await tx.run("DELETE FROM cron_jobs WHERE id = ?", [id])) === 1;
}
