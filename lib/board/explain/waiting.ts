import { action, type CaseFinding, DAY, HOUR, hint, renderSpan, type TaskRule } from "./cases.js";

/** Blocked for more than a day without a comment. */
export const stuckInBlocked: TaskRule = ({ task, since, commentedAt }, { now }) => {
  if (task.status !== "blocked" || now - since <= DAY) return undefined;
  if (commentedAt !== null && commentedAt > since) return undefined;
  return {
    severity: "warning",
    title: `Blocked for ${renderSpan(now - since)} without a comment`,
    detail: "No one has commented on it since it was blocked.",
    actions: [
      action("comment", "Answer it", { task_id: task.id }, true),
      action("unblock", "Unblock it", { task_id: task.id }),
      hint(`agent kanban why ${task.id}`),
    ],
    first: since,
    data: { block_kind: task.block_kind },
  };
};

const BLOCKING = new Set(["blocked", "gave_up", "protocol_violation"]);

/** Blocked and unblocked again and again within a day. */
export const blockUnblockCycling: TaskRule = ({ task, events }) => {
  const moves = events.filter((event) => event.kind === "unblocked" || BLOCKING.has(event.kind));
  const cycles = moves.filter((event, at) => event.kind === "unblocked" && BLOCKING.has(moves[at - 1]?.kind ?? ""));
  const [first] = cycles;
  if (first === undefined || cycles.length < 3) return undefined;
  return {
    severity: cycles.length >= 6 ? "error" : "warning",
    title: `Blocked and unblocked ${cycles.length} times in a day`,
    detail: "Unblocking does not help; change its text, assignee or environment.",
    actions: [
      action("edit", "Change the request", { task_id: task.id }, true),
      action("reassign", "Reassign to another profile", { task_id: task.id }),
    ],
    first: first.at,
    last: cycles.at(-1)?.at ?? first.at,
    count: cycles.length,
    data: { cycles: cycles.length },
  };
};

/** Ready for long, and not because it is deferred or the board is paused. */
export const strandedInReady: TaskRule = (of, board) => {
  const { task, since } = of;
  const { now } = board;
  const waits = now - Math.max(since, task.not_before ?? 0);
  const own = (task.not_before !== null && task.not_before > now) || board.outside(task);
  if (task.status !== "ready" || board.paused || own || waits <= HOUR / 2) return undefined;
  return {
    severity: waits >= 3 * HOUR ? "critical" : waits >= HOUR ? "error" : "warning",
    title: `Ready for ${renderSpan(waits)} and not started`,
    detail: "agent kanban why explains why.",
    actions: [
      hint(`agent kanban why ${task.id}`, true),
      action("reassign", "Reassign to another profile", { task_id: task.id }),
    ],
    first: since,
    data: { waits_seconds: waits, assignee: task.assignee },
  };
};

/** Its assignee is neither a profile nor a known outside worker. */
export const unknownAssignee: TaskRule = ({ task, since }, board) => {
  const waiting = task.status === "ready" || task.status === "todo";
  if (!waiting || task.assignee === null || board.outside(task) || board.known(task.assignee)) return undefined;
  return {
    severity: "error",
    title: `${task.assignee} is not a profile`,
    detail:
      "No worker can be started for it. agent profile create creates profiles; kanban.external_assignees lists external names.",
    actions: [
      action("reassign", "Assign it to a profile", { task_id: task.id, profile: "default" }, true),
      action("edit", "Mark it external", { task_id: task.id, external: true }),
    ],
    first: since,
    data: { assignee: task.assignee },
  };
};

/** The program that works the tasks of its assignee is missing. */
export const missingProgram: TaskRule = ({ task, since }, board) => {
  const waiting = task.status === "ready" || task.status === "todo";
  if (!waiting || task.assignee === null || board.outside(task)) return undefined;
  const problem = board.workerProblem(task.assignee);
  if (problem === undefined) return undefined;
  return {
    severity: "error",
    title: `No worker of ${task.assignee} can start`,
    detail: problem,
    actions: [
      hint(`agent -p ${task.assignee} config set worker.program native`, true),
      action("reassign", "Reassign to another profile", { task_id: task.id }),
    ],
    first: since,
    data: { assignee: task.assignee, problem },
  };
};

/** Waits for a parent that is rejected, or has been blocked for more than an hour. */
export const waitingOnFailedParent: TaskRule = ({ task, stuckParents }, { now }): CaseFinding | undefined => {
  const failed = stuckParents.filter((parent) => parent.status === "done" || now - parent.since > HOUR);
  const [worst] = failed.toSorted((a, b) => a.since - b.since);
  if (task.status !== "todo" || worst === undefined) return undefined;
  const words = failed.map((parent) => `${parent.id} (${parent.status === "done" ? "rejected" : "blocked"})`);
  const reopen = hint(`agent kanban reopen ${worst.id}`, true);
  const free = action("unblock", `Unblock ${worst.id}`, { task_id: worst.id }, true);
  return {
    severity: "warning",
    title: `Waits for ${words.join(", ")}`,
    detail: "It cannot continue until this is resolved.",
    actions: [
      worst.status === "done" ? reopen : free,
      action("promote", "Start it anyway", { task_id: task.id, force: true }),
      hint(`agent kanban unlink ${worst.id} ${task.id}`),
    ],
    first: worst.since,
    count: failed.length,
    data: { parents: failed.map((parent) => parent.id) },
  };
};
