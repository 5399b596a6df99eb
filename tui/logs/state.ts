export interface LogRow {
  readonly text: string;
  readonly level: "debug" | "info" | "warning" | "error";
}

export interface LogsState {
  readonly rows: readonly LogRow[];
  /** Rows scrolled back from the end; 0 follows. */
  readonly scroll: number;
}

export const NO_LOGS: LogsState = { rows: [], scroll: 0 };
