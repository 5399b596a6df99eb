import type { BoardSlug } from "../base/units.js";
import type { Candidate } from "./kernel.js";
import type { Loop } from "./pass-loop.js";
import type { WorkerProfile } from "./worker-profile.js";

const DISPATCHER = { kind: "system", name: "dispatcher" } as const;

/** Steps c to j for one ready task (board part, 6.5). True when it was claimed, or in a dry run would be. */
export async function consider(loop: Loop, board: BoardSlug, task: Candidate): Promise<boolean> {
  if (leftToOthers(loop, task)) return false;
  const assignee = task.assignee ?? (await giveDefault(loop, board, task));
  const profile = assignee === undefined ? undefined : await spawnable(loop, task, assignee);
  if (!profile || atProfileCap(loop, task, profile.name)) return false;
  if (await deferred(loop, board, task)) return false;
  if (loop.deps.supervisor.lingers(board, task.id)) return false;
  loop.startable += 1;
  return loop.options.dryRun ? tell(loop, board, task, profile) : claim(loop, board, task, profile);
}

/** Step c: outside workers take these themselves. */
function leftToOthers(loop: Loop, task: Candidate): boolean {
  const named = task.assignee !== null && loop.settings.externalAssignees.includes(task.assignee);
  if (!task.external && !named) return false;
  const bucket = task.assignee === null ? loop.result.skipped_unassigned : loop.result.skipped_nonspawnable;
  bucket.push(task.id);
  return true;
}

/** Step d. Undefined: somebody gave it an assignee meanwhile, the next pass sees it. */
async function giveDefault(loop: Loop, board: BoardSlug, task: Candidate): Promise<string | undefined> {
  const assignee = await loop.resolver.defaultAssignee();
  if (!loop.options.dryRun && !(await loop.deps.kernel.assignDefault(board, task.id, assignee))) return undefined;
  loop.result.auto_assigned_default.push(task.id);
  return assignee;
}

/** Step e. */
async function spawnable(loop: Loop, task: Candidate, assignee: string): Promise<WorkerProfile | undefined> {
  const profile = await loop.resolver.find(assignee);
  if (!profile) loop.result.skipped_nonspawnable.push(task.id);
  return profile;
}

/** Step f. */
function atProfileCap(loop: Loop, task: Candidate, assignee: string): boolean {
  const current = loop.counts.ofProfile(assignee);
  if (current < loop.settings.maxPerProfile) return false;
  loop.result.skipped_per_profile_capped.push({ task_id: task.id, assignee, current });
  return true;
}

/** Step g. */
async function deferred(loop: Loop, board: BoardSlug, task: Candidate): Promise<boolean> {
  const until = task.not_before;
  if (until === null || until <= loop.now) return false;
  const reason = task.last_failure_class === "throttled" ? "rate_limit_cooldown" : "retry_backoff";
  if (!loop.options.dryRun) await loop.deps.kernel.guarded(board, task.id, reason, until);
  loop.result.respawn_guarded.push({ task_id: task.id, reason, until });
  return true;
}

/** Step i. */
function tell(loop: Loop, board: BoardSlug, task: Candidate, profile: WorkerProfile): boolean {
  loop.result.spawned.push({ task_id: task.id, assignee: profile.name, workspace: task.workspace_path });
  loop.counts.add(board, profile.name);
  loop.claimed += 1;
  return true;
}

/** Step j. The start itself goes on beside the loop, so that one slow workspace holds up nobody. */
async function claim(loop: Loop, board: BoardSlug, task: Candidate, profile: WorkerProfile): Promise<boolean> {
  const { kernel, lock, begin } = loop.deps;
  const outcome = await kernel.claim(board, task.id, { profile: profile.name, lock, by: DISPATCHER });
  if (!outcome.claimed) return false;
  loop.counts.add(board, profile.name);
  loop.claimed += 1;
  const orchestrator = await loop.resolver.isOrchestrator(profile.name);
  const { failureLimit } = loop.options;
  loop.starts.push(begin({ board, claim: outcome.claim, task: outcome.task, profile, orchestrator, failureLimit }, loop.result));
  return true;
}
