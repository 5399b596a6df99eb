import type { Status } from "../../../../contracts/board/board.js";
import type { Card } from "../../../../contracts/board/explain.js";

/** A column of the board and what stands above it. */
export interface ColumnKind {
  readonly name: Status;
  readonly title: string;
  /** Shown in an empty column: what would be in it. */
  readonly empty: string;
}

/** The columns from left to right; `archived` is shown on request. */
export const COLUMNS: readonly ColumnKind[] = [
  { name: "triage", title: "Triage", empty: "Rough ideas wait here to be specified." },
  { name: "todo", title: "Todo", empty: "Waits for other tasks, or is held." },
  { name: "ready", title: "Ready", empty: "No task waits for a worker." },
  { name: "running", title: "Running", empty: "No worker is running." },
  { name: "blocked", title: "Blocked", empty: "Nothing needs you." },
  { name: "done", title: "Done", empty: "No finished tasks." },
  { name: "scheduled", title: "Scheduled", empty: "No scheduled tasks." },
  { name: "archived", title: "Archived", empty: "No archived tasks." },
];

/** What a status is called. */
export const findColumnTitle = (status: Status): string => COLUMNS.find(({ name }) => name === status)?.title ?? status;

/** One value for each column. */
export const everyColumn = <T>(value: T): Readonly<Record<Status, T>> => ({
  triage: value,
  todo: value,
  ready: value,
  running: value,
  blocked: value,
  done: value,
  scheduled: value,
  archived: value,
});

/** Order inside a column: urgent first, then old first; what has ended newest first. */
export function compareCards(a: Card, b: Card): number {
  if (a.status === "done") return (b.completed_at ?? 0) - (a.completed_at ?? 0) || b.made - a.made;
  if (a.status === "archived") return (b.archived_at ?? 0) - (a.archived_at ?? 0) || b.made - a.made;
  return b.priority - a.priority || a.created_at - b.created_at || a.made - b.made;
}
