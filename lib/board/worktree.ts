import { AppError } from "../base/errors.js";
import type { Task } from "../proto/board.js";
import type { Core } from "./core.js";

export interface Worktree {
  readonly path: string;
  readonly repo: string;
  readonly branch: string;
  /** Name of the base as given or found. */
  readonly base: string;
  readonly commit: string;
  readonly fresh: boolean;
}

export async function prepareWorktree(_core: Core, task: Task, _repo: string): Promise<Worktree> {
  throw new AppError("E_WORKSPACE", `worktree workspaces are not available yet (${task.id})`, { task: task.id });
}
