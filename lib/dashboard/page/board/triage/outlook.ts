import type { Task } from "../../../../contracts/board/board.js";
import type { Card } from "../../../../contracts/board/explain.js";
import { formatRelativeTime } from "../../words/time.js";

type TriageTask = Pick<Card, "diagnostics"> &
  Pick<Task, "auto_decompose" | "decompose_attempts" | "decompose_next_at" | "assignee" | "external" | "updated_at">;

/** What the board says of automatic attempts. */
export interface TriageRules {
  /** The switch `kanban.auto_decompose`, or the board's own. Undefined: not known yet. */
  readonly auto: boolean | undefined;
  readonly paused: boolean;
}

/** When the model is asked by itself about a triage task, or why it is not, in one sentence. */
export function renderTriageOutlook(task: TriageTask, { auto, paused }: TriageRules, now: number): string {
  const { diagnostics } = task;
  if (auto === false) return "No automatic attempt: orchestration is manual.";
  if (!task.auto_decompose) return "No automatic attempt: disabled for this task.";
  if (task.external) return "No automatic attempt: the task is external.";
  if (diagnostics.some(({ kind }) => kind === "triage_aux_unavailable"))
    return "No automatic attempt: no model is configured for it.";
  if (diagnostics.some(({ kind }) => kind === "auto_decompose_exhausted"))
    return "No more automatic attempts: all have failed.";
  if (paused) return "No automatic attempt: the board is paused.";
  const tried = task.decompose_attempts === 0 ? "" : ` after ${task.decompose_attempts} failed`;
  if (task.decompose_next_at !== null && task.decompose_next_at > now)
    return `Next automatic attempt ${formatRelativeTime(task.decompose_next_at, now)}${tried}.`;
  return `An automatic attempt comes with the next passes${tried}.`;
}
