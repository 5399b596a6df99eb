import type { DispatchState, Obstacle, WaitReason } from "../../contracts/board/explain.js";
import { ending, noWorkerProgram, toWaitReason, utc } from "./reasons-made.js";
import type { WhyFacts } from "./why-facts.js";

/** Why a ready task was not started yet. */
export function readyReasons(facts: WhyFacts): readonly WaitReason[] {
  const obstacles = facts.forecast?.obstacles ?? ownObstacles(facts);
  const outside = obstacles.some((one) => one.code === "external");
  const met = obstacles.map((one) => obstacleReason(one, facts));
  if (outside) return met;
  const { task, defaultAssignee } = facts;
  const given =
    task.assignee === null
      ? [toWaitReason("will_assign_default", `It has no assignee and will get ${defaultAssignee}.`)]
      : [];
  const paused = facts.paused !== undefined && !obstacles.some((one) => one.code === "board_paused");
  const all = [...met, ...(paused ? [pausedReason(facts)] : []), ...dispatchReason(facts.dispatch)];
  const free = all.length === 0 ? [toWaitReason("ready_now", "It is about to start.")] : [];
  return [...all, ...given, ...free];
}

/** What the task itself shows, when no dispatcher can be asked. */
function ownObstacles({ task, outside, assigneeKnown, workerProblem, now }: WhyFacts): readonly Obstacle[] {
  if (outside) return [{ code: "external" }];
  const until = task.not_before;
  const code = task.last_failure_class === "throttled" ? "deferred_throttle" : "deferred_backoff";
  return [
    ...(assigneeKnown || task.assignee === null ? [] : [{ code: "unknown_assignee" } as const]),
    ...(workerProblem === undefined ? [] : [{ code: "no_worker_program", problem: workerProblem } as const]),
    ...(until === null || until <= now ? [] : [{ code, until } as const]),
  ];
}

/** That nothing starts workers at all. */
export function dispatchReason(state: DispatchState): readonly WaitReason[] {
  switch (state) {
    case "dispatching":
      return [];
    case "disabled":
      return [
        toWaitReason("dispatcher_disabled", "The owner is running, but starting workers is disabled.", {
          action: "agent config set kanban.dispatch_in_gateway true, or agent kanban dispatch for one pass",
        }),
      ];
    case "absent":
      return [
        toWaitReason("dispatcher_absent", "No long-lived owner is running to start workers.", {
          action: "agent, or agent --headless, starts one; agent kanban dispatch runs one pass",
        }),
      ];
  }
}

/** That the board is paused. */
export function pausedReason({ paused }: Pick<WhyFacts, "paused">): WaitReason {
  const why = paused?.reason == null || paused.reason === "" ? "." : `: ${ending(paused.reason)}.`;
  return toWaitReason("board_paused", `The board is paused${why}`, { action: "agent kanban boards resume" });
}

function obstacleReason(obstacle: Obstacle, facts: WhyFacts): WaitReason {
  const { task, forecast } = facts;
  const { code, until, current, cap } = obstacle;
  const at = until === undefined ? {} : { until };
  switch (code) {
    case "external":
      return toWaitReason(
        "external",
        task.assignee === null ? "It is worked externally." : `It is worked externally by ${task.assignee}.`,
        {
          action: `agent kanban claim ${task.id} claims it`,
        },
      );
    case "unknown_assignee":
      return toWaitReason(
        "unknown_assignee",
        `Its assignee ${task.assignee} is not a profile, so no worker can start.`,
        {
          action: `agent kanban assign ${task.id} default, or agent kanban edit ${task.id} --external`,
        },
      );
    case "no_worker_program":
      return noWorkerProgram(forecast?.assignee ?? task.assignee ?? "default", obstacle.problem ?? "");
    case "cap_profile":
      return toWaitReason(
        "cap_profile",
        `${forecast?.assignee ?? "Its assignee"} already has ${current} workers (limit ${cap}).`,
        {
          action: "wait, or raise kanban.max_in_progress_per_profile",
        },
      );
    case "cap_board":
      return toWaitReason("cap_board", `The board has reached its worker limit (${cap}).`, {
        action: "wait, or agent kanban boards set --max-in-progress",
      });
    case "cap_global":
      return toWaitReason("cap_global", `The worker limit is reached (${cap}).`, {
        action: "wait, or raise kanban.max_in_progress",
      });
    case "deferred_backoff":
      return toWaitReason(
        "deferred_backoff",
        `After ${task.consecutive_failures} consecutive failures it is retried at ${utc(until ?? 0)}.`,
        at,
      );
    case "deferred_throttle":
      return toWaitReason(
        "deferred_throttle",
        `The provider rate-limited it; it is retried at ${utc(until ?? 0)}.`,
        at,
      );
    case "worker_leaving":
      return toWaitReason(
        "worker_leaving",
        "Processes of its last run are still alive; it starts once they have exited.",
      );
    case "board_paused":
      return pausedReason(facts);
  }
}
