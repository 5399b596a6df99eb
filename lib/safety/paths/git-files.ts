import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** Parts of a git directory from which git takes settings, programs, or the place of either; those of submodules and linked work trees too. */
const SETTINGS =
  /^((modules|worktrees)\/.+\/)?(config|config\.worktree|commondir|gitdir|info|info\/attributes|hooks(\/.*)?)$/i;
/** Directories that hold such parts as a whole. */
const HOLDERS = /^(modules|worktrees)(\/[^/]+)?$/i;
/** Any of these stands at the end of such a path; all other paths need no look at the disk. */
const MAY_BE_SETTING =
  /(^|\/)(config|config\.worktree|commondir|gitdir|info|attributes|hooks|modules|worktrees|HEAD)(\/|$)/i;

/** The path is a file or directory from which git takes settings or programs, in the git directory of a project or submodule or in a bare repository. */
export function isGitSetting(path: string): boolean {
  const inner = /^.*?\/\.git(?:\/(.*))?$/is.exec(path);
  if (inner !== null) return inner[1] === undefined || isSettingPart(inner[1]);
  if (!MAY_BE_SETTING.test(path)) return false;
  // A directory with a HEAD becomes a repository.
  if (basename(path).toLowerCase() === "head") return looksBare(dirname(path), false);
  for (let dir = dirname(path); dirname(dir) !== dir; dir = dirname(dir)) {
    if (looksBare(dir, true)) return isSettingPart(path.slice(dir.length + 1));
  }
  return false;
}

const isSettingPart = (part: string): boolean => SETTINGS.test(part) || HOLDERS.test(part);

const looksBare = (dir: string, head: boolean): boolean =>
  (!head || existsSync(join(dir, "HEAD"))) && existsSync(join(dir, "objects")) && existsSync(join(dir, "refs"));
