import { toAppError } from "../../base/errors.js";
import { faultPoint } from "../../base/fault.js";
import { type EpochMs, toIso } from "../../base/units.js";
import {
  CURATOR_ARCHIVE_AFTER_DAYS,
  CURATOR_PRUNE_BUILTINS,
  CURATOR_STALE_AFTER_DAYS,
  type CuratorChange,
  type CuratorModelPass,
  type CuratorRun,
} from "../../contracts/skills/curator.js";
import type { SkillUsage } from "../../contracts/skills/usage.js";
import { flagLines } from "../../safety/redact/injection.js";
import { applyChange, type CuratorChangeDeps, planChange, scheduledSkills, shownDiff } from "./changes.js";
import { type Ages, idleDays, isMade, type KnownSkill, stateByAge } from "./curated.js";
import type { CuratorDeps } from "./curator-deps.js";
import { askForProposals, isAsShown, type ModelQuestion, questionOf } from "./model-pass.js";
import { type Proposal, readProposals } from "./proposals.js";

/** What a run looks at, as it begins. */
export interface CurationInput {
  readonly id: string;
  readonly started: EpochMs;
  readonly dryRun: boolean;
  readonly skills: readonly KnownSkill[];
  /** Names that a new skill may not take beside those of `skills`. */
  readonly taken: readonly string[];
  /** Why a skill of the agent is left alone, beside its pin; undefined: it is not. */
  readonly touched: (skill: KnownSkill) => Promise<string | undefined>;
}

/** What a run proposes. Nothing of it is done yet. */
export type RunDraft = Pick<CuratorRun, "transitions" | "left" | "model" | "changes">;

/** A change before it has its number. */
type Draft = Omit<CuratorChange, "n" | "status" | "diff" | "version" | "jobs">;

/** Look at all skills and propose changes: by age first, then by the model. Only marks of age are written, and only when it is not dry. */
export async function proposeChanges(
  deps: CuratorDeps,
  changing: CuratorChangeDeps,
  input: CurationInput,
  signal: AbortSignal,
): Promise<RunDraft> {
  const scheduled = await scheduledSkills(changing);
  const free: KnownSkill[] = [];
  const left: { name: string; why: string }[] = [];
  for (const known of input.skills.filter(isMade)) {
    const why = known.use.pinned ? "it is pinned" : await input.touched(known);
    if (why === undefined) free.push(known);
    else left.push({ name: known.skill.name, why });
  }
  const aged = await byAge(deps, changing.usage, { ...input, skills: free, scheduled });
  const unlisted = await unlistBundled(deps, changing.usage, input);
  const gone = new Set(aged.archive.map(({ skill }) => skill.name));
  const question = questionOf(
    free.filter(({ skill }) => !gone.has(skill.name)),
    { now: input.started, redact: deps.redact },
  );
  const { pass, answer } = await askForProposals(deps.aux, question, signal);
  signal.throwIfAborted();
  const proposals =
    answer === undefined
      ? []
      : readProposals(answer, {
          shown: new Set(question.shown.map(({ name }) => name)),
          withFiles: new Set(question.shown.filter(({ files }) => files.length > 0).map(({ name }) => name)),
          taken: new Set([...input.skills.map(({ skill }) => skill.name), ...input.taken]),
          scheduled,
        });
  const model: CuratorModelPass =
    proposals === undefined
      ? { ...pass, state: "unusable", note: "the answer is not the JSON that was asked for" }
      : pass;
  const drafts: Draft[] = [
    ...aged.archive.map(({ skill, use }) => archiveDraft(skill.name, idleDays(use, input.started) ?? 0)),
    ...unlisted.map(unlistDraft),
    ...(proposals ?? []).map((one) => ({
      ...one,
      by: "model" as const,
      note: one.note || changedSince(one, question),
    })),
  ];
  const changes: CuratorChange[] = [];
  for (const [index, draft] of drafts.entries())
    changes.push(await planned(changing, input, { ...draft, n: index + 1 }));
  return { transitions: aged.transitions, left: [...left, ...question.left], model, changes };
}

