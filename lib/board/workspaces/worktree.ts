import { join } from "node:path";
import { AppError } from "../../base/errors.js";
import { appendText, makeDirectory, readText, realPath } from "../../base/fs/files.js";
import { entryAt } from "../../base/fs/tree.js";
import type { Ms } from "../../base/units.js";
import type { Task } from "../../contracts/board/board.js";
import { isBranchName } from "../../safety/git/branch-name.js";
import { type Git, openGit } from "../../safety/git/git.js";
import type { Core } from "../core/core.js";
import { KANBAN } from "../core/keys.js";
import { baseFor, restoreHead } from "./base.js";
import { commonDir, FOLDER, hasBranch, listedAt, pathIn } from "./repository.js";

/** A worktree of a task (board part, 8.3). */
export interface Worktree {
  readonly path: string;
  readonly repo: string;
  readonly branch: string;
  /** The branch was made for the task, so that it may go with the worktree. */
  readonly made: boolean;
  /** Name of the base as given or found. */
  readonly base: string;
  readonly commit: string;
  readonly fresh: boolean;
}

export interface WorktreePlan {
  readonly task: Task;
  readonly made: boolean;
  readonly repo: string;
  /** Branch of the parent whose work this one builds on. */
  readonly parent: string | undefined;
}

/** A large repository takes a while to be checked out. */
const CHECKOUT_MS: Ms = 10 * 60_000;

/** Reason that git gives to the lock of a worktree which it is just making. */
const INITIALIZING = "initializing";

/**
 * Make the worktree of a task, or find the one it has. One at a time in a repository: git's own locks refuse, they do not wait.
 *
 * @throws E_WORKSPACE no commit to begin at, the branch is checked out elsewhere, something is in the way
 */
export async function prepareWorktree(core: Core, plan: WorktreePlan): Promise<Worktree> {
  return core.lanes.take(`git:${plan.repo}`, async () => {
    const git = await openGit(core, plan.repo);
    const common = await commonDir(git);
    if (common === undefined) throw failed(plan.task, `${plan.repo} is no longer a git work tree`);
    const place: Place = {
      core,
      git,
      common,
      plan,
      path: join(plan.repo, FOLDER, plan.task.id),
      branch: branchOf(core, plan.task),
    };
    return (await existing(place)) ?? fresh(place);
  });
}

interface Place {
  readonly core: Core;
  readonly git: Git;
  readonly common: string;
  readonly plan: WorktreePlan;
  readonly path: string;
  readonly branch: string;
}

const failed = (task: Task, why: string): AppError =>
  new AppError("E_WORKSPACE", `cannot create the worktree of ${task.id}: ${why}`, { task: task.id });

/** The worktree that an earlier attempt worked in; undefined without one. */
async function existing(place: Place): Promise<Worktree | undefined> {
  const { core, git, plan, path, common } = place;
  const { task } = plan;
  const found = await entryAt(path);
  if (found === undefined) return undefined;
  const inner = await openGit(core, path);
  const top = await inner.run(["rev-parse", "--show-toplevel"]);
  const ours =
    found.kind === "directory" &&
    top.ok &&
    (await realPath(pathIn(top.out))) === (await realPath(path)) &&
    (await commonDir(inner)) === common;
  if (!ours) throw failed(task, `${path} already exists and is not a worktree of ${plan.repo}`);
  if (task.workspace_path === null && (await listedAt(git, path))?.locked === INITIALIZING) return cutShort(place);
  if (!(await restoreHead(inner, task)))
    throw failed(task, `the branch of ${path} is missing, and git does not know its commit`);
  const branch =
    task.branch_name ?? ((await inner.run(["symbolic-ref", "--short", "--quiet", "HEAD"])).said || place.branch);
  const base = await baseFor({ git, task, parent: plan.parent, branch });
  return {
    path,
    repo: plan.repo,
    branch,
    made: plan.made || branch === ownBranch(core, task),
    ...base,
    fresh: task.workspace_path === null,
  };
}

/** The owner ended while git made it; no worker has seen it. */
async function cutShort({ git, path, plan }: Place): Promise<undefined> {
  const gone = await git.run(["worktree", "remove", "--force", "--force", path]);
  if (!gone.ok) throw failed(plan.task, gone.said);
  return undefined;
}

async function fresh(place: Place): Promise<Worktree> {
  const { git, common, plan, path, branch } = place;
  const { task, repo } = plan;
  if (!isBranchName(branch)) throw failed(task, `invalid branch name '${branch}' (kanban.worktree_branch_prefix)`);
  const folder = await entryAt(join(repo, FOLDER));
  if (folder !== undefined && folder.kind !== "directory")
    throw failed(task, `${join(repo, FOLDER)} is not a directory`);
  const known = await hasBranch(git, branch);
  const base = await baseFor({ git, task, parent: plan.parent, branch: known ? branch : undefined });
  await forgetMissing(place);
  await exclude(common);
  const args = known ? [path, branch] : ["-b", branch, path, base.commit];
  const added = await git.run(["worktree", "add", ...args], { limitMs: CHECKOUT_MS });
  if (!added.ok) throw failed(task, added.said);
  return {
    path,
    repo,
    branch,
    made: plan.made || !known || branch === ownBranch(place.core, task),
    ...base,
    fresh: true,
  };
}

/** The directory was removed by hand, and git still counts on it. A locked one is left alone. */
async function forgetMissing({ git, path, plan }: Place): Promise<void> {
  const listed = await listedAt(git, path);
  if (listed === undefined) return;
  if (listed.locked !== undefined && listed.locked !== INITIALIZING) {
    throw failed(
      plan.task,
      `${path} is missing but locked${listed.locked === "" ? "" : `: ${listed.locked}`} (git worktree unlock)`,
    );
  }
  const forgotten = await git.run(["worktree", "remove", "--force", "--force", path]);
  if (!forgotten.ok) throw failed(plan.task, forgotten.said);
}

const branchOf = (core: Core, task: Task): string => task.branch_name ?? ownBranch(core, task);

/** `<prefix><task id>-<slug of the title>`. */
function ownBranch(core: Core, task: Task): string {
  const slug = task.title
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .replaceAll("ß", "ss")
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+/, "")
    .slice(0, 40)
    .replace(/-+$/, "");
  return `${core.config.get(KANBAN.branchPrefix)}${task.id}${slug === "" ? "" : `-${slug}`}`;
}

/** The folder of worktrees is none of the repository's business: it goes into its local exclude file, behind what the user wrote there. */
async function exclude(common: string): Promise<void> {
  const path = join(common, "info", "exclude");
  const text = (await readText(path)) ?? "";
  if (text.split("\n").some((line) => line.trim() === `${FOLDER}/`)) return;
  await makeDirectory(join(common, "info"));
  appendText(path, `${text === "" || text.endsWith("\n") ? "" : "\n"}${FOLDER}/\n`, 0o644);
}
