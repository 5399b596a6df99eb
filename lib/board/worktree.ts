import { join } from "node:path";
import { AppError, systemCode } from "../base/errors.js";
import { factsOf, makeDirectory, readText, writeAtomic } from "../base/files.js";
import type { BoardSlug } from "../base/units.js";
import type { Task } from "../proto/board.js";
import { settingsOf } from "./boards.js";
import type { Core } from "./core.js";
import { KANBAN } from "./keys.js";

/** A worktree of a task (board part, 8.3). */
export interface Worktree {
  readonly path: string;
  readonly repo: string;
  readonly branch: string;
  /** Name of the base as given or found. */
  readonly base: string;
  readonly commit: string;
  readonly fresh: boolean;
}

const FOLDER = ".agent-worktrees";

/**
 * Root of the repository that a worktree task is for: the given path, else the board's default directory, else where the caller stands.
 *
 * @throws E_WORKSPACE there is none, or it is no git work tree
 */
export async function findRepository(
  core: Core,
  board: BoardSlug,
  given: { path: string | null; cwd: string | undefined },
): Promise<string> {
  const at = given.path ?? ((await settingsOf(core, board)).default_workdir || given.cwd);
  if (at === undefined) throw new AppError("E_WORKSPACE", "a worktree needs a repository: name one with --workspace worktree:<path>");
  const root = await git(core, at, ["rev-parse", "--show-toplevel"]);
  if (!root.ok) throw new AppError("E_WORKSPACE", `${at} is not a git work tree: ${root.said}`, { path: at });
  return root.said;
}

/** Make the worktree of a task, or find the one it has. @param parent Branch of its only parent, when that has a worktree of the same repository */
export async function prepareWorktree(core: Core, task: Task, at: { repo: string; parent: string | undefined }): Promise<Worktree> {
  const root = await must(core, at.repo, ["rev-parse", "--show-toplevel"], task);
  const path = join(root, FOLDER, task.id);
  const branch = task.branch_name ?? branchName(core, task);
  const base = task.base_name ?? at.parent ?? "HEAD";
  if ((await factsOf(path)) !== undefined) {
    const commit = task.base_commit ?? (await must(core, path, ["rev-parse", "HEAD"], task));
    return { path, repo: root, branch: await must(core, path, ["rev-parse", "--abbrev-ref", "HEAD"], task), base, commit, fresh: false };
  }
  const commit = await must(core, root, ["rev-parse", "--verify", "--end-of-options", `${base}^{commit}`], task);
  await exclude(core, root, task);
  const known = await git(core, root, ["show-ref", "--verify", "--quiet", `refs/heads/${branch}`]);
  await must(core, root, ["worktree", "add", ...(known.ok ? [path, branch] : ["-b", branch, path, commit])], task);
  return { path, repo: root, branch, base, commit, fresh: true };
}

/** `<prefix><task id>-<slug of the title>`. */
function branchName(core: Core, task: Task): string {
  const slug = task.title
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 40)
    .replace(/^-+|-+$/g, "");
  return `${core.config.get(KANBAN.branchPrefix)}${task.id}${slug === "" ? "" : `-${slug}`}`;
}

/** The folder of worktrees is none of the repository's business: it goes into its local exclude file. */
async function exclude(core: Core, root: string, task: Task): Promise<void> {
  const common = await must(core, root, ["rev-parse", "--path-format=absolute", "--git-common-dir"], task);
  const path = join(common, "info", "exclude");
  const text = (await readText(path)) ?? "";
  if (text.split("\n").includes(`${FOLDER}/`)) return;
  await makeDirectory(join(common, "info"));
  await writeAtomic(path, `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${FOLDER}/\n`, 0o644);
}

async function must(core: Core, cwd: string, args: readonly string[], task: Task): Promise<string> {
  const answer = await git(core, cwd, args);
  if (!answer.ok) throw new AppError("E_WORKSPACE", `cannot make the worktree of ${task.id}: ${answer.said}`, { task: task.id });
  return answer.said;
}

/** Longest answer of git that is kept. */
const MAX_ANSWER = 64 * 1024;

/** Run git without a terminal, prompts or hooks of ours. @returns what it said, trimmed */
async function git(core: Core, cwd: string, args: readonly string[]): Promise<{ ok: boolean; said: string }> {
  const inherited = ["PATH", "HOME", "LANG", "TMPDIR"].flatMap((name) => (core.env[name] === undefined ? [] : [[name, core.env[name]]]));
  const env = { ...Object.fromEntries(inherited), GIT_TERMINAL_PROMPT: "0" };
  try {
    const child = await core.spawner.spawn({ file: "git", args, cwd, env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
    let out = "";
    let err = "";
    child.onOutput((chunk, stream) => {
      if (stream === "stdout") out = `${out}${chunk.toString("utf8")}`.slice(0, MAX_ANSWER);
      else err = `${err}${chunk.toString("utf8")}`.slice(-MAX_ANSWER);
    });
    const exit = await child.exited;
    await child.closed;
    return exit.code === 0
      ? { ok: true, said: out.trim() }
      : { ok: false, said: err.trim() || `git ended with ${exit.code ?? exit.signal}` };
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    const missing = (await factsOf(cwd)) === undefined ? `there is no directory ${cwd}` : `git cannot be started (${code})`;
    return { ok: false, said: missing };
  }
}
