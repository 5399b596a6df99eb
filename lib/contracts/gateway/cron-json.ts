import { type EpochMs, toIso } from "../../base/units.js";
import type { CronJob, CronRun, CronStatus, PlannedJob, Schedule, TickSummary } from "./cron.js";

/** `T` with its instants, which are milliseconds here, as ISO 8601 text in UTC. */
type WithIso<T, K extends keyof T> = Omit<T, K> & {
  readonly [Name in K]: null extends T[Name] ? string | null : string;
};

type JobInstant = "paused_at" | "created_at" | "next_run_at" | "last_run_at";
type RunInstant = "scheduled_for" | "made_at" | "started_at" | "ended_at";

/** A schedule in JSON. */
export type ScheduleJson =
  | Exclude<Schedule, { readonly kind: "once" }>
  | { readonly kind: "once"; readonly run_at: string };
/** A job in JSON. Who chose its script stays with the owner. */
export type CronJobJson = Omit<WithIso<CronJob, JobInstant>, "schedule" | "script_digest"> & {
  readonly schedule: ScheduleJson;
};
export type PlannedJobJson = CronJobJson & { readonly next_runs: readonly string[] };
export type CronRunJson = WithIso<CronRun, RunInstant>;
export type TickSummaryJson = WithIso<TickSummary, "last_tick_at">;
export type CronStatusJson = Omit<WithIso<CronStatus, "next_run_at">, "last"> & {
  readonly last: TickSummaryJson | null;
};

const isoOrNull = (at: EpochMs | null): string | null => (at === null ? null : toIso(at));

/** A job as `--json` and the dashboard answer it. */
export function toJobJson({ script_digest: _, ...job }: CronJob): CronJobJson {
  const { schedule } = job;
  return {
    ...job,
    schedule: schedule.kind === "once" ? { kind: "once", run_at: toIso(schedule.run_at) } : schedule,
    paused_at: isoOrNull(job.paused_at),
    created_at: toIso(job.created_at),
    next_run_at: isoOrNull(job.next_run_at),
    last_run_at: isoOrNull(job.last_run_at),
  };
}

/** The same with the next runs. */
export function toPlannedJson({ job, next }: PlannedJob): PlannedJobJson {
  return { ...toJobJson(job), next_runs: next.map(toIso) };
}

/** A run as `--json` and the dashboard answer it. */
export function toRunJson(run: CronRun): CronRunJson {
  return {
    ...run,
    scheduled_for: toIso(run.scheduled_for),
    made_at: toIso(run.made_at),
    started_at: isoOrNull(run.started_at),
    ended_at: isoOrNull(run.ended_at),
  };
}

/** One look at the schedules as `--json` answers it. */
export function toTickJson(tick: TickSummary): TickSummaryJson {
  return { ...tick, last_tick_at: toIso(tick.last_tick_at) };
}

/** `agent cron status --json`. */
export function toCronStatusJson(status: CronStatus): CronStatusJson {
  return {
    ...status,
    last: status.last === null ? null : toTickJson(status.last),
    next_run_at: isoOrNull(status.next_run_at),
  };
}
