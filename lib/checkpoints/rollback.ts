import { AppError } from "../base/errors.js";
import { faultPoint } from "../base/fault.js";
import type { CheckpointDiff, RestoreReport, SkippedPath } from "../contracts/owner/checkpoints.js";
import { type Applied, applySteps } from "./apply.js";
import { capture } from "./capture.js";
import { textsDiffer } from "./lines.js";
import { leftAs, type Manifest } from "./manifest.js";
import { type ChangingTurn, type CheckpointParts, captureOptions, newestState, nowOf } from "./parts.js";
import {
  classifyStep,
  type PlanOptions,
  planRollback,
  type RestorePlan,
  type RestoreStep,
  type RestoreTarget,
  readRestoreTarget,
  toStepKind,
} from "./plan.js";
import { limitStore } from "./prune.js";
import { type CheckpointHeader, toRecord } from "./records.js";
import { doneLeft, planLeft, settleCutOffTurns } from "./residue.js";
import { slices } from "./slices.js";
import type { Project } from "./store.js";
import { isKept, record, toTooLargeError } from "./take.js";

export interface Rolling extends PlanOptions {
  readonly project: Project;
  readonly header: CheckpointHeader;
  readonly force: boolean;
  readonly origin: { readonly lineage: string | null; readonly session: string | null };
}

/** Bring a directory back to a checkpoint. The state before is kept first; without that nothing is changed. */
export async function rollBack(parts: CheckpointParts, rolling: Rolling): Promise<RestoreReport> {
  const { project, header, force, origin } = rolling;
  const { directory } = project.record;
  refuseRunning(parts, directory);
  const target = await readRestoreTarget(parts, project, header);
  const use = {
    kind: "rollback",
    reason: `before rollback to ${header.id}`,
    ...origin,
    turn: null,
    round: 0,
    at: nowOf(parts),
  } as const;
  const before = await record(parts, { directory, named: wanted(target.state), use });
  if (!isKept(before)) throw toTooLargeError(directory);
  await settleCutOffTurns(parts, project, before.captured);
  const plan = await planRollback(parts, target, before.captured, rolling);
  const steps = force ? inOrder([...plan.steps, ...plan.outside]) : plan.steps;
  planLeft(parts, project, new Map(steps.map(({ path, now, was }) => [path, { now: leftAs(now), was: leftAs(was) }])));
  faultPoint("rollback.planned");
  const { store, deps } = parts;
  const applied = await applySteps(directory, steps, {
    read: (hash) => store.contents.read(hash),
    pause: slices(deps.clock),
  });
  doneLeft(parts, project, resultOf(steps, applied), origin.lineage);
  const report = toReport(rolling, { plan, applied, before: before.header.id });
  await limitStore(parts, project, true);
  return report;
}

/** @throws E_RUNNING */
function refuseRunning({ running, deps }: CheckpointParts, directory: string): void {
  const turns = running.get(directory) ?? new Map<string, ChangingTurn>();
  for (const [turn, { until }] of turns) if (until !== undefined && until < deps.clock.mono()) turns.delete(turn);
  if (turns.size === 0) return;
  throw new AppError("E_RUNNING", `a turn is changing ${directory}`, {
    hint: "wait for it, or stop it",
  });
}

/** What rules leave out now, or what is no longer looked through, has to be looked at by name. */
const wanted = (state: Manifest): readonly string[] =>
  [...state].flatMap(([path, entry]) => (entry.kind === "skipped" ? [] : [path]));

const inOrder = (steps: readonly RestoreStep[]): readonly RestoreStep[] =>
  [...steps].sort((a, b) => (a.path < b.path ? -1 : 1));

function resultOf(steps: readonly RestoreStep[], { failed }: Applied): ReadonlyMap<string, string> {
  const not = new Set(failed.map(({ path }) => path));
  return new Map(steps.map(({ path, now, was }) => [path, leftAs(not.has(path) ? now : was)]));
}

interface Outcome {
  readonly plan: RestorePlan;
  readonly applied: Applied;
  readonly before: string;
}

const OUTSIDE = "changed outside the agent; --force restores it too";

function toReport({ project, header, force }: Rolling, { plan, applied, before }: Outcome): RestoreReport {
  const { directory } = project.record;
  const outside: readonly SkippedPath[] = force ? [] : plan.outside.map(({ path }) => ({ path, why: OUTSIDE }));
  return {
    checkpoint: toRecord(header, directory),
    directory,
    before,
    restored: applied.restored,
    removed: applied.removed,
    failed: applied.failed,
    skipped: [...outside, ...plan.skipped],
  };
}

/** What has to be done for a rollback. Nothing is written. */
export async function planFor(
  parts: CheckpointParts,
  project: Project,
  header: CheckpointHeader,
  options: PlanOptions,
): Promise<RestorePlan> {
  const target = await readRestoreTarget(parts, project, header);
  const known = await newestState(parts, project);
  const now = await capture(captureOptions(parts, project.record.directory, { named: wanted(target.state), known }));
  return planRollback(parts, target, now, options);
}

/** What a rollback would do, with the texts that differ. Nothing is written. */
export async function diffTo(
  parts: CheckpointParts,
  project: Project,
  header: CheckpointHeader,
  options: PlanOptions,
): Promise<CheckpointDiff> {
  const { directory } = project.record;
  const plan = await planFor(parts, project, header, options);
  const steps = inOrder([...plan.steps, ...plan.outside]);
  const changes = [];
  for (const step of steps)
    changes.push({
      path: step.path,
      change: classifyStep(step),
      entry: toStepKind(step),
      diff: await textsDiffer(parts, directory, step),
    });
  return {
    checkpoint: toRecord(header, directory),
    changes,
    skipped: plan.skipped,
    outside: plan.outside.map(({ path }) => path),
  };
}

export type { RestoreTarget };
