import type { Store } from "../../../storage/store.js";
import { getJob, type JobRow, patchJob } from "../../../storage/tables/cron/jobs.js";
import {
  beginRun,
  endRun,
  pruneRuns,
  queuedRuns,
  type RunEnd,
  type RunRow,
  runningRuns,
} from "../../../storage/tables/cron/runs.js";
import type { NewOutboxRow } from "../../../storage/tables/gateway/outbox.js";
import { toAppError } from "../../base/errors.js";
import type { Log } from "../../base/log/log.js";
import type { Clock } from "../../base/time/clock.js";
import type { EpochMs } from "../../base/units.js";
import type { CronJob, CronRun, DeliveryStatus, RunStatus } from "../../contracts/gateway/cron.js";
import { insertDrafts } from "../outbox/outbox.js";
import { definitionOf, jobOf, runOf } from "./job-view.js";

/** What a run came to, and what is stored with it in the same commit. */
export interface CronRunOutcome {
  readonly status: Exclude<RunStatus, "skipped">;
  readonly error?: string | undefined;
  readonly session_id?: CronRun["session_id"];
  readonly output_path?: string | undefined;
  readonly delivery?: {
    readonly status: DeliveryStatus;
    readonly ids: readonly string[];
    readonly error?: string | undefined;
  };
  /** What is to be delivered. */
  readonly sends?: readonly NewOutboxRow[] | undefined;
  /** Called once it is durable. */
  readonly stored?: (() => void) | undefined;
}

/** Does the work of a job. */
export interface JobRunner {
  run(job: CronJob, run: CronRun, signal: AbortSignal): Promise<CronRunOutcome>;
  /** The text about a run that its owner left behind. */
  interrupted(job: CronJob, run: CronRun): Promise<CronRunOutcome>;
}

export interface QueueDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly runner: JobRunner;
  readonly maxParallel: () => number;
}

