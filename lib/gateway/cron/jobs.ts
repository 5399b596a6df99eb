import type { Query, Store, Tx } from "../../../storage/store.js";
import {
  allJobs,
  deleteJob,
  insertJob,
  type JobPatch,
  type JobRow,
  jobsNamed,
  patchJob,
} from "../../../storage/tables/cron/jobs.js";
import { getRun, insertRun, runsOf } from "../../../storage/tables/cron/runs.js";
import { AppError, assert } from "../../base/errors.js";
import type { Ids } from "../../base/ids.js";
import type { Clock } from "../../base/time/clock.js";
import { zoneNamed } from "../../base/time/zone.js";
import type { EpochMs } from "../../base/units.js";
import type { CronApi, JobChange, NewJob, PlannedJob } from "../../contracts/gateway/cron.js";
import { defaultName, defineJob, type JobChecks } from "./job-definition.js";
import { definitionOf, jobOf, runOf, timetableOf } from "./job-view.js";
import { defaultCatchUp, nextRun, nextRuns, parseSchedule, type Timetable } from "./schedule.js";

export interface JobsDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Zone of a job that names none. */
  readonly timezone: () => string;
  readonly checks: JobChecks;
  /** Called when a job has come, gone or changed. */
  readonly changed?: (job: string) => void;
}

/** What only concerns the store. */
export type Jobs = Omit<CronApi, "status" | "tick">;

const SHOWN_RUNS = 3;

/** The jobs of a home. They are only kept here; the ticker runs them. */
export function createJobs(deps: JobsDeps): Jobs {
  const { store, clock } = deps;
  const found = (name: string) => store.read((q) => mustFind(q, name));
  const change = async (name: string, patch: (row: JobRow, now: EpochMs) => JobPatch): Promise<JobRow> => {
    const { id } = await found(name);
    const now = clock.now();
    const row = await store.write("cron.change", async (tx) => {
      const before = await mustFind(tx, id);
      await patchJob(tx, before, patch(before, now), now);
      return mustFind(tx, id);
    });
    deps.changed?.(id);
    return row;
  };
  return {
    create: async (job) => {
      const row = await newRow(deps, job);
      await store.write("cron.create", (tx) => insertJob(tx, row));
      deps.changed?.(row.id);
      return withWarnings(deps, planned(await found(row.id), clock.now()));
    },
    edit: async (name, wanted) => {
      const ready = await edited(deps, await found(name), wanted);
      return withWarnings(deps, planned(await change(name, ready), clock.now()));
    },
    show: async (name) => planned(await found(name), clock.now()),
    list: async (all) => (await store.read(allJobs)).map(jobOf).filter((job) => all || job.state !== "completed"),
    pause: async (name, reason) => jobOf(await change(name, (row, now) => paused(row, reason, now))),
    resume: async (name) => planned(await change(name, resumed), clock.now()),
    run: (name) => runNow(deps, name),
    runs: async (name, limit) => {
      const { id } = await found(name);
      return (await store.read((q) => runsOf(q, id, limit))).map(runOf);
    },
    remove: async (name) => {
      const row = await found(name);
      await store.write("cron.remove", (tx) => deleteJob(tx, row.id));
      deps.changed?.(row.id);
      return jobOf(row);
    },
  };
}

async function withWarnings({ checks }: JobsDeps, made: PlannedJob): Promise<PlannedJob> {
  const warnings = (await checks.unreachable?.(made.job)) ?? [];
  return warnings.length === 0 ? made : { ...made, warnings };
}

async function mustFind(q: Query | Tx, name: string): Promise<JobRow> {
  const rows = await jobsNamed(q, name);
  const [row] = rows;
  if (row === undefined)
    throw new AppError("E_NOT_FOUND", `no such job: ${JSON.stringify(name)}`, {
      hint: "agent cron list --all shows every job",
    });
  if (row.id === name || rows.length === 1) return row;
  const candidates = rows.map(({ id, name: of }) => ({ id, name: of }));
  const shown = candidates.map(({ id }) => id).join(", ");
  throw new AppError("E_AMBIGUOUS", `${rows.length} jobs are named ${JSON.stringify(name)}: ${shown}`, {
    candidates,
    hint: "use an id",
  });
}

function planned(row: JobRow, now: EpochMs): PlannedJob {
  const shown = row.enabled === 1 && row.next_run_at !== null;
  const left = row.repeat_times === null ? SHOWN_RUNS : Math.max(0, row.repeat_times - row.repeat_completed);
  const from = row.next_run_at ?? now;
  const next = shown ? [from, ...nextRuns(timetableOf(row), from, SHOWN_RUNS - 1)].slice(0, left) : [];
  return { job: jobOf(row), next };
}

async function newRow(deps: JobsDeps, job: NewJob) {
  const now = deps.clock.now();
  const timezone = zoneNamed(job.timezone ?? deps.timezone()).name;
  const table: Timetable = { schedule: parseSchedule(job.schedule, { now, timezone }), timezone, anchor: now };
  const definition = await defineJob(job, undefined, deps.checks, (name) => deps.store.read((q) => mustFind(q, name)));
  // A one-shot a little in the past is due at once.
  const first = table.schedule.kind === "once" ? table.schedule.run_at : nextRun(table, now);
  assert(first !== undefined, "a schedule that was accepted has a first run");
  return {
    id: deps.ids.hex(6),
    name: job.name?.trim() || defaultName(definition),
    definition: JSON.stringify(definition),
    schedule: JSON.stringify(table.schedule),
    timezone,
    catch_up: job.catch_up ?? defaultCatchUp(table, now),
    repeat_times: table.schedule.kind === "once" ? 1 : repeatOf(job.repeat),
    state: "scheduled" as const,
    created_at: now,
    anchor_at: now,
    handled_until: now,
    next_run_at: first,
    updated_at: now,
  };
}

