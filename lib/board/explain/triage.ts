import { action, hint, type TaskRule } from "./cases.js";

/** In triage, and no model can be asked. */
export const triageAuxUnavailable: TaskRule = ({ task }, { noClient }) => {
  if (task.status !== "triage" || noClient === undefined) return undefined;
  return {
    severity: "warning",
    title: "No model can specify or decompose it",
    detail: `${noClient[0]?.toUpperCase()}${noClient.slice(1)}.`,
    actions: [
      hint("agent config set auxiliary.kanban_decomposer.provider NAME", true),
      action("edit", "Write the specification manually", { task_id: task.id }),
      action("open_docs", "The board", { topic: "kanban" }),
    ],
    first: task.updated_at,
    data: { reason: noClient },
  };
};

/** Automatic decomposition has failed as often as it may. */
export const autoDecomposeExhausted: TaskRule = ({ task }, { maxAttempts }) => {
  if (task.status !== "triage" || task.auto_decompose === 0 || task.decompose_attempts < maxAttempts) return undefined;
  return {
    severity: "warning",
    title: `Automatic decomposition failed ${task.decompose_attempts} times`,
    detail: "It is not retried until its title or body changes, or someone runs it manually.",
    actions: [
      action("edit", "Clarify the request", { task_id: task.id }, true),
      hint(`agent kanban decompose ${task.id}`),
      hint(`agent kanban specify ${task.id}`),
    ],
    first: task.updated_at,
    count: task.decompose_attempts,
    data: { attempts: task.decompose_attempts, limit: maxAttempts },
  };
};
