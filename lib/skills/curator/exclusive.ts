import { join } from "node:path";
import { AppError, toAppError } from "../../base/errors.js";
import { type FileLock, lockFile } from "../../base/process/file-lock.js";
import { finishSwaps } from "../files/swap.js";
import { type BackupJobs, readJobs } from "./backup.js";
import { type CuratorChangeDeps, settleChange } from "./changes.js";
import type { CuratorDeps } from "./curator-deps.js";
import type { CuratorPlaces } from "./places.js";
import { unsettledRuns, writeReport } from "./report.js";
import { closeRollback, finishRollback, isRollbackOpen } from "./rollback.js";
import { withChange } from "./run.js";
import type { StateFile } from "./state.js";

/** Milliseconds that a command waits for another change of the skills; its end is near by then, or it is stopped. */
export const LOCK_WAIT_MS = 10_000;

/** What each part of the curator works with. */
export interface CuratorParts {
  readonly deps: CuratorDeps;
  readonly places: CuratorPlaces;
  readonly state: StateFile;
}

/** One change of the skills at a time, in whichever process; what a killed process left half done is finished first. */
export async function whileCurating<T>(
  parts: CuratorParts,
  waitMs: number,
  work: (changing: CuratorChangeDeps) => Promise<T>,
): Promise<T> {
  const { deps, places } = parts;
  const lock = await lockFile(places.lock, deps, { ms: waitMs }).catch((error: unknown) => {
    if (toAppError(error).code !== "E_BUSY") throw error;
    throw new AppError("E_BUSY", "the curator is at work already", { hint: "agent curator status shows it" }, error);
  });
  try {
    const { redact, cron } = deps;
    const changing: CuratorChangeDeps = { writes: await deps.writes(), usage: await deps.usage(), cron, redact };
    await changing.writes.pending(); // completes a change that was cut short
    await finishSwaps(deps);
    await settleRuns(parts, changing);
    return await work(changing);
  } finally {
    lock.release();
  }
}

/** Finish a killed rollback. The holder of the lock finishes it, or is the one who rolls back. */
export async function finishKilledRollback(parts: CuratorParts): Promise<void> {
  if (!isRollbackOpen(parts.places)) return;
  try {
    await whileCurating(parts, 0, async () => undefined);
  } catch (error) {
    if (toAppError(error).code !== "E_BUSY") throw error;
  }
}

async function settleRuns({ deps, places }: CuratorParts, changing: CuratorChangeDeps): Promise<void> {
  const rest = finishRollback(places);
  if (rest !== undefined) {
    const { warnings } = await relinkJobs(deps, readJobs(places, rest.id));
    for (const warning of warnings) deps.log.warning("rollback of the skills", { warning });
    closeRollback(places, rest);
  }
  for (const run of unsettledRuns(places)) {
    let now = run;
    for (const change of run.changes)
      if (change.status === "applying" || change.status === "undoing")
        await settleChange(changing, { run, change, save: (next) => (now = withChange(now, next)) });
    writeReport(places, now);
  }
}

/** While no other part changes skills: neither tools nor the hub. */
export async function whileSkillsLocked(parts: CuratorParts, work: () => Promise<void>): Promise<void> {
  const { deps, places } = parts;
  const locks: FileLock[] = [];
  try {
    for (const name of [".staging.lock", ".versions/.lock"])
      locks.push(await lockFile(join(places.skills, name), deps, { ms: LOCK_WAIT_MS }));
    await work();
  } finally {
    for (const lock of locks) lock.release();
  }
}

/** Set the skills of scheduled jobs back to those of a backup. A job that is gone, or was made since, stays as it is. */
export async function relinkJobs(
  { cron }: CuratorDeps,
  jobs: BackupJobs,
): Promise<{ readonly jobs: readonly string[]; readonly warnings: readonly string[] }> {
  if (cron === undefined || jobs.length === 0) return { jobs: [], warnings: [] };
  const now = new Map((await cron.list(true)).map((job) => [job.id, job.skills]));
  const done: string[] = [];
  const warnings: string[] = [];
  for (const { id, name, skills } of jobs) {
    const has = now.get(id);
    if (has === undefined || JSON.stringify(has) === JSON.stringify(skills)) continue;
    try {
      await cron.edit(id, { skills });
      done.push(name);
    } catch (error) {
      warnings.push(`the skills of job ${name} were not set back: ${toAppError(error).message}`);
    }
  }
  return { jobs: done, warnings };
}