/** The agent may have worked on a skill while the model thought; "": it has not. */
function changedSince({ skill, absorbed }: Proposal, { shown }: ModelQuestion): string {
  const changed = shown.find((one) => (one.name === skill || absorbed.includes(one.name)) && !isAsShown(one));
  return changed === undefined ? "" : `${changed.name} has changed while the model was asked`;
}

const archiveDraft = (skill: string, days: number): Draft => ({
  kind: "archive",
  by: "rule",
  skill,
  absorbed: [],
  why: `no activity for ${days} days`,
  note: "",
  changes: [{ action: "archive", name: skill }],
});

const unlistDraft = (skill: string): Draft => ({
  kind: "unlist",
  by: "rule",
  skill,
  absorbed: [],
  why: "not used for curator.archive_after_days",
  note: "",
  changes: [],
});

/** The change with its diff, or refused with the reason. */
async function planned(
  deps: CuratorChangeDeps,
  run: CurationInput,
  draft: Draft & { readonly n: number },
): Promise<CuratorChange> {
  const base = { ...draft, diff: "", version: null, jobs: [] } as const;
  const refused = (note: string): CuratorChange => ({
    ...base,
    status: "refused",
    note: deps.redact(note),
    why: deps.redact(draft.why),
    changes: [],
  });
  if (draft.note !== "") return refused(draft.note);
  const why = textRefusal(draft.changes, deps.redact);
  if (why !== undefined) return refused(why);
  const change: CuratorChange = { ...base, status: "proposed", why: deps.redact(draft.why) };
  if (change.kind === "unlist") return change;
  try {
    const plan = await planChange(deps, { run, change });
    const [finding] = plan.findings;
    if (finding !== undefined) return refused(`the new text is not accepted: ${finding.rule} in line ${finding.line}`);
    if (plan.verdict === "dangerous") return refused("the security scan finds the new text dangerous");
    return { ...change, diff: shownDiff(deps, plan) };
  } catch (error) {
    return refused(toAppError(error).message);
  }
}

/** Why the text of a model does not become a skill. */
function textRefusal(changes: CuratorChange["changes"], redact: (text: string) => string): string | undefined {
  for (const one of changes) {
    if (one.action === "archive") continue;
    if (redact(one.content) !== one.content) return "the new text holds what looks like a secret";
    const [flag] = flagLines(one.content).flags;
    if (flag !== undefined) return `the new text addresses the model: ${flag.ids.join(", ")} in line ${flag.line}`;
  }
  return undefined;
}

interface Aged {
  readonly transitions: CuratorRun["transitions"];
  readonly archive: readonly KnownSkill[];
}

/** Marks skills active or stale, and finds those to archive. A skill without any date counts from now on. */
async function byAge(
  { config }: CuratorDeps,
  usage: SkillUsage,
  {
    skills,
    started,
    dryRun,
    scheduled,
  }: Pick<CurationInput, "skills" | "started" | "dryRun"> & { readonly scheduled: ReadonlySet<string> },
): Promise<Aged> {
  const ages: Ages = { stale: config.get(CURATOR_STALE_AFTER_DAYS), archive: config.get(CURATOR_ARCHIVE_AFTER_DAYS) };
  const transitions: { name: string; from: "active" | "stale" | "archived"; to: "active" | "stale" | "archived" }[] =
    [];
  const archive: KnownSkill[] = [];
  for (const known of skills) {
    const { skill, use } = known;
    const wanted = scheduled.has(skill.name) ? "active" : stateByAge(use, started, ages);
    if (idleDays(use, started) === undefined && !dryRun)
      await usage.change(skill.name, (before) => ({ ...before, created_at: before.created_at ?? started }));
    if (wanted === "archived") archive.push(known);
    else if (wanted !== use.state) {
      transitions.push({ name: skill.name, from: use.state, to: wanted });
      if (!dryRun) await usage.change(skill.name, (before) => ({ ...before, state: wanted }));
    }
  }
  return { transitions, archive };
}

