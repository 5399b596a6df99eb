import { LOADING, type Loaded } from "../loaded.js";

/** Columns in the order in which work moves; `archived` only with its filter. */
export const COLUMNS = ["triage", "todo", "ready", "running", "blocked", "done", "scheduled"] as const;

export interface TaskRow {
  readonly id: string;
  readonly title: string;
  readonly status: string;
  readonly assignee: string | null;
  readonly priority: number;
  readonly note: string;
  /** Unix seconds since which the status holds, as far as the record tells. */
  readonly since: number;
}

export interface BoardState {
  readonly slug: string;
  readonly tasks: Loaded<TaskRow>;
  readonly cursor: { readonly column: number; readonly row: number };
}

export const NO_BOARD: BoardState = { slug: "default", tasks: LOADING, cursor: { column: 0, row: 0 } };
