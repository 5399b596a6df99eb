import type { NewOutboxRow } from "../../../storage/tables/gateway/outbox.js";
import { toAppError } from "../../base/errors.js";
import type { PlatformTag } from "../../contracts/board/platform-tag.js";
import type { CronJob } from "../../contracts/gateway/cron.js";
import { traitsOf } from "../../contracts/gateway/platform-traits.js";
import type { HomeView } from "../../contracts/gateway/reach.js";
import type { FoundTarget } from "../../contracts/gateway/targets.js";
import type { Courier } from "../delivery/courier.js";
import type { PlatformSettings } from "../settings/platform-settings.js";
import type { JobDelivery, JobRunnerDeps } from "./job-runner.js";

export interface CronDeliveryDeps {
  readonly courier: () => Promise<Courier>;
  readonly settings: (platform: PlatformTag) => PlatformSettings;
  /** What the maker of the job may see of homes; undefined: everything. */
  readonly viewOf: (job: CronJob) => HomeView | undefined;
}

/**
 * Turns what a run has to say into messages that are stored in the commit of its end (gateway part, 17.5). A target that is wrong keeps no other
 * from being notified; it is the error of the delivery.
 */
export function createDelivery(deps: CronDeliveryDeps): JobRunnerDeps["deliver"] {
  return async (job, run, { text, format, session }) => {
    const courier = await deps.courier();
    const { places, errors, local } = await findJobPlaces(deps, courier, job);
    const rows: NewOutboxRow[] = [];
    for (const [n, place] of places.entries()) {
      try {
        const writer = { view: deps.viewOf(job), lineage: session ?? undefined };
        const drafted = await courier.draft(place, {
          kind: "cron",
          text,
          format,
          ...writer,
          key: `cron:${run.id}:${n}`,
        });
        rows.push(...drafted.rows);
        errors.push(...drafted.refused.map(({ path, reason }) => `cannot send ${path}: ${reason}`));
      } catch (error) {
        errors.push(toAppError(error).message);
      }
    }
    const error = errors.length === 0 ? undefined : errors.join("; ");
    if (rows.length === 0) return error === undefined && local ? NONE : { status: "failed", ids: [], error };
    return {
      status: "pending",
      ids: rows.map(({ id }) => id),
      error,
      sends: rows,
      stored: () => courier.wake(),
    } satisfies JobDelivery;
  };
}

const NONE: JobDelivery = { status: "none", ids: [] };

interface Places {
  readonly places: readonly FoundTarget[];
  readonly errors: string[];
  /** Nothing is sent because it is not wanted. */
  readonly local: boolean;
}

/** Where the output of a job goes, in threads of jobs where the platform has them. */
export async function findJobPlaces(
  { settings }: Pick<CronDeliveryDeps, "settings">,
  courier: Courier,
  job: CronJob,
): Promise<Places> {
  const places = new Map<string, FoundTarget>();
  const errors: string[] = [];
  let local = false;
  const origin = job.origin !== null && (await courier.isSetUp(job.origin.platform)) ? job.origin : undefined;
  for (const part of courier.split(job.deliver)) {
    try {
      const found = await courier.find(part, origin);
      local ||= found.local;
      for (const place of found.places.map((one) => inThread(one, settings))) {
        const key = JSON.stringify([place.platform, place.chatId, place.threadId]);
        if (!places.has(key)) places.set(key, place);
      }
    } catch (error) {
      errors.push(toAppError(error).message);
    }
  }
  return { places: [...places.values()], errors, local };
}

/** Why the targets of a job cannot be reached as things are now: no home channel, or a platform without credentials. */
export async function findUnreachable(
  courier: Courier,
  { deliver, origin }: Pick<CronJob, "deliver" | "origin">,
): Promise<readonly string[]> {
  const problems: string[] = [];
  const from = origin !== null && (await courier.isSetUp(origin.platform)) ? origin : undefined;
  for (const part of courier.split(deliver)) {
    try {
      for (const { platform } of (await courier.find(part, from)).places)
        if (!(await courier.isSetUp(platform)))
          problems.push(`${part}: ${platform} is not configured; agent gateway setup ${platform}`);
    } catch (error) {
      problems.push(`${part}: ${toAppError(error).message}`);
    }
  }
  return [...new Set(problems)].map((problem) => `cannot deliver output to ${problem}`);
}

/** A thread that the target names wins, then that of jobs, then that of the home channel (gateway part, 16.1.8). */
function inThread(place: FoundTarget, settings: CronDeliveryDeps["settings"]): FoundTarget {
  if (!traitsOf(place.platform).jobThread || !place.home || place.explicitThread) return place;
  return { ...place, threadId: settings(place.platform).text("CRON_THREAD_ID") ?? place.threadId };
}
