import { LIMITS } from "../../base/limits.js";
import { isWithin } from "../../safety/paths/paths.js";
import type { Effects } from "../core/define.js";

/** One call of a response, ready to run. */
export interface CallJob<T> {
  readonly effects: Effects;
  /** Must not reject: a failing tool is a result. */
  run(): Promise<T>;
  /** The result of a job that never started, because the turn was interrupted. */
  skip(): Promise<T>;
}

/**
 * Run jobs by their declared effects (core part, 6.1): they start in order, each as soon as no earlier unfinished one conflicts with it and
 * fewer than `limit` run. Results take the places of their jobs. After abort nothing more starts, and the rest is skipped.
 */
export async function scheduleJobs<T>(
  jobs: readonly CallJob<T>[],
  signal: AbortSignal,
  limit: number = LIMITS.parallelCalls,
): Promise<readonly T[]> {
  const results: Promise<T>[] = [];
  const running = new Set<{ effects: Effects; settled: Promise<unknown> }>();
  for (const job of jobs) {
    while (
      !signal.aborted &&
      (running.size >= limit || [...running].some((other) => conflicts(job.effects, other.effects)))
    ) {
      await Promise.race([...running].map((other) => other.settled));
    }
    if (signal.aborted) {
      results.push(job.skip());
      continue;
    }
    const result = job.run();
    const entry = { effects: job.effects, settled: settle(result, () => running.delete(entry)) };
    running.add(entry);
    results.push(result);
  }
  return Promise.all(results);
}

/** The same for jobs that come one by one. */
export interface Scheduler {
  /** Run `work` as soon as no earlier unfinished one conflicts with it. */
  run<T>(effects: Effects, work: () => Promise<T>): Promise<T>;
}

export function createScheduler(limit: number = LIMITS.parallelCalls): Scheduler {
  const before: { readonly effects: Effects; started: boolean; readonly settled: Promise<unknown> }[] = [];
  const blockers = (mine: (typeof before)[number]) => {
    const earlier = before.slice(0, before.indexOf(mine));
    const running = earlier.filter((one) => one.started);
    return running.length >= limit ? running : earlier.filter((one) => conflicts(mine.effects, one.effects));
  };
  return {
    run: async (effects, work) => {
      let done: () => void = () => undefined;
      const settled = new Promise<void>((resolve) => {
        done = resolve;
      });
      const mine = { effects, started: false, settled };
      before.push(mine);
      try {
        for (let others = blockers(mine); others.length > 0; others = blockers(mine))
          await Promise.race(others.map((one) => one.settled));
        mine.started = true;
        return await work();
      } finally {
        before.splice(before.indexOf(mine), 1);
        done();
      }
    },
  };
}

async function settle(work: Promise<unknown>, done: () => void): Promise<void> {
  try {
    await work;
  } catch {
    /* ok to lose: the reader of the results gets this rejection. */
  } finally {
    done();
  }
}

/** One writes what the other reads or writes. Two calls that both start children do not disturb each other. */
function conflicts(a: Effects, b: Effects): boolean {
  if (a.writes.includes("children") && b.writes.includes("children")) return false;
  return (
    a.writes.some((write) => touches(write, b.writes) || touches(write, b.reads)) ||
    b.writes.some((write) => touches(write, a.reads))
  );
}

function touches(resource: string, others: readonly string[]): boolean {
  return others.some((other) => covers(resource, other) || covers(other, resource));
}

function covers(outer: string, inner: string): boolean {
  if (outer === inner || outer === "world") return true;
  if (!outer.startsWith("tree:")) return false;
  const root = outer.slice(5);
  const path = inner.startsWith("path:") || inner.startsWith("tree:") ? inner.slice(5) : undefined;
  return path !== undefined && isWithin(path, root);
}
