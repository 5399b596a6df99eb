import { AppError } from "../base/errors.js";
import { type BoardSlug, toUnix } from "../base/units.js";
import { makeGiven, makeScratch } from "../base/workspace-files.js";
import type { ClaimRef, Task } from "../proto/board.js";
import { settingsOf } from "./boards.js";
import { type Core, mustView, note, SYSTEM, stampOf } from "./core.js";
import { owned } from "./fence.js";
import type { PreparedWorkspace } from "./kernel.js";
import { amend } from "./states.js";
import { findRepository, prepareWorktree, type Worktree } from "./worktree.js";

interface Made {
  readonly path: string;
  readonly fresh: boolean;
  readonly worktree?: Worktree;
}

/** Make the workspace of a claimed task and record it (board part, 8). Files first, outside any transaction; then one commit. */
export async function prepareWorkspace(core: Core, board: BoardSlug, claim: ClaimRef): Promise<PreparedWorkspace> {
  const store = await core.store(board, claim.task);
  const task = await store.read((q) => mustView(q, claim.task));
  const made = await make(core, board, task);
  const stamp = stampOf(core, SYSTEM);
  await store.write("board.workspace", async (tx) => {
    const { task: row, run } = await owned(tx, core, claim);
    if (row.workspace_path === made.path && !made.fresh) return;
    const { worktree } = made;
    const recorded = worktree === undefined ? {} : { branch_name: worktree.branch, base_name: worktree.base, base_commit: worktree.commit };
    await amend(tx, row, stamp.at, {
      workspace_path: made.path,
      ...recorded,
      ...(worktree === undefined ? {} : { repo_path: worktree.repo }),
    });
    const more = worktree === undefined ? {} : { branch: worktree.branch, base_commit: worktree.commit };
    note(tx, stamp, { kind: "workspace_created", task: row.id, run: run.id }, { kind: row.workspace_kind, path: made.path, ...more });
  });
  return { path: made.path, branch: made.worktree?.branch ?? null };
}

async function make(core: Core, board: BoardSlug, task: Task): Promise<Made> {
  try {
    if (task.workspace_kind === "worktree") return await worktreeOf(core, board, task);
    if (task.workspace_kind === "dir") return await directoryOf(core, board, task);
    const path = task.workspace_path ?? core.places(board).scratch(task.id);
    return { path, fresh: await makeScratch(path, { board, task_id: task.id, created_at: toUnix(core.clock.now()) }) };
  } catch (error) {
    if (error instanceof AppError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new AppError("E_WORKSPACE", `cannot make the workspace of ${task.id}: ${why}`, { task: task.id }, error);
  }
}

async function directoryOf(core: Core, board: BoardSlug, task: Task): Promise<Made> {
  const path = task.workspace_path ?? (await settingsOf(core, board)).default_workdir;
  if (path === "") throw new AppError("E_WORKSPACE", `${task.id} has no directory, and its board no default one`, { task: task.id });
  return { path, fresh: await makeGiven(path) };
}

async function worktreeOf(core: Core, board: BoardSlug, task: Task): Promise<Made> {
  const repo = task.repo_path ?? (await findRepository(core, board, { path: null, cwd: undefined }));
  const worktree = await prepareWorktree(core, task, { repo, parent: await parentBranch(core, board, task, repo) });
  return { path: worktree.path, fresh: worktree.fresh, worktree };
}

/** Branch of the only parent, when that worked in the same repository: its work is what this task builds on. */
async function parentBranch(core: Core, board: BoardSlug, task: Task, repo: string): Promise<string | undefined> {
  const [only, ...others] = task.parents;
  if (only === undefined || others.length > 0) return undefined;
  const store = await core.store(board, only);
  const parent = await store.read((q) => mustView(q, only));
  return parent.repo_path === repo ? (parent.branch_name ?? undefined) : undefined;
}
