import { AppError } from "../../base/errors.js";
import { readText } from "../../base/fs/files.js";
import type { Task } from "../../contracts/board/board.js";
import type { Git } from "../../safety/git/git.js";
import { commitOf, hasBranch, pathIn } from "./repository.js";

export interface Base {
  /** Name as given or found: a branch, or what `--base` said, or `HEAD` of a repository that is on no branch. */
  readonly base: string;
  readonly commit: string;
}

export interface BaseQuestion {
  readonly git: Git;
  readonly task: Task;
  /** Branch of the parent whose work this one builds on. */
  readonly parent: string | undefined;
  /** The task's branch, when it is there already. */
  readonly branch: string | undefined;
}

/**
 * Where the work of a task begins: what was recorded, while its branch is there; else `--base`, the parent's branch, the repository's HEAD. A
 * branch that was there before the task begins where it left the base.
 *
 * @throws E_WORKSPACE for an unknown commit
 */
export async function baseFor({ git, task, parent, branch }: BaseQuestion): Promise<Base> {
  if (branch !== undefined && task.base_commit !== null)
    return { base: task.base_name ?? "HEAD", commit: task.base_commit };
  const base = await named(git, task, parent);
  if (branch === undefined) return base;
  const { ok, said } = await git.run(["merge-base", "--end-of-options", base.commit, `refs/heads/${branch}`]);
  return ok ? { ...base, commit: said } : base;
}

async function named(git: Git, task: Task, parent: string | undefined): Promise<Base> {
  if (task.base_name !== null && task.base_name !== "HEAD") {
    const commit =
      (await commitOf(git, task.base_name)) ?? (task.base_commit && (await commitOf(git, task.base_commit)));
    if (commit) return { base: task.base_name, commit };
    throw new AppError(
      "E_WORKSPACE",
      `cannot create the worktree of ${task.id}: no commit '${task.base_name}' in ${git.cwd}`,
      {
        task: task.id,
      },
    );
  }
  // The branch of a parent that was merged and deleted is gone, and HEAD has its work.
  if (parent !== undefined && (await hasBranch(git, parent))) {
    const commit = await commitOf(git, `refs/heads/${parent}`);
    if (commit !== undefined) return { base: parent, commit };
  }
  const commit = await commitOf(git, "HEAD");
  if (commit === undefined) {
    throw new AppError(
      "E_WORKSPACE",
      `cannot create the worktree of ${task.id}: ${git.cwd} does not have commits yet`,
      {
        task: task.id,
        hint: "make a commit first, or pass one with --base",
      },
    );
  }
  const branch = await git.run(["symbolic-ref", "--short", "--quiet", "HEAD"]);
  return { base: branch.ok ? branch.said : "HEAD", commit };
}

/**
 * A worktree whose branch was deleted under it shows every file as new. The branch is made again at the last commit that the worktree remembers.
 * False: it remembers none.
 */
export async function restoreHead(inner: Git, task: Task): Promise<boolean> {
  if ((await commitOf(inner, "HEAD")) !== undefined) return true;
  const head = await inner.run(["symbolic-ref", "--quiet", "HEAD"]);
  const last = (await lastHead(inner)) ?? task.base_commit ?? undefined;
  if (!head.ok || last === undefined || (await commitOf(inner, last)) === undefined) return false;
  return (await inner.run(["update-ref", "-m", "agent: branch restored", head.said, last, ""])).ok;
}

/** Newest commit in the worktree's own record of its HEAD. */
async function lastHead(inner: Git): Promise<string | undefined> {
  const path = await inner.run(["rev-parse", "--path-format=absolute", "--git-path", "logs/HEAD"]);
  const log = path.ok ? await readText(pathIn(path.out)) : undefined;
  const hashes = (log ?? "").split("\n").map((line) => /^[0-9a-f]+ ([0-9a-f]{40,64}) /.exec(line)?.[1]);
  return hashes.findLast((hash) => hash !== undefined && !/^0+$/.test(hash));
}