/** Bundled skills that were not used for long. The product's files are never touched; using one lists it again. */
async function unlistBundled(
  { config }: CuratorDeps,
  usage: SkillUsage,
  { skills, started, dryRun }: CurationInput,
): Promise<readonly string[]> {
  if (!config.get(CURATOR_PRUNE_BUILTINS)) return [];
  const days = config.get(CURATOR_ARCHIVE_AFTER_DAYS);
  const found: string[] = [];
  for (const { skill, use } of skills) {
    if (skill.origin !== "bundled" || use.pinned || use.state === "archived") continue;
    const idle = idleDays(use, started);
    if (idle === undefined && !dryRun) await usage.change(skill.name, (before) => ({ ...before, created_at: started }));
    if ((idle ?? 0) >= days) found.push(skill.name);
  }
  return found;
}

/** How changes are applied. */
export interface ApplyingChanges {
  readonly save: (run: CuratorRun) => void;
  /** Why a change may not be made by now; undefined: it may. */
  readonly refusal: (change: CuratorChange) => Promise<string | undefined>;
  readonly signal?: AbortSignal;
}

/** Apply what is proposed, one change after the other; one that fails is noted, and the others are made. */
export async function applyProposed(
  deps: CuratorChangeDeps,
  run: CuratorRun,
  { save, refusal, signal }: ApplyingChanges,
): Promise<CuratorRun> {
  let now = run;
  const put = (change: CuratorChange) => {
    now = withChange(now, change);
    save(now);
  };
  for (const change of run.changes) {
    if (signal?.aborted === true) break;
    if (change.status !== "proposed") continue;
    try {
      const why = (await refusal(change)) ?? textRefusal(change.changes, deps.redact);
      if (why === undefined) await applyChange(deps, { run, change, save: put });
      else put({ ...change, status: "failed", note: why });
    } catch (error) {
      put({ ...change, status: "failed", note: deps.redact(toAppError(error).message) });
    }
    faultPoint("curator.change-applied");
  }
  return now;
}

/** The run with another state of one of its changes. */
export const withChange = (run: CuratorRun, change: CuratorChange): CuratorRun => ({
  ...run,
  changes: run.changes.map((one) => (one.n === change.n ? change : one)),
});

/** What a run did, or would do, in one sentence. */
export function summaryOf({ changes, transitions, model, dry_run: dry }: Omit<CuratorRun, "summary">): string {
  const done = changes.filter(({ status }) => status === "applied" || status === "proposed");
  const open = done.some(({ status }) => status === "proposed");
  const count = (kind: CuratorChange["kind"]) => done.filter((one) => one.kind === kind).length;
  const merged = done.flatMap(({ kind, absorbed }) => (kind === "merge" ? absorbed : []));
  const stale = transitions.filter(({ to }) => to === "stale").length;
  const refused = changes.filter(({ status }) => status === "refused" || status === "failed").length;
  const parts = [
    merged.length === 0 ? "" : `${merged.length} ${plural(merged.length, "skill")} merged into ${count("merge")}`,
    count("edit") === 0 ? "" : `${count("edit")} edited`,
    count("archive") === 0 ? "" : `${count("archive")} archived`,
    count("unlist") === 0 ? "" : `${count("unlist")} bundled left out of the list`,
    stale === 0 ? "" : `${stale} stale`,
    refused === 0 ? "" : `${refused} refused`,
  ].filter((text) => text !== "");
  const head = dry ? "Would do" : open ? "Proposed" : "Done";
  const asked = model.state === "failed" || model.state === "unusable" ? " The model gave no usable answer." : "";
  return `${parts.length === 0 ? "Nothing to change" : `${head}: ${parts.join(", ")}`}.${asked}`;
}

const plural = (count: number, word: string): string => (count === 1 ? word : `${word}s`);

/** A run that has not begun to change anything. */
export function reportOf(
  input: Pick<CurationInput, "id" | "started" | "dryRun">,
  draft: RunDraft,
  around: Pick<CuratorRun, "cause" | "backup" | "report" | "duration">,
): CuratorRun {
  const run = {
    id: input.id,
    started_at: toIso(input.started),
    dry_run: input.dryRun,
    ...around,
    ...draft,
  };
  return { ...run, summary: summaryOf(run) };
}
