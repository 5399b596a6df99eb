import type { Tx } from "../../../storage/store.js";
import { isBranchMade } from "../../../storage/tables/board/tasks.js";
import { AppError } from "../../base/errors.js";
import { faultPoint } from "../../base/fault.js";
import { makeGiven, makeScratch } from "../../base/fs/workspace-files.js";
import { type BoardSlug, type TaskId, toUnix } from "../../base/units.js";
import type { ClaimRef, Task } from "../../contracts/board/board.js";
import { appendTaskEvent, type Core, mustView, type Stamp, SYSTEM, toStamp } from "../core/core.js";
import { requireClaim } from "../core/fence.js";
import type { PreparedWorkspace } from "../core/kernel.js";
import { readBoardSettings } from "../core/known.js";
import { updateTaskColumns } from "../core/states.js";
import { findRepository } from "./repository.js";
import { tellTip, tipIsDue } from "./tip.js";
import { prepareWorktree, type Worktree } from "./worktree.js";

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
  faultPoint("workspace.made");
  const stamp = toStamp(core, SYSTEM);
  const tip = task.workspace_kind === "scratch" && (await tipIsDue(core));
  await store.write("board.workspace", async (tx) => {
    const { task: row, run } = await requireClaim(tx, core, claim);
    if (row.workspace_path !== made.path || made.fresh) await record(tx, { task: row, run: run.id, made, stamp });
    if (tip) await tellTip(tx, stamp, { task: row.id, run: run.id, path: made.path });
  });
  return { path: made.path, branch: made.worktree?.branch ?? null };
}

interface Recorded {
  readonly task: Parameters<typeof updateTaskColumns>[1] & Pick<Task, "id" | "workspace_kind">;
  readonly run: number;
  readonly made: Made;
  readonly stamp: Stamp;
}

async function record(tx: Tx, { task, run, made, stamp }: Recorded): Promise<void> {
  const { path, worktree } = made;
  const columns = worktree && {
    branch_name: worktree.branch,
    branch_made: worktree.made ? 1 : 0,
    base_name: worktree.base,
    base_commit: worktree.commit,
    repo_path: worktree.repo,
  };
  await updateTaskColumns(tx, task, stamp.at, { workspace_path: path, ...columns });
  const more = worktree === undefined ? {} : { branch: worktree.branch, base_commit: worktree.commit };
  appendTaskEvent(
    tx,
    stamp,
    { kind: "workspace_created", task: task.id, run },
    { kind: task.workspace_kind, path, ...more },
  );
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
    throw new AppError("E_WORKSPACE", `cannot create the workspace of ${task.id}: ${why}`, { task: task.id }, error);
  }
}

async function directoryOf(core: Core, board: BoardSlug, task: Task): Promise<Made> {
  const path = task.workspace_path ?? (await readBoardSettings(core, board)).default_workdir;
  if (path === "")
    throw new AppError("E_WORKSPACE", `${task.id} has no directory, and its board has no default directory`, {
      task: task.id,
    });
  return { path, fresh: await makeGiven(path) };
}

async function worktreeOf(core: Core, board: BoardSlug, task: Task): Promise<Made> {
  const repo = task.repo_path ?? (await findRepository(core, board, { path: null, cwd: undefined }));
  const store = await core.store(board, task.id);
  const made = await store.read((q) => isBranchMade(q, task.id));
  const worktree = await prepareWorktree(core, {
    task,
    made,
    repo,
    parent: await parentBranch(core, board, task, repo),
  });
  return { path: worktree.path, fresh: worktree.fresh, worktree };
}

/** Branch of the one parent that worked in a worktree of the same repository: its work is what this task builds on. */
async function parentBranch(core: Core, board: BoardSlug, task: Task, repo: string): Promise<string | undefined> {
  const store = await core.store(board, task.id);
  const parents = await store.read(async (q) => {
    const rows: Task[] = [];
    for (const id of task.parents as readonly TaskId[]) rows.push(await mustView(q, id));
    return rows;
  });
  const [only, ...others] = parents.filter(
    (one) => one.workspace_path !== null && one.repo_path === repo && one.branch_name !== null,
  );
  return others.length > 0 ? undefined : (only?.branch_name ?? undefined);
}
