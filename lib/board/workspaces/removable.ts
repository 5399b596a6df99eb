import { join } from "node:path";
import { listDirectory } from "../../base/fs/files.js";
import { entryAt } from "../../base/fs/tree.js";
import type { Task } from "../../contracts/board/board.js";
import { type Git, type GitPorts, gitAt, openGit } from "../../safety/git/git.js";
import { isMerged, readGitStatus } from "./look.js";
import { commitOf, directoryExists, listedAt } from "./repository.js";

/** A task whose workspace may go. `branch_made` is a column of its row. */
export type LeavingTask = Pick<
  Task,
  "id" | "workspace_kind" | "workspace_path" | "repo_path" | "branch_name" | "base_name" | "base_commit"
> & { readonly branch_made: number };

/** Whether the worktree of a task may go. */
export type Going =
  | {
      readonly state: "goes";
      /** Tip of the task's branch; undefined when it is gone. */
      readonly tip: string | undefined;
      /** Git counts on a worktree there. */
      readonly listed: boolean;
      readonly exists: boolean;
      /** It has places for submodules; all of them are empty. */
      readonly submodules: boolean;
    }
  | { readonly state: "kept"; readonly why: string }
  /** There is neither a worktree nor a branch. */
  | { readonly state: "gone" };

const kept = (why: string): Going => ({ state: "kept", why });

/** Clean and merged, or why not (board part, 8.3). Looks only. */
export async function worktreeToGo(ports: GitPorts, task: LeavingTask): Promise<Going> {
  const { repo_path: repo, workspace_path: path } = task;
  if (repo === null || path === null) return { state: "gone" };
  const found = await entryAt(path);
  if (!(await directoryExists(repo)))
    return found === undefined ? { state: "gone" } : kept(`its repository ${repo} is missing`);
  const git = gitAt(ports, repo);
  const listed = await listedAt(git, path);
  if (listed?.locked !== undefined) return kept(`it is locked${listed.locked === "" ? "" : `: ${listed.locked}`}`);
  const tip = task.branch_name === null ? undefined : await commitOf(git, `refs/heads/${task.branch_name}`);
  if (found === undefined) return withoutFiles(git, { task, tip, listed: listed !== undefined });
  if (listed === undefined) return kept("no longer a worktree of its repository");
  const submodules = await submodulesOf(await openGit(ports, path), path);
  if (submodules === "in use") return kept("it has submodules");
  const why = await unsafe(git, await openGit(ports, path), { task, tip });
  return why === undefined
    ? { state: "goes", tip, listed: true, exists: true, submodules: submodules === "empty" }
    : kept(why);
}

interface Of {
  readonly task: LeavingTask;
  readonly tip: string | undefined;
}

/** The directory was removed by hand, or a removal was cut short: what is left is git's note of it, and the branch. */
async function withoutFiles(git: Git, { task, tip, listed }: Of & { listed: boolean }): Promise<Going> {
  const branch = tip !== undefined && task.branch_made === 1;
  if (!branch && !listed) return { state: "gone" };
  if (branch && !(await isMerged(git, task, tip))) return kept(`branch ${task.branch_name} is not merged`);
  return { state: "goes", tip, listed, exists: false, submodules: false };
}

/** Why work would be lost; undefined when none would be. */
async function unsafe(repo: Git, inner: Git, { task, tip }: Of): Promise<string | undefined> {
  const status = await readGitStatus(inner);
  if ("why" in status) return `git failed to determine its state: ${status.why}`;
  if (status.uncommitted > 0) return `${status.uncommitted} file(s) with uncommitted changes`;
  if (status.head === null) return "its branch is missing";
  if (!(await isMerged(repo, task, status.head))) return `commits that are not in ${task.base_name ?? "its base"}`;
  if (tip !== undefined && tip !== status.head && !(await isMerged(repo, task, tip)))
    return `branch ${task.branch_name} is not merged`;
  return undefined;
}

/** Places of submodules in a worktree. Git does not look into those that are in use, so what would be lost is unknown. */
async function submodulesOf(inner: Git, path: string): Promise<"none" | "empty" | "in use"> {
  const { ok, out } = await inner.run(["ls-files", "--stage", "-z"], { maxBytes: 64 << 20 });
  if (!ok) return "in use";
  const places = out
    .split("\0")
    .filter((line) => line.startsWith("160000 "))
    .map((line) => line.slice(line.indexOf("\t") + 1));
  for (const place of places) if ((await listDirectory(join(path, place))).length > 0) return "in use";
  return places.length === 0 ? "none" : "empty";
}
