import type { Run } from "../../../../contracts/board/board.js";
import type { FieldSource } from "./fields.js";
import type { TaskPage } from "./types.js";

/** What the fields of a task are read from. */
export const toFieldSource = ({ task, runs }: Pick<TaskPage, "task" | "runs">): FieldSource => ({
  task,
  handoff: handoffOf(runs),
});

/** The run whose summary and metadata a finished task shows: the newest completed one. */
const handoffOf = (runs: readonly Run[]): Run | undefined =>
  newestFirst(runs).find(({ outcome }) => outcome === "completed");

/** Runs, the newest first. */
export const newestFirst = (runs: readonly Run[]): readonly Run[] =>
  runs.toSorted((a, b) => b.started_at - a.started_at || b.id - a.id);
