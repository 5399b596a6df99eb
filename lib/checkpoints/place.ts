import { dirname, join } from "node:path";
import { inspectPath } from "../base/fs/tree-read.js";
import type { Home } from "../base/home.js";
import { PROJECT_MARKS } from "../safety/paths/path-lists.js";
import { isWithin, projectRoot, realTarget, userHomeOf } from "../safety/paths/paths.js";

type Env = Readonly<Record<string, string | undefined>>;

/**
 * The directory that checkpoints of a path belong to: the nearest one at or above it that begins a project, else `within` when that holds
 * it, else the nearest one that exists.
 */
export function projectDirectory(path: string, env: Env, within?: string): string {
  let start = realTarget(path) ?? path;
  while (!isDirectory(start) && dirname(start) !== start) start = dirname(start);
  const root = projectRoot(start, userHomeOf(env));
  if (PROJECT_MARKS.some((mark) => inspectPath(join(root, mark)) !== undefined)) return root;
  const outer = within === undefined ? undefined : realTarget(within);
  return outer !== undefined && isDirectory(outer) && isWithin(start, outer) ? outer : root;
}

function isDirectory(path: string): boolean {
  const seen = inspectPath(path);
  return seen !== undefined && seen !== "unreadable" && seen.kind === "directory";
}

/** Never kept: the root of the file system, the user's home, and what belongs to the program, but for the workspaces of its tasks. */
export function isNever(directory: string, env: Env, home: Pick<Home, "dir" | "root">): boolean {
  const user = userHomeOf(env);
  if (directory === "/" || directory === user || directory === realTarget(user)) return true;
  const homes = [home.dir, home.root].map((dir) => realTarget(dir) ?? dir);
  return homes.some((dir) => isWithin(directory, dir)) && !/\/workspaces\/./.test(directory);
}
