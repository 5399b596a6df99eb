import type { JobRow } from "../../../storage/tables/cron/jobs.js";
import type { RunRow } from "../../../storage/tables/cron/runs.js";
import type { CronJob, CronRun, JobDefinition, Schedule } from "../../contracts/gateway/cron.js";
import { scheduleDisplay, type Timetable } from "./schedule.js";

/** When a stored job runs. */
export function timetableOf(row: Pick<JobRow, "schedule" | "timezone" | "anchor_at">): Timetable {
  const schedule: Schedule = JSON.parse(row.schedule);
  return { schedule, timezone: row.timezone, anchor: row.anchor_at };
}

export function definitionOf(row: Pick<JobRow, "definition">): JobDefinition {
  return JSON.parse(row.definition);
}

/** A stored job as surfaces show it. */
export function jobOf(row: JobRow): CronJob {
  const table = timetableOf(row);
  return {
    id: row.id,
    name: row.name,
    ...definitionOf(row),
    schedule: table.schedule,
    schedule_display: displayOf(table),
    timezone: row.timezone,
    catch_up: row.catch_up,
    repeat: { times: row.repeat_times, completed: row.repeat_completed },
    enabled: row.enabled === 1,
    state: row.state,
    paused_at: row.paused_at,
    paused_reason: row.paused_reason,
    created_at: row.created_at,
    next_run_at: row.next_run_at,
    last_run_at: row.last_run_at,
    last_status: row.last_status,
    last_error: row.last_error,
    last_missed: row.last_missed,
    last_delivery_status: row.last_delivery_status,
    last_delivery_error: row.last_delivery_error,
  };
}

/** A stored run as surfaces show it. */
export function runOf({ seq: _seq, delivery_ids, ...run }: RunRow): CronRun {
  return { ...run, delivery_ids: delivery_ids === null ? [] : JSON.parse(delivery_ids) };
}

/** A zone that the system does not know any more must not keep the list from being shown. */
function displayOf(table: Timetable): string {
  try {
    return scheduleDisplay(table);
  } catch {
    return "unknown zone"; // the ticker says the same as the error of the job
  }
}
