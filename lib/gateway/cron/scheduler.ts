import type { Store } from "../../../storage/store.js";
import {
  dueJobs,
  getJob,
  type JobPatch,
  type JobRow,
  jobsAhead,
  nextDue,
  patchJob,
} from "../../../storage/tables/cron/jobs.js";
import { insertRun, type NewRun } from "../../../storage/tables/cron/runs.js";
import { defineService, type Service } from "../../base/async/service.js";
import { createWakeup } from "../../base/async/wakeup.js";
import { toAppError } from "../../base/errors.js";
import { faultPoint } from "../../base/fault.js";
import type { Ids } from "../../base/ids.js";
import type { Log } from "../../base/log/log.js";
import type { Clock } from "../../base/time/clock.js";
import type { EpochMs, Ms } from "../../base/units.js";
import type { TickSummary } from "../../contracts/gateway/cron.js";
import { type Due, decideDue } from "./due.js";
import { timetableOf } from "./job-view.js";
import type { RunQueue } from "./run-queue.js";
import { nextRun } from "./schedule.js";
import type { Heartbeat } from "./scheduler-heartbeat.js";

export interface TickerDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly queue: RunQueue;
  readonly heartbeat: Heartbeat;
}

/** Looks at the schedules. */
export interface Ticker {
  /** One look: what is due is recorded and started, one look after the other. */
  tick(): Promise<TickSummary>;
  /** A job has changed, or a place is free. */
  wake(): void;
  readonly service: Service;
}

const LONGEST_WAIT: Ms = 60_000;
const AFTER_FAILURE: Ms = 5000;
const AT_ONCE = 1000;
/** Slots that were dealt with so far ahead of the clock: it was wrong then, and jobs go on from now. */
const CLOCK_WAS_WRONG: Ms = 48 * 3_600_000;

export function createTicker(deps: TickerDeps): Ticker {
  const { store, clock, queue, log } = deps;
  const wakeup = createWakeup();
  let last: Promise<unknown> = Promise.resolve();
  const tick = (): Promise<TickSummary> => {
    const mine = last.then(() => look(deps));
    last = mine.catch(() => undefined);
    return mine;
  };
  queue.onFree(() => wakeup.notify());
  const service = defineService("cron", async (scope) => {
    scope.onStop(() => queue.stop());
    await queue.recover();
    scope.loop(async () => {
      let wait = AFTER_FAILURE;
      try {
        await tick();
        const next = await store.read(nextDue);
        wait = Math.min(LONGEST_WAIT, Math.max(1, (next ?? Number.POSITIVE_INFINITY) - clock.now()));
      } catch (error) {
        if (scope.signal.aborted) return;
        log.error("scheduler pass failed", { error: toAppError(error).message });
      }
      const cancel = clock.after(wait, () => wakeup.notify());
      try {
        await wakeup.wait(scope.signal);
      } catch (error) {
        if (!scope.signal.aborted) throw error;
      } finally {
        cancel();
      }
    });
  });
  return { tick, wake: () => wakeup.notify(), service };
}

async function look(deps: TickerDeps): Promise<TickSummary> {
  const { store, clock, queue, heartbeat } = deps;
  await afterWrongClock(deps);
  const due = await store.read((q) => dueJobs(q, clock.now(), AT_ONCE));
  let skipped = 0;
  for (const row of due) skipped += await record(deps, row);
  const started = await queue.start();
  const summary = { last_tick_at: clock.now(), due: due.length, started, skipped };
  await heartbeat.write(summary);
  return summary;
}

/** Record what happens to a job that is due. @returns slots that were skipped */
async function record(deps: TickerDeps, row: JobRow): Promise<number> {
  const { store, clock, ids, log } = deps;
  const now = clock.now();
  const slot = row.next_run_at;
  if (slot === null) return 0;
  try {
    const due = decideDue(timetableOf(row), slot, { now, catchUp: row.catch_up });
    const run = runOf(row, due, { now, id: `run_${ids.hex(6)}` });
    const done = await store.write("cron.due", async (tx) => {
      const fresh = await getJob(tx, row.id);
      if (fresh === undefined || fresh.revision !== row.revision) return false;
      const made = await insertRun(tx, run);
      await patchJob(tx, row, advanced(row, due, made), now);
      return made;
    });
    if (done) faultPoint("cron.due-recorded");
    return done && due.what === "skip" ? due.missed : 0;
  } catch (error) {
    const { code, message } = toAppError(error);
    if (code !== "E_INVALID") throw error;
    log.error("the job's stored schedule is invalid; it will not run", { job: row.id, error: message });
    await store.write("cron.error", (tx) =>
      patchJob(tx, row, { state: "error", enabled: 0, next_run_at: null, last_error: message }, now),
    );
    return 0;
  }
}

function runOf(row: JobRow, due: Due, { now, id }: { readonly now: EpochMs; readonly id: string }): NewRun {
  const skip = due.what === "skip";
  const status = skip ? "skipped" : "queued";
  const shared = {
    id,
    job_id: row.id,
    cause: "schedule",
    scheduled_for: due.slot,
    missed: due.missed,
    made_at: now,
  } as const;
  return { ...shared, ended_at: skip ? now : null, status };
}

/** The job after its slot was recorded. A slot that had its run already, under a clock that was set back since, only passes. */
function advanced(row: JobRow, due: Due, made: boolean): JobPatch {
  const runs = made && due.what === "run";
  const completed = row.repeat_completed + (runs ? 1 : 0);
  const over = due.next === undefined || (row.repeat_times !== null && completed >= row.repeat_times);
  const patch: JobPatch = {
    repeat_completed: completed,
    handled_until: due.handledUntil,
    next_run_at: over ? null : (due.next ?? null),
  };
  if (runs) return { ...patch, state: "running", last_missed: due.missed };
  const missed: JobPatch = made ? { last_status: "skipped", last_missed: due.missed, last_error: null } : {};
  return { ...patch, ...missed, ...(over ? { state: "completed", enabled: 0 } : {}) };
}

async function afterWrongClock({ store, clock, log }: TickerDeps): Promise<void> {
  const now = clock.now();
  for (const row of await store.read((q) => jobsAhead(q, now + CLOCK_WAS_WRONG))) {
    const next = nextRun(timetableOf(row), now);
    if (next === undefined) continue;
    log.warning("the clock was set back: a job is rescheduled from now", { job: row.id });
    await store.write("cron.clock", (tx) => patchJob(tx, row, { next_run_at: next, handled_until: now }, now));
  }
}
