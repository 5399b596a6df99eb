import { treeSize } from "../../base/fs/tree.js";
import type { Task } from "../../contracts/board/board.js";
import type { WorkspaceState } from "../../contracts/board/workspace.js";
import { type Git, type GitPorts, gitAt, openGit } from "../../safety/git/git.js";
import { type GitStatus, isMerged, readGitStatus, withNewFiles } from "./look.js";
import { directoryExists } from "./repository.js";

/** Entries that are counted on the way; a larger workspace has no size here. */
const MAX_ENTRIES = 5_000;

const UNKNOWN = {
  size_bytes: null,
  head: null,
  ahead: null,
  dirty: null,
  merged: null,
  files_changed: null,
  insertions: null,
  deletions: null,
} as const;

/** What the workspace of a task is like now. Looks only, and never fails: what cannot be found out is null. */
export async function readWorkspaceState(ports: GitPorts, task: Task): Promise<WorkspaceState> {
  const { workspace_kind: kind, workspace_path: path, branch_name: branch, base_commit } = task;
  const exists = path !== null && (await directoryExists(path));
  const known = { kind, path, exists, ...UNKNOWN, branch, base_commit };
  if (path === null || !exists) return known;
  const [size, git] = await Promise.all([
    treeSize(path, MAX_ENTRIES),
    kind === "worktree" ? worktreeState(ports, task, path) : {},
  ]);
  return { ...known, size_bytes: size ?? null, ...git };
}

async function worktreeState(ports: GitPorts, task: Task, path: string): Promise<Partial<WorkspaceState>> {
  const git = await openGit(ports, path);
  const status = await readGitStatus(git);
  if ("why" in status) return {};
  const [marks, changes] = await Promise.all([
    marksOf(ports, { git, task, status }),
    task.base_commit === null ? {} : changesOf(git, status, task.base_commit),
  ]);
  return { head: status.head, ...marks, ...changes };
}

/** What a card shows of a worktree. */
export type WorktreeMarks = Pick<WorkspaceState, "branch" | "ahead" | "dirty" | "merged">;

/** The same without counting files and lines, for boards full of tasks. Null for what has no worktree now. */
export async function worktreeMarks(ports: GitPorts, task: Task): Promise<WorktreeMarks | null> {
  const { workspace_kind: kind, workspace_path: path, branch_name: branch } = task;
  if (kind !== "worktree" || path === null) return null;
  const unknown = { branch, ahead: null, dirty: null, merged: null };
  if (!(await directoryExists(path))) return unknown;
  const git = await openGit(ports, path);
  const status = await readGitStatus(git);
  return "why" in status ? unknown : marksOf(ports, { git, task, status });
}

async function marksOf(
  ports: GitPorts,
  { git, task, status }: { git: Git; task: Task; status: GitStatus },
): Promise<WorktreeMarks> {
  const { head } = status;
  const [ahead, merged] = await Promise.all([
    head === null || task.base_commit === null ? null : countCommits(git, task.base_commit, head),
    head === null ? null : isMerged(gitAt(ports, task.repo_path ?? git.cwd), task, head),
  ]);
  return { branch: status.branch ?? task.branch_name, ahead, dirty: status.uncommitted > 0, merged };
}

async function countCommits(git: Git, from: string, to: string): Promise<number | null> {
  const { ok, said } = await git.run(["rev-list", "--count", `${from}..${to}`]);
  return ok ? Number(said) : null;
}

/** Flags of every diff: nothing of the user's taste or the repository's programs in it. */
export const DIFF = [
  "diff",
  "--no-color",
  "--no-ext-diff",
  "--no-textconv",
  "--no-renames",
  "--ignore-submodules=dirty",
] as const;

async function changesOf(git: Git, status: GitStatus, base: string): Promise<Partial<WorkspaceState>> {
  if (status.untracked === undefined) return {};
  const answer = await withNewFiles(git, status.untracked, (env) =>
    git.run([...DIFF, "--shortstat", base, "--"], { env }),
  );
  if (!answer.ok) return {};
  const number = (word: string) => Number(new RegExp(`(\\d+) ${word}`).exec(answer.said)?.[1] ?? 0);
  return { files_changed: number("files? changed"), insertions: number("insertion"), deletions: number("deletion") };
}