/** What an edit changes. A new schedule or zone counts from now, and wakes a job that was completed. */
async function edited(
  deps: JobsDeps,
  before: JobRow,
  wanted: JobChange,
): Promise<(row: JobRow, now: EpochMs) => JobPatch> {
  const definition = await defineJob(wanted, definitionOf(before), deps.checks, (name) =>
    deps.store.read((q) => mustFind(q, name)),
  );
  const timezone = wanted.timezone === undefined ? before.timezone : zoneNamed(wanted.timezone).name;
  const at = deps.clock.now();
  const schedule = wanted.schedule === undefined ? undefined : parseSchedule(wanted.schedule, { now: at, timezone });
  const name = wanted.name?.trim();
  return (row, now) => {
    const old = timetableOf(row);
    const table = { schedule: schedule ?? old.schedule, timezone, anchor: schedule === undefined ? old.anchor : now };
    const times =
      table.schedule.kind === "once" ? 1 : wanted.repeat === undefined ? row.repeat_times : repeatOf(wanted.repeat);
    const moved = schedule !== undefined || timezone !== row.timezone;
    return {
      definition: JSON.stringify(definition),
      ...(name ? { name } : {}),
      schedule: JSON.stringify(table.schedule),
      timezone,
      anchor_at: table.anchor,
      repeat_times: times,
      catch_up: wanted.catch_up ?? (schedule === undefined ? row.catch_up : defaultCatchUp(table, now)),
      ...(wanted.repeat === undefined && schedule === undefined ? {} : { repeat_completed: 0 }),
      ...(moved ? rescheduled(row, table, now) : {}),
    };
  };
}

function rescheduled(row: JobRow, table: Timetable, now: EpochMs): JobPatch {
  const next = table.schedule.kind === "once" ? firstOf(row, table) : nextRun(table, now);
  const woken = row.state === "completed" || row.state === "error";
  const state = woken && next !== undefined ? ({ enabled: 1, state: "scheduled", last_error: null } as const) : {};
  return { next_run_at: next ?? null, handled_until: now, ...state };
}

/** A one-shot whose time is the same has had its run. */
function firstOf(row: JobRow, table: Timetable): EpochMs | undefined {
  const at = table.schedule.kind === "once" ? table.schedule.run_at : undefined;
  return row.schedule === JSON.stringify(table.schedule) && row.next_run_at === null ? undefined : at;
}

function paused(row: JobRow, reason: string | null, now: EpochMs): JobPatch {
  if (row.state === "completed") throw notNow(row, "is completed and cannot be paused");
  if (row.enabled === 0) return {};
  return { enabled: 0, paused_at: now, paused_reason: reason, ...(row.state === "running" ? {} : { state: "paused" }) };
}

function resumed(row: JobRow, now: EpochMs): JobPatch {
  if (row.enabled === 1 && row.state !== "error") return {};
  const table = timetableOf(row);
  const next =
    nextRun(table, now) ?? (table.schedule.kind === "once" && row.next_run_at !== null ? row.next_run_at : undefined);
  if (next === undefined || (row.repeat_times !== null && row.repeat_completed >= row.repeat_times)) {
    throw notNow(row, "has no runs left", "agent cron edit <job> --schedule … sets a new schedule");
  }
  const state = row.state === "running" ? {} : ({ state: "scheduled" } as const);
  return { enabled: 1, paused_at: null, paused_reason: null, next_run_at: next, handled_until: now, ...state };
}

async function runNow(deps: JobsDeps, name: string) {
  const now = deps.clock.now();
  const id = `run_${deps.ids.hex(6)}`;
  const run = await deps.store.write("cron.run", async (tx) => {
    const row = await mustFind(tx, name);
    if (row.state === "running") throw notNow(row, "is already running", "agent cron runs <job> shows its run");
    const fresh = {
      id,
      job_id: row.id,
      cause: "manual",
      scheduled_for: now,
      missed: 0,
      made_at: now,
      ended_at: null,
      status: "queued",
    } as const;
    await insertRun(tx, fresh);
    await patchJob(tx, row, { state: "running" }, now);
    return getRun(tx, id);
  });
  assert(run !== undefined, "a run that was stored is there");
  deps.changed?.(run.job_id);
  return runOf(run);
}

function repeatOf(times: number | null | undefined): number | null {
  if (times === null || times === undefined) return null;
  if (Number.isSafeInteger(times) && times >= 1) return times;
  throw new AppError("E_INVALID", `invalid number of runs: ${times}`, {
    hint: "--repeat must be a whole number of at least 1",
  });
}

function notNow({ id, name, state }: JobRow, what: string, hint = "agent cron show <job> shows its state"): AppError {
  return new AppError("E_STATE", `job ${name} (${id}) ${what}`, { id, state, hint });
}
