/** What works by itself, as the pane of runs shows it (workspace part, 6.2). */
import type { BoardSlug, EpochMs, RunId, SessionId, TaskId } from "../../base/units.js";

export const RUN_KINDS = ["task", "child", "background", "process", "cron", "turn"] as const;
export type RunKind = (typeof RUN_KINDS)[number];

/** One of them: a run of a board's task, a delegated child, a question asked in the background, a process, a turn of a conversation. */
export interface RunInfo {
  /** Id of the activity while it lasts. */
  readonly id: string;
  readonly kind: RunKind;
  readonly title: string;
  readonly profile: string;
  /** `running`, or how it ended. */
  readonly state: string;
  /** It waits for an answer and continues afterwards. */
  readonly waits: boolean;
  readonly started_at: EpochMs;
  /** Null while it works. */
  readonly ended_at: EpochMs | null;
  /** Of a kind that uses none: null. */
  readonly tokens: number | null;
  /** What it did last. */
  readonly activity: string;
  /** Conversation in which it works; of a process, that which has started it. */
  readonly session: SessionId | null;
  readonly task: { readonly board: BoardSlug; readonly id: TaskId; readonly run: RunId } | null;
  /** Of kind `process`: its id in the session. */
  readonly process: string | null;
}

/** Answer of `runs.list`: what works first, then what ended in the last 24 hours, newest first. */
export interface RunList {
  readonly runs: readonly RunInfo[];
  readonly at: EpochMs;
}

/** Answer of `runs.info`: everything that is known of one, as lines of a table. */
export interface RunFacts {
  readonly facts: readonly (readonly [name: string, value: string])[];
}

/** Topic that tells rows as they change: event `run.changed` with the row and `id`, `run.gone` with `id`. */
export const RUNS_TOPIC = "runs";
