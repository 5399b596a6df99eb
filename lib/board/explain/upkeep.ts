import type { FailingDelivery } from "../../../storage/tables/board/cases.js";
import { action, type BoardRule, type CaseFinding, hint, type TaskRule } from "./cases.js";

/** Messages to subscribers of the task were given up. */
export const notifyFailing: TaskRule = ({ deliveries }) => failing(deliveries);

/** Messages to subscribers of the whole board were given up. */
export const boardNotifyFailing: BoardRule = ({ deliveries }) => {
  const found = failing(deliveries.filter((one) => one.task_id === null));
  return found === undefined ? [] : [found];
};

function failing(deliveries: readonly FailingDelivery[]): CaseFinding | undefined {
  if (deliveries.length === 0) return undefined;
  const count = deliveries.reduce((sum, one) => sum + one.count, 0);
  const places = [...new Set(deliveries.map((one) => `${one.platform}:${one.chat_id}`))];
  const error = deliveries.find((one) => one.error !== null)?.error ?? null;
  return {
    severity: "warning",
    title: `${count} message(s) to ${places.slice(0, 3).join(", ")} could not be delivered`,
    detail: error ?? "The platform was not connected for too long.",
    actions: [hint("agent kanban notify list", true), hint("agent kanban notify unsubscribe --help")],
    first: Math.min(...deliveries.map((one) => one.first_at)),
    last: Math.max(...deliveries.map((one) => one.last_at)),
    count,
    data: { places, error },
  };
}

/** The worktree of an archived task was not clean and merged, and still lies there. */
export const workspaceKept: TaskRule = ({ task, kept }) => {
  if (kept === undefined || task.status !== "archived") return undefined;
  return {
    severity: "warning",
    title: "Its worktree was kept: it has unmerged changes",
    detail: kept.path,
    actions: [
      hint(`agent kanban diff ${task.id}`, true),
      action("cli_hint", "Merge the branch, then agent kanban gc", { command: "agent kanban gc" }),
    ],
    first: kept.since,
    data: { path: kept.path, branch: task.branch_name },
  };
};
