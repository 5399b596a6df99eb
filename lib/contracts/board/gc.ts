import type { BoardSlug, TaskId } from "../../base/units.js";
import type { Actor, Task } from "./board.js";

/** Retention in days. */
export interface Retention {
  /** Events of tasks that are done or archived, and settled deliveries. */
  readonly eventDays: number;
  /** Logs since their last change. */
  readonly logDays: number;
  /** Workspaces since their task was archived. */
  readonly workspaceDays: number;
}

export const RETENTION: Retention = { eventDays: 30, logDays: 30, workspaceDays: 7 };

export interface GcFile {
  readonly path: string;
  readonly size_bytes: number;
}

export interface GcWorkspace extends GcFile {
  readonly task_id: TaskId;
  readonly kind: Task["workspace_kind"];
  /** Branch that goes with a worktree. */
  readonly branch: string | null;
}

/** Why something stays that its age would let go. */
export interface GcKept {
  readonly task_id: TaskId | null;
  readonly path: string;
  readonly reason: string;
}

/** What gc has removed, or would remove. */
export interface GcReport {
  readonly board: BoardSlug;
  readonly dry_run: boolean;
  readonly workspaces: readonly GcWorkspace[];
  readonly events: { readonly count: number; readonly size_bytes: number };
  readonly logs: readonly GcFile[];
  /** Claim files, exit records and the like of runs that are closed. */
  readonly run_files: readonly GcFile[];
  readonly deliveries: number;
  /** All of it together, without what the store itself gives back. */
  readonly size_bytes: number;
  readonly kept: readonly GcKept[];
}

/** Garbage collection of a board (board part, 8.4). */
export interface GcApi {
  /** Never removes tasks, runs, comments or attachments. With `dryRun` nothing is changed. */
  gc(
    board: BoardSlug,
    options: { readonly dryRun: boolean; readonly retention: Retention },
    by: Actor,
  ): Promise<GcReport>;
}