/** Runs that were recorded, worked on in the order of their slots. */
export interface RunQueue {
  /** Close what an earlier owner left running. Before the first start. */
  recover(): Promise<void>;
  /** Start what may start. @returns how many */
  start(): Promise<number>;
  /** End the run of a job that was removed. */
  cancel(job: string): void;
  onFree(listener: () => void): void;
  /** Messages that ended runs have to deliver, each told once. */
  sent(): readonly string[];
  /** Resolves when nothing runs. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

/** Runs of a job that are remembered. */
const RUNS_KEPT = 1000;
/** Messages whose end may be waited for. */
const REMEMBERED = 200;

interface Going {
  readonly job: string;
  readonly workdir: string | null;
  readonly control: AbortController;
  done: Promise<void>;
}

export function createRunQueue(deps: QueueDeps): RunQueue {
  const { store, clock, log } = deps;
  const going = new Map<string, Going>();
  const listeners: (() => void)[] = [];
  const delivering: string[] = [];
  let stopped = false;
  const launch = (row: RunRow, job: JobRow) => {
    const control = new AbortController();
    const mine: Going = { job: job.id, workdir: definitionOf(job).workdir, control, done: Promise.resolve() };
    going.set(row.id, mine);
    mine.done = work(deps, row, job, control.signal)
      .then((ids) => {
        delivering.push(...ids);
        delivering.splice(0, Math.max(0, delivering.length - REMEMBERED));
      })
      .catch((error: unknown) =>
        log.error("failed to store the end of a run", { run: row.id, error: toAppError(error).message }),
      )
      .finally(() => {
        going.delete(row.id);
        for (const listener of listeners) listener();
      });
  };
  const idle = async () => {
    while (going.size > 0) await Promise.all([...going.values()].map(({ done }) => done));
  };
  return {
    recover: async () => {
      stopped = false;
      for (const row of await store.read(runningRuns)) {
        if (!going.has(row.id)) await settleLeft(deps, row);
      }
    },
    start: async () => {
      let count = 0;
      for (const row of await store.read(queuedRuns)) {
        if (stopped || going.size >= Math.max(1, deps.maxParallel())) break;
        const job = await store.read((q) => getJob(q, row.job_id));
        if (job === undefined || blocked(going, job)) continue;
        const now = clock.now();
        if (!(await store.write("cron.begin", (tx) => beginRun(tx, row.id, now)))) continue;
        launch({ ...row, status: "running", started_at: now }, job);
        count += 1;
      }
      return count;
    },
    cancel: (job) => {
      for (const one of going.values()) if (one.job === job) one.control.abort(new Error("the job was removed"));
    },
    onFree: (listener) => {
      listeners.push(listener);
    },
    sent: () => delivering.splice(0),
    idle,
    stop: async () => {
      stopped = true;
      for (const { control } of going.values()) control.abort(new Error("stopped"));
      await idle();
    },
  };
}

/** A job does not overlap itself, nor another one in the same directory. */
function blocked(going: ReadonlyMap<string, Going>, job: JobRow): boolean {
  const { workdir } = definitionOf(job);
  return [...going.values()].some((one) => one.job === job.id || (workdir !== null && one.workdir === workdir));
}

async function work(deps: QueueDeps, row: RunRow, job: JobRow, signal: AbortSignal): Promise<readonly string[]> {
  const outcome = await outcomeOf(deps, row, job, signal);
  await settle(deps, row, outcome);
  return outcome.delivery?.ids ?? [];
}

async function outcomeOf(
  { runner }: QueueDeps,
  row: RunRow,
  job: JobRow,
  signal: AbortSignal,
): Promise<CronRunOutcome> {
  try {
    return await runner.run(jobOf(job), runOf(row), signal);
  } catch (error) {
    const { message } = toAppError(error);
    return {
      status: signal.aborted ? "interrupted" : "error",
      error: signal.aborted ? "the service was stopped" : message,
    };
  }
}

async function settleLeft(deps: QueueDeps, row: RunRow): Promise<void> {
  const job = await deps.store.read((q) => getJob(q, row.job_id));
  const told: CronRunOutcome = {
    status: "interrupted",
    error: "its process ended; the run is not repeated",
  };
  await settle(
    deps,
    row,
    job === undefined ? told : { ...told, ...(await deps.runner.interrupted(jobOf(job), runOf(row))) },
  );
}

async function settle({ store, clock }: QueueDeps, row: RunRow, outcome: CronRunOutcome): Promise<void> {
  const now = clock.now();
  const end: RunEnd = {
    status: outcome.status,
    error: outcome.error ?? null,
    session_id: outcome.session_id ?? null,
    output_path: outcome.output_path ?? null,
    delivery_ids: outcome.delivery?.ids ?? [],
  };
  const ended = await store.write("cron.end", async (tx) => {
    if (!(await endRun(tx, row.id, end, now))) return false;
    const job = await getJob(tx, row.job_id);
    if (job !== undefined) await patchJob(tx, job, restOf(job, row, { outcome, now }), now);
    await pruneRuns(tx, row.job_id, RUNS_KEPT);
    await insertDrafts(tx, outcome.sends ?? []);
    return true;
  });
  if (ended) outcome.stored?.();
}

/** The job after a run. */
function restOf(
  job: JobRow,
  row: RunRow,
  { outcome, now }: { readonly outcome: CronRunOutcome; readonly now: EpochMs },
) {
  const over = job.next_run_at === null && job.paused_at === null;
  const state: JobRow["state"] = over ? "completed" : job.enabled === 1 ? "scheduled" : "paused";
  return {
    state,
    enabled: over ? 0 : job.enabled,
    last_run_at: row.started_at ?? now,
    last_status: outcome.status,
    last_error: outcome.error ?? null,
    last_missed: row.missed,
    last_delivery_status: outcome.delivery?.status ?? ("none" as const),
    last_delivery_error: outcome.delivery?.error ?? null,
  };
}
