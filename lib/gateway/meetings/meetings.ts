import { createHash } from "node:crypto";
import type { Store } from "../../../storage/store.js";
import {
  addMeetingJob,
  countFailedMeetingJobs,
  countOpenMeetingJobs,
  forgetSummaries,
  getMeetingJob,
  listMeetingJobs,
  openMeetingJobs,
  pruneMeetingJobs,
  putMeetingJob,
} from "../../../storage/tables/gateway/meetings.js";
import { defineService, type Scope, type Service } from "../../base/async/service.js";
import { createWakeup } from "../../base/async/wakeup.js";
import { AppError, toAppError } from "../../base/errors.js";
import type { Ids } from "../../base/ids.js";
import { LIMITS } from "../../base/limits.js";
import type { Log } from "../../base/log/log.js";
import type { TestSignal } from "../../base/process/signal.js";
import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";
import type { MeetingJob, MeetingStep } from "../../contracts/gateway/meetings.js";
import type { Notification } from "./graph-notifications.js";
import type { MeetingData, MeetingPorts } from "./meeting-ports.js";
import { Hopeless, workMeetingStep } from "./meeting-steps.js";
import { oneByOne, type RunOneByOne } from "./one-by-one.js";

export interface MeetingsDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly ports: MeetingPorts;
  readonly signals?: { readonly settled?: TestSignal<MeetingJob> };
}

/** Work on artefacts of meetings: each notification is one job, which goes on after a restart where its last finished step led. */
export interface Meetings {
  readonly service: Service;
  /** Store all that are new, in one commit. */
  take(found: readonly Notification[]): Promise<"stored" | "busy">;
  list(): Promise<readonly MeetingJob[]>;
  /** Make a job that no notification made. */
  add(resource: string): Promise<MeetingJob>;
  /** Jobs that failed within a day, as far as the service has looked. */
  failed(): number;
  /** @throws E_NOT_FOUND */
  get(id: string): Promise<MeetingJob>;
  /**
   * Work on it now, from its beginning if it is over, and wait for its end or its next failure. `force`: always from its beginning, and its summary
   * is delivered once more. @throws E_NOT_FOUND
   */
  run(id: string, how?: { readonly force?: boolean; readonly signal?: AbortSignal }): Promise<MeetingJob>;
}

const RETRIES_MS: readonly Ms[] = [300_000, 900_000, 3_600_000];
const LISTED = 200;
const AT_ONCE = 20;
const ROUND_MS: Ms = 3_600_000;
const BROKEN_MS: Ms = 30_000;
const DAY_MS: Ms = 86_400_000;
const KEPT_MS: Ms = 90 * DAY_MS;

export function createMeetings(deps: MeetingsDeps): Meetings {
  const { store, clock } = deps;
  const wakeup = createWakeup();
  const lane = oneByOne();
  const self = { failed: 0 };
  const get = async (id: string) => {
    const job = await store.read((q) => getMeetingJob(q, id));
    if (job === undefined)
      throw new AppError("E_NOT_FOUND", `no such meeting job: ${id}`, {
        id,
        hint: "agent meetings list lists jobs",
      });
    return job;
  };
  return {
    get,
    failed: () => self.failed,
    add: async (resource) => {
      const now = clock.now();
      const eventId = createHash("sha256")
        .update(JSON.stringify(["asked", resource, deps.ids.hex(16)]))
        .digest("hex");
      const job = jobOf({ eventId, subscription: "", resource, change: "asked" }, now);
      await store.write("meetings.add", (tx) => addMeetingJob(tx, job));
      return job;
    },
    list: () => store.read((q) => listMeetingJobs(q, LISTED)),
    run: (id, { force = false, signal = new AbortController().signal } = {}) =>
      lane(async () => {
        signal.throwIfAborted();
        const next = begunAnew(await get(id), { force, now: clock.now() });
        await store.write("meetings.run", (tx) => putMeetingJob(tx, next));
        wakeup.notify();
        return worked(deps, next, signal);
      }),
    take: async (found) => {
      const jobs = found.map((one) => jobOf(one, clock.now()));
      try {
        const room = await store.write("meetings.take", async (tx) => {
          if ((await countOpenMeetingJobs(tx)) + jobs.length > LIMITS.inboxOpen) return false;
          for (const job of jobs) await addMeetingJob(tx, job);
          return true;
        });
        if (room) wakeup.notify();
        return room ? "stored" : "busy";
      } catch (error) {
        deps.log.error("cannot confirm notifications: the store cannot be written", {
          error: toAppError(error).message,
        });
        return "busy";
      }
    },
    service: defineService("meetings", async (scope) => {
      scope.loop(async () => {
        const next = await looked(deps, lane, scope);
        self.failed = await store.read((q) => countFailedMeetingJobs(q, clock.now() - DAY_MS)).catch(() => self.failed);
        const cancel = clock.after(next, () => wakeup.notify());
        try {
          await wakeup.wait(scope.signal);
        } finally {
          cancel();
        }
      });
    }),
  };
}

