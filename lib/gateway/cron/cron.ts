import type { Store } from "../../../storage/store.js";
import { allJobs } from "../../../storage/tables/cron/jobs.js";
import { runsOf as rowsOf, runningRuns } from "../../../storage/tables/cron/runs.js";
import type { Service } from "../../base/async/service.js";
import type { Ids } from "../../base/ids.js";
import type { Log } from "../../base/log/log.js";
import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";
import type { CronApi, CronStatus } from "../../contracts/gateway/cron.js";
import type { JobChecks } from "./job-definition.js";
import { runOf } from "./job-view.js";
import { createJobs } from "./jobs.js";
import { createRunQueue, type JobRunner } from "./run-queue.js";
import { createTicker } from "./scheduler.js";
import { createCronHeartbeat } from "./scheduler-heartbeat.js";

/** What scheduled jobs are made of. */
export interface CronParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly timezone: () => string;
  readonly checks: JobChecks;
  readonly runner: JobRunner;
  readonly maxParallel: () => number;
  /** End what runs of an earlier owner left behind; called before their runs are closed. */
  readonly endLeft?: () => Promise<void>;
  /** Called when a job is gone, for its files. */
  readonly removed?: (id: string) => void;
  /** Wait for messages to be sent, in a process in which nothing does so by itself. */
  readonly delivered: (ids: readonly string[], signal: AbortSignal) => Promise<void>;
}

const STALLED: Ms = 180_000;

/** Jobs of a home, and the service that runs them by itself. Without it they only run when asked to. */
export function createCron(parts: CronParts): { readonly api: CronApi; readonly service: Service } {
  const { store, clock } = parts;
  const runs = createRunQueue(parts);
  const recover = async () => {
    await parts.endLeft?.();
    await runs.recover();
  };
  const queue = { ...runs, recover };
  const heartbeat = createCronHeartbeat(store);
  const ticker = createTicker({ ...parts, queue, heartbeat });
  const jobs = createJobs({ ...parts, changed: () => ticker.wake() });
  let running = false;
  /** One command at a time works on what is queued, in a process in which nothing does so by itself. */
  const byHand = async (work: () => Promise<unknown>) => {
    await queue.recover();
    await work();
    await queue.idle();
    const ids = queue.sent();
    if (ids.length > 0) await parts.delivered(ids, new AbortController().signal);
  };
  const api: CronApi = {
    ...jobs,
    remove: async (name) => {
      const job = await jobs.remove(name);
      queue.cancel(job.id);
      parts.removed?.(job.id);
      return job;
    },
    run: async (name) => {
      const run = await jobs.run(name);
      if (running) return run;
      await byHand(() => queue.start());
      const rows = await store.read((q) => rowsOf(q, run.job_id, 10));
      return rows.map(runOf).find(({ id }) => id === run.id) ?? run;
    },
    status: () => statusOf({ store, clock }, running, heartbeat.read),
    tick: async () => {
      if (running) return ticker.tick();
      let summary = { last_tick_at: clock.now(), due: 0, started: 0, skipped: 0 };
      await byHand(async () => {
        summary = await ticker.tick();
      });
      return summary;
    },
  };
  const service: Service = {
    name: "cron",
    start: async () => {
      await ticker.service.start();
      running = true;
    },
    stop: async (deadline) => {
      running = false;
      await ticker.service.stop(deadline);
      await queue.stop();
    },
  };
  return { api, service };
}

async function statusOf(
  { store, clock }: Pick<CronParts, "store" | "clock">,
  running: boolean,
  read: ReturnType<typeof createCronHeartbeat>["read"],
): Promise<CronStatus> {
  const jobs = await store.read(allJobs);
  const last = (await read()) ?? null;
  const age = last === null ? null : Math.max(0, clock.now() - last.last_tick_at);
  const enabled = jobs.filter((job) => job.enabled === 1 && job.next_run_at !== null);
  return {
    running,
    last,
    age_seconds: age === null ? null : Math.round(age / 1000),
    stalled: running && age !== null && age > STALLED,
    jobs: jobs.length,
    enabled: enabled.length,
    working: (await store.read(runningRuns)).length,
    next_run_at: enabled[0]?.next_run_at ?? null,
  };
}
