import { join } from "node:path";
import { AppError } from "../../base/errors.js";
import { makeTemporaryDirectory } from "../../base/fs/tree.js";
import { readTextChunks } from "../../base/fs/workspace-files.js";
import type { BoardSlug, Ms, TaskId } from "../../base/units.js";
import type { Task } from "../../contracts/board/board.js";
import { type Git, openGit } from "../../safety/git/git.js";
import type { Core } from "../core/core.js";
import { readTask } from "../core/core.js";
import { readGitStatus, withNewFiles } from "./look.js";
import { directoryExists } from "./repository.js";
import { DIFF } from "./state.js";

const DIFF_MS: Ms = 5 * 60_000;

/**
 * Text of the changes of a worktree task, from its base to its files as they are. Git writes it to a file first, so that a reader may be as slow as
 * it likes, and a failure is known before the first word.
 */
export async function* diff(core: Core, board: BoardSlug, id: TaskId, signal: AbortSignal): AsyncGenerator<string> {
  const { path, base } = placeOf(await readTask(core, board, id));
  if (!(await directoryExists(path)))
    throw new AppError("E_WORKSPACE", `the worktree of ${id} is missing: ${path}`, { task: id, path });
  const git = await openGit(core, path);
  const status = await readGitStatus(git);
  if ("why" in status) throw failed(id, status.why);
  if (status.untracked === undefined) throw failed(id, "it has too many new files");
  const { untracked } = status;
  const dir = await makeTemporaryDirectory("agent-diff");
  try {
    const file = join(dir.path, "diff");
    await withNewFiles(git, untracked, (env) => write(git, { id, base, file, env }));
    for await (const piece of readTextChunks(file)) {
      if (signal.aborted) return;
      yield piece;
    }
  } finally {
    await dir.remove();
  }
}

function placeOf(task: Task): { path: string; base: string } {
  const hint = { task: task.id, hint: "only tasks with --workspace worktree have a diff" };
  if (task.workspace_kind !== "worktree")
    throw new AppError("E_WORKSPACE", `${task.id} does not have a worktree`, hint);
  const { workspace_path: path, base_commit: base } = task;
  if (path !== null && base !== null) return { path, base };
  throw new AppError(
    "E_WORKSPACE",
    `${task.id} does not have a worktree yet: it is created when the task is first claimed`,
    {
      task: task.id,
      hint: "",
    },
  );
}

const failed = (id: TaskId, why: string) =>
  new AppError("E_WORKSPACE", `cannot show the changes of ${id}: ${why}`, { task: id });

interface Wanted {
  readonly id: TaskId;
  readonly base: string;
  readonly file: string;
  readonly env: Readonly<Record<string, string>>;
}

async function write(git: Git, { id, base, file, env }: Wanted): Promise<void> {
  const flags = ["--src-prefix=a/", "--dst-prefix=b/", `--output=${file}`];
  const answer = await git.run([...DIFF, ...flags, base, "--"], { env, limitMs: DIFF_MS });
  if (!answer.ok) throw failed(id, answer.said);
}
