import { AppError, toAppError } from "../../base/errors.js";
import { faultPoint } from "../../base/fault.js";
import type { CronApi } from "../../contracts/gateway/cron.js";
import type { CuratorChange, CuratorRun } from "../../contracts/skills/curator.js";
import type { SkillUsage } from "../../contracts/skills/usage.js";
import type { SkillPlan, SkillVersion, SkillWrites, WrittenBy } from "../../contracts/skills/writes.js";

export interface CuratorChangeDeps {
  readonly writes: SkillWrites;
  readonly usage: SkillUsage;
  /** Undefined: this process has no scheduled jobs. */
  readonly cron: Pick<CronApi, "list" | "edit"> | undefined;
  /** Masks secrets in what is stored to be shown. */
  readonly redact: (text: string) => string;
}

/** The change of a run, and how its next state is stored in the report. */
export interface ChangeWork {
  readonly run: Pick<CuratorRun, "id">;
  readonly change: CuratorChange;
  /** Store a state of the change. */
  readonly save: (change: CuratorChange) => void;
}

const noteOf = ({ run, change }: Pick<ChangeWork, "run" | "change">): string => `curator ${run.id}:${change.n}`;

/** The difference as it is stored: secrets masked, and the random part of a place in the archive left out. */
export const shownDiff = ({ redact }: Pick<CuratorChangeDeps, "redact">, { diff }: Pick<SkillPlan, "diff">): string =>
  redact(diff.replace(/\.archive\/\.replaced\/[0-9a-f]+\//g, ".archive/.replaced/"));

/** What the change would do now, by the rules for the curator. @throws what forbids it */
export const planChange = (deps: CuratorChangeDeps, work: Pick<ChangeWork, "run" | "change">): Promise<SkillPlan> =>
  deps.writes.plan(work.change.changes, { who: "curator", note: noteOf(work) });

/**
 * Make a change: the skills first, as one step with a version, then the scheduled jobs that name an absorbed skill.
 *
 * @throws E_CONFLICT when a skill has changed since the change was proposed: nothing is changed
 */
export async function applyChange(deps: CuratorChangeDeps, work: ChangeWork): Promise<CuratorChange> {
  const { change, save } = work;
  if (change.kind === "unlist") {
    await deps.usage.change(change.skill, (before) => ({ ...before, state: "archived" }));
    return saved(save, { ...change, status: "applied" });
  }
  const plan = await planChange(deps, work);
  if (shownDiff(deps, plan) !== change.diff)
    throw new AppError("E_CONFLICT", `the skills of change ${change.n} have changed since it was proposed`, {
      hint: "run the curator again",
    });
  const begun = saved(save, { ...change, status: "applying", jobs: await jobsFor(deps, change) });
  faultPoint("curator.change-begun");
  let version: string;
  try {
    ({ version } = await deps.writes.apply(plan, { who: "curator", note: noteOf(work) }));
  } catch (error) {
    save(change);
    throw error;
  }
  faultPoint("curator.skills-changed");
  const failed = await rewriteJobs(deps, begun, "after");
  faultPoint("curator.jobs-rewritten");
  return saved(save, { ...begun, status: "applied", version, note: failed });
}

/**
 * Revert a change byte for byte, with the scheduled jobs that it rewrote.
 *
 * @throws E_CONFLICT when a skill has changed since: nothing is changed
 */
export async function undoChange(deps: CuratorChangeDeps, work: ChangeWork): Promise<CuratorChange> {
  const { change, save } = work;
  if (change.kind === "unlist") {
    await deps.usage.change(change.skill, (before) => ({ ...before, state: "active" }));
    return saved(save, { ...change, status: "undone" });
  }
  const version = await versionOf(deps, work);
  if (version === undefined)
    throw new AppError("E_STATE", `the version of change ${change.n} is no longer kept`, {
      hint: "agent curator rollback restores the skills from a backup",
    });
  const begun = saved(save, { ...change, status: "undoing" });
  faultPoint("curator.undo-begun");
  try {
    await deps.writes.undo(version.id, personFor(work));
  } catch (error) {
    save(change);
    throw error;
  }
  faultPoint("curator.undo-done");
  const failed = await rewriteJobs(deps, begun, "before");
  return saved(save, { ...begun, status: "undone", note: failed });
}

const personFor = (work: Pick<ChangeWork, "run" | "change">): WrittenBy => ({
  who: "user",
  note: `undo ${noteOf(work)}`,
});

function saved(save: ChangeWork["save"], change: CuratorChange): CuratorChange {
  save(change);
  return change;
}

/** Settle a change whose process was killed: the skills are as before it, or as after it, and so are the jobs then. */
export async function settleChange(deps: CuratorChangeDeps, work: ChangeWork): Promise<void> {
  const { change, save } = work;
  const version = await versionOf(deps, work);
  if (change.status === "applying") {
    if (version === undefined) return save({ ...change, status: "proposed" });
    const failed = await rewriteJobs(deps, change, "after");
    return save({ ...change, status: "applied", version: version.id, note: failed });
  }
  const undone = (await versionsOf(deps, change)).some(({ undoes }) => undoes !== undefined && undoes === version?.id);
  if (!undone) return save({ ...change, status: "applied" });
  const failed = await rewriteJobs(deps, change, "before");
  save({ ...change, status: "undone", note: failed });
}

const versionsOf = async (
  { writes }: CuratorChangeDeps,
  { changes, skill }: CuratorChange,
): Promise<readonly SkillVersion[]> => writes.versions(changes[0]?.name ?? skill);

/** The version that the change made; a report that names another one is not believed. */
async function versionOf(
  deps: CuratorChangeDeps,
  work: Pick<ChangeWork, "run" | "change">,
): Promise<SkillVersion | undefined> {
  const note = noteOf(work);
  return (await versionsOf(deps, work.change)).find(({ by }) => by.who === "curator" && by.note === note);
}

/** Jobs that name an absorbed skill get the one that it became part of. */
async function jobsFor(
  { cron }: CuratorChangeDeps,
  { absorbed, skill }: CuratorChange,
): Promise<CuratorChange["jobs"]> {
  if (cron === undefined || absorbed.length === 0) return [];
  return (await cron.list(true)).flatMap(({ id, skills }) => {
    if (!skills.some((name) => absorbed.includes(name))) return [];
    const after = [...new Set(skills.map((name) => (absorbed.includes(name) ? skill : name)))];
    return [{ id, before: skills, after }];
  });
}

/** @returns what could not be done; "": everything was. A job that was changed since stays as it is. */
async function rewriteJobs(
  { cron }: CuratorChangeDeps,
  { jobs }: CuratorChange,
  to: "before" | "after",
): Promise<string> {
  if (jobs.length === 0) return "";
  if (cron === undefined) return "scheduled jobs were not rewritten: this process has none";
  const now = new Map((await cron.list(true)).map((job) => [job.id, job.skills]));
  const failed: string[] = [];
  for (const job of jobs) {
    const skills = now.get(job.id);
    const from = to === "after" ? job.before : job.after;
    if (skills === undefined || !same(skills, from)) continue;
    await cron
      .edit(job.id, { skills: job[to] })
      .catch((error: unknown) => void failed.push(`job ${job.id} was not rewritten: ${toAppError(error).message}`));
  }
  return failed.join("; ");
}

const same = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((one, index) => one === b[index]);

/** Names of the skills that scheduled jobs use. */
export async function scheduledSkills({ cron }: Pick<CuratorChangeDeps, "cron">): Promise<ReadonlySet<string>> {
  const jobs = (await cron?.list(true)) ?? [];
  return new Set(jobs.filter(({ state }) => state !== "completed").flatMap(({ skills }) => skills));
}
