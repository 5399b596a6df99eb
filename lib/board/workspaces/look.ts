import { join } from "node:path";
import { copyWithTime, makeTemporaryDirectory } from "../../base/fs/tree.js";
import { writePrivate } from "../../base/fs/workspace-files.js";
import type { Ms } from "../../base/units.js";
import type { Task } from "../../contracts/board/board.js";
import type { Git } from "../../safety/git/git.js";
import { commitOf, isReachable, pathIn } from "./repository.js";

/** What `git status` says of a worktree. */
export interface GitStatus {
  /** Commit that is checked out; null when its branch has no commits. */
  readonly head: string | null;
  /** Short name of the branch that is checked out; null when detached. */
  readonly branch: string | null;
  /** Files that are changed or new and not committed. */
  readonly uncommitted: number;
  /** New files that git does not ignore; undefined: too many to tell. */
  readonly untracked: readonly string[] | undefined;
}

/** Enough for a hundred thousand names. */
const STATUS_BYTES = 16 << 20;
/** The first look at a large repository reads every file name from the disk. */
const STATUS_MS: Ms = 60_000;

/** State of the worktree that `git` stands in, or why it is unknown. Work inside submodules is not looked at. */
export async function readGitStatus(git: Git): Promise<GitStatus | { readonly why: string }> {
  const args = [
    "status",
    "--porcelain=v2",
    "--branch",
    "-z",
    "--untracked-files=all",
    "--ignore-submodules=dirty",
    "--no-renames",
  ];
  const answer = await git.run(args, { maxBytes: STATUS_BYTES, limitMs: STATUS_MS });
  if (!answer.ok) return { why: answer.said };
  const lines = answer.out.split("\0").filter((line) => line !== "");
  const value = (key: string) => lines.find((line) => line.startsWith(`# ${key} `))?.slice(key.length + 3);
  const head = value("branch.oid");
  const branch = value("branch.head");
  const files = lines.filter((line) => !line.startsWith("#"));
  return {
    head: head === undefined || head === "(initial)" ? null : head,
    branch: branch === undefined || branch === "(detached)" ? null : branch,
    uncommitted: files.length,
    untracked: answer.cut ? undefined : files.filter((line) => line.startsWith("? ")).map((line) => line.slice(2)),
  };
}

/**
 * Run `work` with an environment in which the new files are part of the index, so that a diff shows them. Index and objects are copies in a
 * temporary directory: the worktree and its repository are not written to. Repositories inside the worktree are left out.
 */
export async function withNewFiles<T>(
  git: Git,
  untracked: readonly string[],
  work: (env: Readonly<Record<string, string>>) => Promise<T>,
): Promise<T> {
  const files = untracked.filter((path) => !path.endsWith("/"));
  if (files.length === 0) return work({});
  const dir = await makeTemporaryDirectory("agent-index");
  try {
    const index = await git.run(["rev-parse", "--path-format=absolute", "--git-path", "index"]);
    const objects = await git.run(["rev-parse", "--path-format=absolute", "--git-path", "objects"]);
    const env = {
      GIT_INDEX_FILE: join(dir.path, "index"),
      GIT_OBJECT_DIRECTORY: join(dir.path, "objects"),
      GIT_ALTERNATE_OBJECT_DIRECTORIES: pathIn(objects.out),
    };
    await writePrivate(join(env.GIT_OBJECT_DIRECTORY, "README"), "");
    // With its time: by it git knows which files may have changed within the same second.
    if (index.ok) await copyWithTime(pathIn(index.out), env.GIT_INDEX_FILE);
    const add = ["add", "--intent-to-add", "--ignore-errors", "--pathspec-from-file=-", "--pathspec-file-nul"];
    await git.run(add, { env, input: files.map((path) => `${path}\0`).join("") });
    return await work(env);
  } finally {
    await dir.remove();
  }
}

/** Commits of a task that are nowhere else: not in its base, nor in the branch that the repository is on. */
export async function isMerged(
  repo: Git,
  task: Pick<Task, "base_name" | "branch_name">,
  tip: string,
): Promise<boolean> {
  const bases = [await baseTip(repo, task), await currentTip(repo, task)];
  for (const base of bases) if (base !== undefined && (await isReachable(repo, tip, base))) return true;
  return false;
}

async function baseTip(repo: Git, { base_name }: Pick<Task, "base_name">): Promise<string | undefined> {
  if (base_name === null || base_name === "HEAD") return undefined;
  return (await commitOf(repo, `refs/heads/${base_name}`)) ?? commitOf(repo, base_name);
}

/** A detached HEAD keeps nothing, and the task's own branch proves nothing. */
async function currentTip(repo: Git, { branch_name }: Pick<Task, "branch_name">): Promise<string | undefined> {
  const current = await repo.run(["symbolic-ref", "--quiet", "HEAD"]);
  return current.ok && current.said !== `refs/heads/${branch_name}` ? commitOf(repo, current.said) : undefined;
}
