import type { BoardSlug } from "../../base/units.js";
import type { Obstacle } from "../../contracts/board/explain.js";
import type { Candidate } from "../core/kernel.js";
import type { WorkerProfile } from "../worker-process/worker-profile.js";
import type { Loop } from "./pass-loop.js";
import { forecastStart, isOutside, obstaclesOf } from "./pass-obstacles.js";

const DISPATCHER = { kind: "system", name: "dispatcher" } as const;

/** Steps c to j for one ready task (board part, 6.5). True when it was claimed, or in a dry run would be. */
export async function consider(loop: Loop, board: BoardSlug, task: Candidate): Promise<boolean> {
  const assignee = task.assignee ?? (isOutside(loop, task) ? null : await giveDefault(loop, board, task));
  if (assignee === undefined) return false;
  if (loop.tell) loop.tell(board, await forecastStart(loop, board, task));
  const { value: obstacle } = await obstaclesOf(loop, board, task, assignee).next();
  if (obstacle) {
    await pass(loop, board, task, { ...obstacle, assignee });
    return false;
  }
  const profile = assignee === null ? undefined : await loop.resolver.find(assignee);
  if (!profile) return false;
  loop.startable += 1;
  return loop.options.dryRun ? start(loop, board, task, profile) : claim(loop, board, task, profile);
}

/** Step d. Undefined: it got an assignee meanwhile, the next pass sees it. */
async function giveDefault(loop: Loop, board: BoardSlug, task: Candidate): Promise<string | undefined> {
  const assignee = await loop.resolver.defaultAssignee();
  if (!loop.options.dryRun && !(await loop.deps.kernel.assignDefault(board, task.id, assignee))) return undefined;
  loop.result.auto_assigned_default.push(task.id);
  return assignee;
}

/** The task is passed over: into which bucket, and what is kept of it. */
async function pass(
  loop: Loop,
  board: BoardSlug,
  task: Candidate,
  why: Obstacle & { assignee: string | null },
): Promise<void> {
  const { result } = loop;
  switch (why.code) {
    case "external":
      (why.assignee === null ? result.skipped_unassigned : result.skipped_nonspawnable).push(task.id);
      return;
    case "unknown_assignee":
    case "no_worker_program":
      result.skipped_nonspawnable.push(task.id);
      return;
    case "cap_profile":
      result.skipped_per_profile_capped.push({
        task_id: task.id,
        assignee: why.assignee ?? "",
        current: why.current ?? 0,
      });
      return;
    case "deferred_backoff":
    case "deferred_throttle":
      await defer(loop, board, task, why);
      return;
    default:
      return; // processes that leave are waited for without a bucket; caps of boards and pauses stop the loop before
  }
}

/** Step g. */
async function defer(loop: Loop, board: BoardSlug, task: Candidate, { code, until = 0 }: Obstacle): Promise<void> {
  const reason = code === "deferred_throttle" ? "rate_limit_cooldown" : "retry_backoff";
  if (!loop.options.dryRun) await loop.deps.kernel.guarded(board, task.id, reason, until);
  loop.result.respawn_guarded.push({ task_id: task.id, reason, until });
}

/** Step i. */
function start(loop: Loop, board: BoardSlug, task: Candidate, profile: WorkerProfile): boolean {
  const planned = task.workspace_kind === "scratch" ? loop.deps.kernel.places(board).scratch(task.id) : null;
  loop.result.spawned.push({ task_id: task.id, assignee: profile.name, workspace: task.workspace_path ?? planned });
  loop.counts.add(board, profile.name);
  loop.claimed += 1;
  return true;
}

/**
 * Step j. The start itself goes on beside the loop, so that one slow workspace does not hold up others. Nothing is awaited between claim and start:
 * a reader of the open run finds it among those that are being started.
 */
async function claim(loop: Loop, board: BoardSlug, task: Candidate, profile: WorkerProfile): Promise<boolean> {
  const { kernel, lock, begin } = loop.deps;
  const orchestrator = await loop.resolver.isOrchestrator(profile.name);
  const outcome = await kernel.claim(board, task.id, { profile: profile.name, lock, by: DISPATCHER });
  if (!outcome.claimed) return false;
  loop.counts.add(board, profile.name);
  loop.claimed += 1;
  const { failureLimit } = loop.options;
  loop.starts.push(
    begin({ board, claim: outcome.claim, task: outcome.task, profile, orchestrator, failureLimit }, loop.result),
  );
  return true;
}
