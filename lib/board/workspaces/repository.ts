import { basename, dirname, join } from "node:path";
import { AppError } from "../../base/errors.js";
import { realPath, statPath } from "../../base/fs/files.js";
import type { BoardSlug } from "../../base/units.js";
import { type Git, type GitPorts, gitAt } from "../../safety/git/git.js";
import { isWithin } from "../../safety/paths/paths.js";
import type { Core } from "../core/core.js";
import { readBoardSettings } from "../core/known.js";

/** Folder of a repository in which the worktrees of tasks stand. */
export const FOLDER = ".agent-worktrees";

/**
 * Root of the repository that a worktree task is for: the given path, else the board's default directory, else where the caller stands. Who stands
 * in the worktree of a task means the repository that it belongs to.
 *
 * @throws E_WORKSPACE for a missing directory, or one that is not a git work tree
 */
export async function findRepository(
  core: Core,
  board: BoardSlug,
  given: { path: string | null; cwd: string | undefined },
): Promise<string> {
  const at = given.path ?? ((await readBoardSettings(core, board)).default_workdir || given.cwd);
  if (at === undefined)
    throw new AppError("E_WORKSPACE", "a worktree requires a repository: pass --workspace worktree:<path>");
  const root = await rootOf(core, at);
  if (typeof root !== "string")
    throw new AppError("E_WORKSPACE", `${at} is not a git work tree: ${root.why}`, { path: at });
  return root;
}

/** Root of the work tree that a directory is in. */
async function rootOf(ports: GitPorts, at: string): Promise<string | { readonly why: string }> {
  const answer = await gitAt(ports, at).run(["rev-parse", "--show-toplevel"]);
  if (!answer.ok) return { why: answer.said };
  const top = pathIn(answer.out);
  const root = basename(dirname(top)) === FOLDER ? dirname(dirname(top)) : top;
  const inside = await realPath(at);
  const outside = await realPath(root);
  if (inside === undefined || outside === undefined) return { why: "it is missing" };
  return isWithin(inside, outside) ? root : { why: `its configuration says that its files are in ${root}` };
}

/** The path that git wrote; it may end in any character but the line's own end. */
export const pathIn = (out: string): string => out.replace(/\n$/, "");

/** Directory that all worktrees of a repository share, absolute; undefined outside of a repository. */
export async function commonDir(git: Git): Promise<string | undefined> {
  const answer = await git.run(["rev-parse", "--path-format=absolute", "--git-common-dir"]);
  return answer.ok ? ((await realPath(pathIn(answer.out))) ?? pathIn(answer.out)) : undefined;
}

/** One worktree as git knows it. */
export interface Listed {
  readonly path: string;
  /** Full name of the branch that is checked out; undefined when detached. */
  readonly branch: string | undefined;
  /** Why it is locked; undefined when it is not. */
  readonly locked: string | undefined;
}

/** All worktrees of a repository, the main one first. */
export async function listWorktrees(git: Git): Promise<readonly Listed[]> {
  const { ok, out } = await git.run(["worktree", "list", "--porcelain", "-z"]);
  return ok ? out.split("\0\0").flatMap((record) => parseListed(record.split("\0"))) : [];
}

function parseListed(lines: readonly string[]): Listed[] {
  const value = (key: string) =>
    lines.find((line) => line === key || line.startsWith(`${key} `))?.slice(key.length + 1);
  const path = value("worktree");
  return path === undefined ? [] : [{ path, branch: value("branch"), locked: value("locked") }];
}

/** What git knows of the worktree at `path`. Paths are compared as they really are: git writes down the real one. */
export async function listedAt(git: Git, path: string): Promise<Listed | undefined> {
  const real = join((await realPath(dirname(path))) ?? dirname(path), basename(path));
  return (await listWorktrees(git)).find((one) => one.path === path || one.path === real);
}

/** The commit that a name stands for; undefined when it is unknown. */
export async function commitOf(git: Git, name: string): Promise<string | undefined> {
  const { ok, said } = await git.run(["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`]);
  return ok && said !== "" ? said : undefined;
}

/** The branch is there. */
export const hasBranch = async (git: Git, branch: string): Promise<boolean> =>
  (await git.run(["show-ref", "--verify", "--quiet", `refs/heads/${branch}`])).ok;

/** All commits of `inner` are reachable from `outer`; false also when one of them is gone. */
export const isReachable = async (git: Git, inner: string, outer: string): Promise<boolean> =>
  (await git.run(["merge-base", "--is-ancestor", inner, outer])).ok;

/** The directory exists. */
export const directoryExists = async (path: string): Promise<boolean> => (await statPath(path)) !== undefined;
