import { dirname, join, resolve } from "node:path";
import { readAtMost, realPath, statPath } from "../../base/fs/files.js";
import { isWithin } from "../paths/paths.js";
import type { Git, GitOptions } from "./git.js";

/** Top of a work tree with links resolved, or why its files cannot be read. */
export type WorkTree = { readonly top: string } | { readonly why: string };

/**
 * The work tree that git stands in. A setting of the repository (`core.worktree`) may name files elsewhere, which git would compare and show: such
 * a work tree is refused, and so is one whose top does not lead back to this repository.
 */
export async function findWorkTree(git: Git, options: Pick<GitOptions, "limitMs" | "signal"> = {}): Promise<WorkTree> {
  const answer = await git.run(["rev-parse", "--show-toplevel", "--absolute-git-dir"], options);
  if (!answer.ok)
    return { why: `${git.cwd} is in no git work tree that can be read: ${answer.said.split("\n", 1)[0] ?? ""}` };
  const [top, dir] = await Promise.all(answer.out.split("\n", 2).map(async (path) => realPath(path)));
  const inside = await realPath(git.cwd);
  const own =
    top !== undefined &&
    dir !== undefined &&
    inside !== undefined &&
    isWithin(inside, top) &&
    (await leadsTo(top, dir));
  return own
    ? { top }
    : { why: `the repository of ${git.cwd} says that its files are elsewhere; it is not looked into` };
}

const POINTER_BYTES = 4_096;

/** The entry `.git` of a directory is the repository `dir`, or the file that names it. */
async function leadsTo(top: string, dir: string): Promise<boolean> {
  const entry = join(top, ".git");
  const found = await statPath(entry);
  if (found?.kind === "directory") return (await realPath(entry)) === dir;
  if (found?.kind !== "file") return false;
  const named = /^gitdir: (.+)$/m.exec((await readAtMost(entry, POINTER_BYTES))?.toString("utf8") ?? "")?.[1];
  return named !== undefined && (await realPath(resolve(dirname(entry), named.trim()))) === dir;
}
