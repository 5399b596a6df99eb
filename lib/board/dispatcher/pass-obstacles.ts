import type { BoardSlug, UnixSeconds } from "../../base/units.js";
import type { Obstacle, StartForecast } from "../../contracts/board/explain.js";
import type { Candidate } from "../core/kernel.js";
import type { Loop } from "./pass-loop.js";

type Looked = Pick<Loop, "settings" | "resolver" | "counts" | "now" | "since" | "leaving">;

/** Outside workers take these themselves (board part, 6.5, step c). */
export function isOutside(loop: Looked, task: Pick<Candidate, "assignee" | "external">): boolean {
  return task.external || (task.assignee !== null && loop.settings.externalAssignees.includes(task.assignee));
}

/** What keeps one ready task from being started, in the order in which a pass looks (board part, 6.5, steps c to h). A pass asks for the first. */
export async function* obstaclesOf(
  loop: Looked,
  board: BoardSlug,
  task: Candidate,
  assignee: string | null,
): AsyncGenerator<Obstacle> {
  if (isOutside(loop, task) || assignee === null) {
    yield { code: "external" };
    return;
  }
  const profile = await loop.resolver.find(assignee);
  if (profile !== undefined) {
    if (profile.problem !== undefined) yield { code: "no_worker_program", problem: profile.problem };
    const current = loop.counts.ofProfile(assignee);
    if (current >= loop.settings.maxPerProfile)
      yield { code: "cap_profile", current, cap: loop.settings.maxPerProfile };
  } else yield { code: "unknown_assignee" };
  const until = task.not_before;
  if (until !== null && waits(loop, task, until)) {
    yield { code: task.last_failure_class === "throttled" ? "deferred_throttle" : "deferred_backoff", until };
  }
  if (loop.leaving(board, task.id)) yield { code: "worker_leaving" };
}

/** No deferral is longer (board part, 6.7); what lies further ahead was written before the clock was set back. */
const LONGEST = { throttled: 24 * 3600, other: 3600 } as const;

/** The deferral was written when the newest run ended: what the wall clock jumped since does not count. */
function waits(loop: Looked, task: Candidate, until: UnixSeconds): boolean {
  const now = task.last_ended === null ? loop.now : loop.since(task.last_ended);
  const longest = task.last_failure_class === "throttled" ? LONGEST.throttled : LONGEST.other;
  return until > now && until - now <= longest;
}

/** The same for all obstacles at once, with the assignee that the task would get. */
export async function forecastStart(
  loop: Looked,
  board: BoardSlug,
  task: Candidate,
  more: readonly Obstacle[] = [],
): Promise<StartForecast> {
  const given = task.assignee === null && !isOutside(loop, task);
  const assignee = given ? await loop.resolver.defaultAssignee() : task.assignee;
  const obstacles: Obstacle[] = [];
  for await (const obstacle of obstaclesOf(loop, board, task, assignee)) obstacles.push(obstacle);
  const { id, title, priority } = task;
  return {
    id,
    title,
    priority,
    assignee,
    given,
    obstacles: obstacles[0]?.code === "external" ? obstacles : [...obstacles, ...more],
  };
}
