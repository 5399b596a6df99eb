import { LOADING, type Loaded } from "../loaded.js";

export interface RunRow {
  readonly taskId: string;
  readonly title: string;
  readonly profile: string;
  readonly state: string;
  readonly startedAt: number;
  readonly endedAt: number | null;
}

export interface RunsState {
  readonly rows: Loaded<RunRow>;
  /** First row that is shown. */
  readonly top: number;
}

export const NO_RUNS: RunsState = { rows: LOADING, top: 0 };
