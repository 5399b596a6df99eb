import { homedir } from "node:os";
import { isAbsolute } from "node:path";
import { AppError } from "../../../base/errors.js";
import { expandTilde } from "../../../base/tilde.js";
import type { NewTask } from "../../../contracts/board/api.js";

/**
 * `--workspace`: `scratch`, `dir`, `dir:<absolute path>`, `worktree`, `worktree:<repository path>` (board part, 8.1); `~` is expanded.
 *
 * @throws E_USAGE
 */
export function parseWorkspace(
  given: string | undefined,
  home: string = homedir(),
): Pick<NewTask, "workspace_kind" | "workspace_path"> {
  if (given === undefined) return {};
  const [, kind, rest] = /^(scratch|dir|worktree)(?::(.*))?$/s.exec(given) ?? [];
  if (kind === undefined || (kind === "scratch" && rest !== undefined) || rest === "") {
    throw new AppError(
      "E_USAGE",
      `unknown --workspace value: '${given}' (scratch, dir, dir:<absolute path>, worktree, worktree:<repository>)`,
    );
  }
  const workspace_kind = kind as "scratch" | "dir" | "worktree"; // the pattern allows only these
  if (rest === undefined) return { workspace_kind };
  const path = expandTilde(rest, home);
  if (!isAbsolute(path)) throw new AppError("E_USAGE", `--workspace ${kind} requires an absolute path, not '${rest}'`);
  return { workspace_kind, workspace_path: path };
}

/** `--branch` and `--base` go with a worktree only. @throws E_USAGE */
export function checkBranch(
  flags: { branch?: string | undefined; base?: string | undefined },
  kind: NewTask["workspace_kind"],
): void {
  const given = flags.branch !== undefined ? "--branch" : flags.base !== undefined ? "--base" : undefined;
  if (given !== undefined && kind !== "worktree")
    throw new AppError("E_USAGE", `${given} requires --workspace worktree`);
  if (flags.branch !== undefined) checkBranchName(flags.branch);
}

/** @throws E_USAGE */
export function checkBranchName(branch: string): void {
  if (branch === "" || /\s/.test(branch) || branch.startsWith("-"))
    throw new AppError("E_USAGE", `--branch: invalid branch name '${branch}'`);
}