function jobOf({ eventId, subscription, resource, change }: Notification, now: number): MeetingJob {
  return {
    id: `mj_${eventId.slice(0, 16)}`,
    event_id: eventId,
    subscription_id: subscription,
    resource,
    change_type: change,
    state: "received",
    step: "received",
    attempts: 0,
    next_at: now,
    data: "{}",
    error: null,
    created_at: now,
    updated_at: now,
  };
}

const isOver = ({ state }: MeetingJob): boolean => state === "completed" || state === "failed";

function begunAnew(job: MeetingJob, { force, now }: { readonly force: boolean; readonly now: number }): MeetingJob {
  const anew = force || isOver(job);
  const step: MeetingStep = anew ? "received" : job.step;
  const data = anew ? JSON.stringify(force ? { force } : {}) : job.data;
  return { ...job, step, state: step, attempts: 0, next_at: now, error: null, data, updated_at: now };
}

async function looked(deps: MeetingsDeps, lane: RunOneByOne, { signal }: Scope): Promise<Ms> {
  const { store, clock, log } = deps;
  try {
    for (;;) {
      const open = await store.read((q) => openMeetingJobs(q, AT_ONCE));
      const due = open.filter(({ next_at: at }) => at <= clock.now());
      for (const { id } of due) {
        await lane(async () => {
          // It may have been worked on while it stood in the lane.
          const job = await store.read((q) => getMeetingJob(q, id));
          if (job !== undefined && !isOver(job) && job.next_at <= clock.now()) await worked(deps, job, signal);
        });
      }
      if (due.length > 0) continue;
      const before = clock.now() - KEPT_MS;
      await store.write("meetings.prune", (tx) => pruneMeetingJobs(tx, before));
      return Math.min(ROUND_MS, ...open.map(({ next_at: at }) => at - clock.now()));
    }
  } catch (error) {
    if (!signal.aborted) log.error("meetings are waiting", { error: toAppError(error).message });
    return BROKEN_MS;
  }
}

/** Work a job to its end or its next failure; what every step found is stored before the next. */
async function worked(
  { store, clock, log, ports, signals }: MeetingsDeps,
  first: MeetingJob,
  signal: AbortSignal,
): Promise<MeetingJob> {
  let job = first;
  const put = async (change: Partial<MeetingJob>, forget?: string) => {
    const next = { ...job, ...change, updated_at: clock.now() };
    await store.write("meetings.step", async (tx) => {
      await putMeetingJob(tx, next);
      if (forget !== undefined) await forgetSummaries(tx, forget);
    });
    job = next;
  };
  while (job.step !== "completed") {
    try {
      if (job.state !== job.step) await put({ state: job.step });
      const data = JSON.parse(job.data) as MeetingData; // written here alone
      const next = await workMeetingStep(job.step, job.resource, data, { ports, signal });
      await put({ step: next.step, state: next.step, data: JSON.stringify(next.data), error: null }, next.forget);
    } catch (error) {
      if (signal.aborted) throw error;
      const { message } = toAppError(error);
      const wait = error instanceof Hopeless ? undefined : RETRIES_MS[job.attempts];
      log.warning("failed to process a meeting", {
        id: job.id,
        step: job.step,
        error: message,
        again_ms: wait ?? null,
      });
      const attempts = job.attempts + 1;
      if (wait === undefined) await put({ state: "failed", attempts, error: message });
      else await put({ state: "retry_scheduled", attempts, next_at: clock.now() + wait, error: message });
      break;
    }
  }
  signals?.settled?.emit(job);
  return job;
}
