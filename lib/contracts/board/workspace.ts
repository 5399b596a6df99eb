import type { BoardSlug, TaskId } from "../../base/units.js";
import type { Task } from "./board.js";

/** State of a task's workspace now (board part, 8.3). What only worktrees have, and what could not be found out, is null. */
export interface WorkspaceState {
  readonly kind: Task["workspace_kind"];
  readonly path: string | null;
  readonly exists: boolean;
  /** All files in it; null also when there are too many to count on the way. */
  readonly size_bytes: number | null;
  readonly branch: string | null;
  readonly base_commit: string | null;
  readonly head: string | null;
  /** Commits since the base. */
  readonly ahead: number | null;
  /** Something is not committed; files that git ignores do not count. */
  readonly dirty: boolean | null;
  /** All its commits are reachable from the base branch, or from the branch that the repository is on. */
  readonly merged: boolean | null;
  /** Between the base and the files as they are, committed or not. */
  readonly files_changed: number | null;
  readonly insertions: number | null;
  readonly deletions: number | null;
}

/** What became of a workspace that was to go. */
export interface WorkspaceRemoval {
  readonly kind: Task["workspace_kind"];
  readonly path: string | null;
  readonly branch: string | null;
  /** Something was removed. */
  readonly removed: boolean;
  /** Why it stays; null when nothing stays that the board has made. */
  readonly kept: string | null;
}

/** What stays of a workspace that could have gone, and why, as a warning; nothing when nothing stays. */
export function keptWarnings(workspace: WorkspaceRemoval | undefined): readonly string[] {
  if (workspace === undefined || workspace.kept === null) return [];
  const branch = workspace.branch === null ? "" : ` (branch ${workspace.branch})`;
  return [`worktree kept: ${workspace.path ?? ""}${branch}: ${workspace.kept}`];
}

/** What the board answers about workspaces. */
export interface WorkspaceApi {
  /** @throws E_NOT_FOUND */
  workspace(board: BoardSlug, id: TaskId): Promise<WorkspaceState>;
  /**
   * Text of `git diff` from the base of a worktree task to its files as they are, new ones included; in pieces. Also while its worker works.
   *
   * @throws E_NOT_FOUND, E_WORKSPACE the task has no worktree, or git cannot say
   */
  diff(board: BoardSlug, id: TaskId, signal: AbortSignal): AsyncIterable<string>;
}
