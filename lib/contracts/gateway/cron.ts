/** Jobs that run on a schedule, and their runs (gateway part, 17). */
import type { EpochMs, SessionId } from "../../base/units.js";
import type { ChatOrigin } from "../board/notify.js";

/** When a job runs. */
export type Schedule =
  | { readonly kind: "once"; readonly run_at: EpochMs }
  | { readonly kind: "interval"; readonly minutes: number }
  | { readonly kind: "cron"; readonly expr: string };

export type CatchUp = "skip" | "once";
export type JobState = "scheduled" | "running" | "paused" | "completed" | "error";
export type RunStatus = "ok" | "error" | "silent" | "skipped" | "interrupted";
export type DeliveryStatus = "sent" | "pending" | "unknown" | "failed" | "none";

/** What a user says about a job beside its name and its times. */
export interface JobDefinition {
  readonly prompt: string;
  readonly skills: readonly string[];
  readonly model: string | null;
  readonly provider: string | null;
  readonly base_url: string | null;
  readonly enabled_toolsets: readonly string[] | null;
  readonly workdir: string | null;
  readonly script: string | null;
  /** SHA-256 of the script as it was when a person chose it. Absent or null: a model chose it, or an earlier version did not note who. */
  readonly script_digest?: string | null;
  readonly no_agent: boolean;
  readonly context_from: readonly string[];
  readonly max_runtime_seconds: number | null;
  /** Target list as it was written, lower case, without duplicates. */
  readonly deliver: string;
  readonly origin: ChatOrigin | null;
}

/** A job as every surface shows it. */
export interface CronJob extends JobDefinition {
  readonly id: string;
  readonly name: string;
  readonly schedule: Schedule;
  readonly schedule_display: string;
  readonly timezone: string;
  readonly catch_up: CatchUp;
  readonly repeat: { readonly times: number | null; readonly completed: number };
  readonly enabled: boolean;
  readonly state: JobState;
  readonly paused_at: EpochMs | null;
  readonly paused_reason: string | null;
  readonly created_at: EpochMs;
  readonly next_run_at: EpochMs | null;
  readonly last_run_at: EpochMs | null;
  readonly last_status: RunStatus | null;
  readonly last_error: string | null;
  /** Slots that were skipped or made up for when `last_status` was set. */
  readonly last_missed: number;
  readonly last_delivery_status: DeliveryStatus | null;
  readonly last_delivery_error: string | null;
}

/** One run, or with `status` skipped the slots that were left out together. */
export interface CronRun {
  readonly id: string;
  readonly job_id: string;
  /** `manual`: a person started it, and no slot was used up. */
  readonly cause: "schedule" | "manual";
  readonly scheduled_for: EpochMs;
  /** Slots that it makes up for, or that were skipped; 0 for a run in time. */
  readonly missed: number;
  readonly made_at: EpochMs;
  readonly started_at: EpochMs | null;
  readonly ended_at: EpochMs | null;
  readonly status: RunStatus | "queued" | "running";
  readonly error: string | null;
  readonly session_id: SessionId | null;
  readonly output_path: string | null;
  readonly delivery_ids: readonly string[];
}

/** Everything that may be said of a new job. */
export interface NewJob extends Partial<JobDefinition> {
  /** As the user wrote it. */
  readonly schedule: string;
  readonly name?: string;
  readonly timezone?: string;
  readonly catch_up?: CatchUp;
  readonly repeat?: number | null;
  /** Who says it. Absent: a model. */
  readonly by?: "person";
}

export type JobChange = Partial<NewJob>;

/** A job with the moments of its next runs. */
export interface PlannedJob {
  readonly job: CronJob;
  /** At most three. */
  readonly next: readonly EpochMs[];
  /** Why its output would not arrive as things are now. Only after `create` and `edit`. */
  readonly warnings?: readonly string[];
}

/** What one look at the schedules did. */
export interface TickSummary {
  readonly last_tick_at: EpochMs;
  /** Jobs that were due. */
  readonly due: number;
  readonly started: number;
  /** Slots that were skipped. */
  readonly skipped: number;
}

/** How the schedules of a home are looked at. */
export interface CronStatus {
  /** This owner looks at them by itself. */
  readonly running: boolean;
  readonly last: TickSummary | null;
  readonly age_seconds: number | null;
  /** No scheduler has looked for 180 s although one should have. */
  readonly stalled: boolean;
  readonly jobs: number;
  readonly enabled: number;
  readonly working: number;
  readonly next_run_at: EpochMs | null;
}

/** Jobs of this home, for every surface. */
export interface CronApi {
  /** @throws E_INVALID for a schedule, zone, script, directory or job that cannot be; nothing is created */
  create(job: NewJob): Promise<PlannedJob>;
  edit(name: string, change: JobChange): Promise<PlannedJob>;
  /** By id or name. @throws E_NOT_FOUND, E_AMBIGUOUS (`data.candidates`) */
  show(name: string): Promise<PlannedJob>;
  /** By their next run. Without `all` those that are completed are left out. */
  list(all: boolean): Promise<readonly CronJob[]>;
  pause(name: string, reason: string | null): Promise<CronJob>;
  /** From now on: what was due meanwhile is not made up for. */
  resume(name: string): Promise<PlannedJob>;
  /** Run it now, whatever its times. Without a scheduler in this process, wait for its end. @throws E_STATE when it is queued or running */
  run(name: string): Promise<CronRun>;
  /** The newest first. */
  runs(name: string, limit: number): Promise<readonly CronRun[]>;
  remove(name: string): Promise<CronJob>;
  status(): Promise<CronStatus>;
  /** Look at the schedules now. Without a scheduler in this process, wait until the runs that it started have ended. */
  tick(): Promise<TickSummary>;
}
