import type { CaseFinding, TaskRule } from "./cases.js";
import { action, hint, streak } from "./cases.js";

/** Failures at or over the limit. */
export const repeatedFailures: TaskRule = ({ task, runs }, board) => {
  const limit = board.limitOf(task);
  const failures = task.consecutive_failures;
  if (failures < limit) return undefined;
  const failed = runs.slice(0, failures);
  const error = task.last_failure_error ?? "no error was reported";
  return {
    severity: failures >= 2 * limit ? "critical" : "error",
    title: `Failed ${failures} times in a row`,
    detail: `The limit is ${limit}. Last error: ${error}`,
    actions: [
      hint(`agent kanban log ${task.id}`, true),
      action("unblock", "Unblock and retry", { task_id: task.id }),
      action("reassign", "Reassign to another profile", { task_id: task.id }),
    ],
    first: failed.at(-1)?.ended_at ?? task.updated_at,
    last: failed[0]?.ended_at ?? task.updated_at,
    count: failures,
    data: { failures, limit, error, error_class: task.last_failure_class },
  };
};

/** The newest runs crashed, two or more. */
export const repeatedCrashes: TaskRule = ({ task, runs }) => {
  const crashed = streak(runs, (run) => run.outcome === "crashed");
  const [newest] = crashed;
  if (newest === undefined || crashed.length < 2) return undefined;
  return {
    severity: crashed.length >= 4 ? "critical" : "error",
    title: `The last ${crashed.length} workers crashed`,
    detail: newest.error ?? "They did not report an error.",
    actions: [
      hint(`agent kanban log ${task.id}`, true),
      hint(`agent kanban runs ${task.id}`),
      action("reassign", "Reassign to another profile", { task_id: task.id }),
    ],
    first: crashed.at(-1)?.ended_at ?? newest.ended_at,
    last: newest.ended_at,
    count: crashed.length,
    data: { runs: crashed.map((run) => run.id), error_class: newest.error_class },
  };
};

/** Blocked because a worker stopped without completing or blocking. */
export const protocolViolation: TaskRule = ({ task, since, lastText, log }) => {
  if (task.status !== "blocked" || task.block_kind !== "protocol") return undefined;
  const said =
    lastText === null || lastText.trim() === "" ? "No last output." : `Last output: ${lastText.trim().slice(0, 300)}`;
  return {
    severity: "error",
    title: "The worker stopped without completing or blocking the task",
    detail: said,
    actions: [
      action("comment", "Instruct the next worker", { task_id: task.id }, true),
      action("unblock", "Unblock and retry", { task_id: task.id }),
      hint(`agent kanban complete ${task.id} --summary TEXT`),
    ],
    first: since,
    data: { last_text: lastText, log_tail: log },
  };
};

/** The provider throttled the last three runs or more. */
export const throttled: TaskRule = ({ task, runs }) => {
  const limited = streak(runs, (run) => run.outcome === "rate_limited");
  const [newest] = limited;
  if (newest === undefined || limited.length < 3) return undefined;
  return {
    severity: "warning",
    title: `The provider rate-limited it ${limited.length} times in a row`,
    detail: "It is retried automatically with increasing delay.",
    actions: [
      action("reassign", "Reassign to a profile with another provider", { task_id: task.id }, true),
      hint("agent config set kanban.max_in_progress_per_profile 1"),
    ],
    first: limited.at(-1)?.ended_at ?? newest.ended_at,
    last: newest.ended_at,
    count: limited.length,
    data: { profile: newest.profile, not_before: task.not_before },
  };
};

/** A worker that was to be ended and lives. */
export const workerStuck: TaskRule = ({ task, stuckWorker }): CaseFinding | undefined => {
  if (stuckWorker === undefined || !stuckWorker.alive) return undefined;
  const { pid, since } = stuckWorker;
  return {
    severity: "critical",
    title: `Cannot stop worker process ${pid}`,
    detail: "No other worker is started for the task while it is alive.",
    actions: [
      hint(`ps -o pid,stat,wchan,args -p ${pid}`, true),
      action("reclaim", "Try to stop it again", { task_id: task.id }),
    ],
    first: since,
    data: { pid },
  };
};
