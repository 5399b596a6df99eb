import type { CaseRun } from "../../../storage/tables/board/cases.js";
import { action, type BoardCase, type BoardRule, type CaseFinding, hint, renderSpan, type TaskCase } from "./cases.js";

/** Providers refused a profile's key or account twice or more within an hour. */
export const profileAuth: BoardRule = ({ refused }) => {
  const byProfile = new Map<string, CaseRun[]>();
  for (const run of refused) byProfile.set(run.profile, [...(byProfile.get(run.profile) ?? []), run]);
  return [...byProfile].filter(([, runs]) => runs.length >= 2).map(([profile, runs]) => refusedProfile(profile, runs));
};

function refusedProfile(profile: string, runs: readonly CaseRun[]): CaseFinding {
  const classes = [...new Set(runs.map((run) => run.error_class))];
  const newest = runs.at(-1);
  return {
    severity: "error",
    title: `The provider rejects profile ${profile} (${classes.join(", ")})`,
    detail: newest?.error ?? "The runs did not report an error.",
    actions: [
      hint(`agent -p ${profile} doctor`, true),
      action("open_docs", "Models and providers", { topic: "models" }),
    ],
    first: runs[0]?.ended_at ?? 0,
    last: newest?.ended_at ?? 0,
    count: runs.length,
    data: { profile, tasks: [...new Set(runs.map((run) => run.task_id))] },
  };
}

/** Ready tasks wait and nothing has started workers for this long. */
const ABSENT_AFTER = 600;

/** Ready tasks, and nothing dispatches for ten minutes. */
export const dispatcherAbsent: BoardRule = (board) => {
  if (board.dispatch === "dispatching" || board.paused) return [];
  const waiting = board.tasks.filter((one) => startable(one, board));
  const oldest = Math.min(...waiting.map((one) => one.since));
  const since = Math.max(oldest, board.lastStart ?? 0);
  if (waiting.length === 0 || board.now - since < ABSENT_AFTER) return [];
  const off = board.dispatch === "disabled";
  return [
    {
      severity: "error",
      title: `${waiting.length} ready task(s), but no workers are started`,
      detail: off ? "Dispatching is disabled in the running owner." : "No long-lived owner is running.",
      actions: [
        hint(off ? "agent config set kanban.dispatch_in_gateway true" : "agent --headless", true),
        hint("agent kanban dispatch"),
      ],
      first: since,
      count: waiting.length,
      data: { ready: waiting.length, waits: renderSpan(board.now - since) },
    },
  ];
};

function startable({ task }: TaskCase, board: BoardCase): boolean {
  const known = task.assignee === null || board.known(task.assignee);
  const starts = known && (task.assignee === null || board.workerProblem(task.assignee) === undefined);
  return task.status === "ready" && starts && !board.outside(task) && (task.not_before ?? 0) <= board.now;
}

/** The dispatcher meets startable tasks and free slots and starts nothing. */
export const dispatcherStalled: BoardRule = ({ stalled, now }) => {
  if (!stalled) return [];
  return [
    {
      severity: "error",
      title: "The dispatcher starts nothing although slots are free",
      detail: "Several consecutive passes found tasks to start but claimed none.",
      actions: [hint("agent kanban next", true), hint("agent kanban doctor"), hint("agent owner stop")],
      first: now,
      data: {},
    },
  ];
};
