import { getTask } from "../../../storage/tables/board/tasks.js";
import { toAppError } from "../../base/errors.js";
import { faultPoint } from "../../base/fault.js";
import { entryAt, removeEmpty, removeTree } from "../../base/fs/tree.js";
import { isMarked, MARK_FILE } from "../../base/fs/workspace-files.js";
import type { BoardSlug, Ms, TaskId } from "../../base/units.js";
import type { Task } from "../../contracts/board/board.js";
import type { WorkspaceRemoval } from "../../contracts/board/workspace.js";
import { gitAt } from "../../safety/git/git.js";
import type { Core } from "../core/core.js";
import { type LeavingTask, worktreeToGo } from "./removable.js";
import { commitOf, FOLDER, listWorktrees } from "./repository.js";

/** Dependencies that were installed in a worktree are many files; git must not be ended in the middle of them. */
const REMOVAL_MS: Ms = 10 * 60_000;

/**
 * Remove what the board has made for a task: its worktree with the branch made for it, only when clean and merged; with `scratch`, also its scratch
 * directory, only inside the workspaces root and with the task's marker. A given directory is never touched. What stays is in `kept`.
 *
 * For verbs that put a task away (`scratch: false`) or delete it (`scratch: true`). Call it after their commit, with the row as it was: nothing works
 * on the task any more. What a crash leaves of a deleted task is found by gc through the event `deleted`. Never rejects.
 */
export async function removeWorkspace(
  core: Core,
  board: BoardSlug,
  task: LeavingTask,
  options: { readonly scratch: boolean },
): Promise<WorkspaceRemoval> {
  const { workspace_kind: kind, workspace_path: path, branch_name: branch } = task;
  const answer = { kind, path, branch, removed: false, kept: null };
  try {
    if (kind === "worktree") return { ...answer, ...(await removeWorktree(core, board, task, options)) };
    if (kind === "scratch" && options.scratch) return { ...answer, ...(await leaveScratch(core, board, task)) };
    return answer;
  } catch (error) {
    return { ...answer, kept: toAppError(error).message };
  }
}

async function leaveScratch(core: Core, board: BoardSlug, { id, workspace_path: path }: LeavingTask) {
  const removed = await removeScratch(core, board, id);
  const stays = path !== null && (await entryAt(path)) !== undefined;
  return { removed, kept: stays ? "missing workspace marker of the task" : null };
}

/**
 * The worktree of a task that has just been archived, by any caller: it goes when nothing in it would be lost.
 *
 * @returns undefined when the task has no worktree, or is not archived any more
 */
export async function leaveWorktree(core: Core, board: BoardSlug, id: TaskId): Promise<WorkspaceRemoval | undefined> {
  const store = await core.store(board, id);
  const row = await store.read((q) => getTask(q, id));
  if (row?.status !== "archived" || row.workspace_kind !== "worktree" || row.workspace_path === null) return undefined;
  return removeWorkspace(core, board, row, { scratch: false });
}

/** Remove the scratch directory of a task. The marker goes last: what was cut short is still known as the board's. */
export async function removeScratch(core: Core, board: BoardSlug, task: Task["id"]): Promise<boolean> {
  const path = core.places(board).scratch(task);
  if (await isMarked(path, { board, task_id: task })) {
    await removeTree(path, MARK_FILE);
    return true;
  }
  // A removal that ended between the marker and the directory left it empty; one that has anything in it is not removed.
  return (await entryAt(path))?.kind === "directory" && removeEmpty(path);
}

async function removeWorktree(
  core: Core,
  board: BoardSlug,
  task: LeavingTask,
  options: { readonly scratch: boolean },
): Promise<Pick<WorkspaceRemoval, "removed" | "kept">> {
  const { repo_path: repo, workspace_path: path } = task;
  if (repo === null || path === null) return { removed: false, kept: null };
  return core.lanes.take(`git:${repo}`, async () => {
    if (!options.scratch && !(await isArchived(core, board, task)))
      return { removed: false, kept: "the task was reopened" };
    const found = await worktreeToGo(core, task);
    if (found.state !== "goes") return { removed: false, kept: found.state === "kept" ? found.why : null };
    const git = gitAt(core, repo);
    if (found.listed) {
      // Without --force git itself looks once more; empty places of submodules are all that it may pass over.
      const gone = await git.run(
        ["worktree", "remove", ...(found.submodules || !found.exists ? ["--force"] : []), path],
        {
          limitMs: REMOVAL_MS,
        },
      );
      if (!gone.ok) return { removed: false, kept: gone.said };
    }
    faultPoint("worktree.removed");
    await removeEmpty(`${repo}/${FOLDER}`);
    const kept = await removeBranch(core, task, found.tip);
    return { removed: true, kept };
  });
}

/** While this waited for the repository, the task may have been taken out of the archive. */
async function isArchived(core: Core, board: BoardSlug, { id }: LeavingTask): Promise<boolean> {
  const store = await core.store(board, id);
  return (await store.read((q) => getTask(q, id)))?.status === "archived";
}

/** The branch that was made for the task goes with its worktree, at the commit that was looked at and nowhere else. */
async function removeBranch(core: Core, task: LeavingTask, tip: string | undefined): Promise<string | null> {
  const { repo_path: repo, branch_name: branch } = task;
  if (repo === null || branch === null || tip === undefined || task.branch_made !== 1) return null;
  const git = gitAt(core, repo);
  const ref = `refs/heads/${branch}`;
  if ((await listWorktrees(git)).some((one) => one.branch === ref)) return `branch ${branch} is checked out elsewhere`;
  const gone = await git.run(["update-ref", "-d", ref, tip]);
  if (gone.ok || (await commitOf(git, ref)) === undefined) return null;
  return `branch ${branch} has changed`;
}
