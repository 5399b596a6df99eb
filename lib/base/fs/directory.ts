import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { AppError, systemCode } from "../errors.js";
import { faultPoint } from "../fault.js";
import { realDisk } from "./disk.js";
import { findForeign } from "./home-owner.js";

/** Names in a directory, sorted; none when it does not exist. */
export function listNames(dir: string): string[] {
  try {
    return readdirSync(dir).sort();
  } catch (error) {
    if (systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR") return [];
    throw error;
  }
}

/**
 * Make a private directory (0700) with its parents; harmless when it is there. One after the other: where the system answers ENOENT although
 * the parent exists, as below /proc, the runtime's own way tries for ever.
 *
 * @throws E_STORE naming the directory that cannot be made
 */
export function makeDir(dir: string): void {
  if (existsSync(dir)) return;
  if (dirname(dir) !== dir) makeDir(dirname(dir));
  try {
    mkdirSync(dir, { mode: 0o700 });
  } catch (error) {
    const code = systemCode(error);
    if (code === "EEXIST") return;
    throw new AppError(
      "E_STORE",
      `cannot create directory ${dir}: ${code ?? String(error)}`,
      { path: dir, hint: HOME_HINT },
      error,
    );
  }
}

const HOME_HINT = "AGENT_HOME sets the home; choose a writable directory";

/**
 * A home at `dir` can be opened, or made: nothing else is there, it belongs to this user, and no other user may write to it.
 *
 * @throws E_STORE naming what is not a directory
 * @throws E_HOME when another user owns it or may write to it; the hint is the command that mends it
 */
export function checkHome(dir: string): void {
  let at = dir;
  while (dirname(at) !== at && !existsSync(at)) at = dirname(at);
  if (!statSync(at).isDirectory())
    throw new AppError("E_STORE", `${at} is not a directory`, { path: at, hint: HOME_HINT });
  const foreign = findForeign(dir);
  if (foreign !== undefined)
    throw new AppError("E_HOME", foreign.why, {
      path: dir,
      hint: `run ${foreign.fix}, or set AGENT_HOME to a directory that you own`,
    });
}

const PROFILE = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/**
 * The profile that a command line or `AGENT_PROFILE` names is there (housekeeping part, 2.1): a mistyped name must not begin a new home.
 *
 * @throws E_USAGE with the names that are there
 */
export function checkProfile(root: string, name: string | undefined): void {
  if (!name || name === "default") return;
  const base = join(root, "profiles");
  if (PROFILE.test(name) && existsSync(join(base, name))) return;
  const names = listNames(base).filter((one) => PROFILE.test(one));
  throw new AppError("E_USAGE", `no such profile: '${name}'`, {
    hint: `profiles: ${["default", ...names].join(", ")}`,
  });
}

/** Remove one file; harmless when it is gone. */
export function removeFileSync(path: string): void {
  rmSync(path, { force: true });
}

/**
 * Give a directory another place, in one step: a crash leaves it at `from` or at `to`. It is durable on return, with the parents of `to` that
 * were missing.
 *
 * @throws E_CONFLICT something is at `to` already
 */
export function moveDir(from: string, to: string): void {
  const parent = dirname(to);
  makeDir(parent);
  realDisk.syncDir(dirname(parent));
  faultPoint("directory.moving");
  try {
    renameSync(from, to);
  } catch (error) {
    if (!["ENOTEMPTY", "EEXIST", "ENOTDIR"].includes(systemCode(error) ?? "")) throw error;
    throw new AppError("E_CONFLICT", `${to} already exists`, { path: to, hint: "move it away, then retry" }, error);
  }
  faultPoint("directory.moved");
  realDisk.syncDir(parent);
  realDisk.syncDir(dirname(from));
}

/** Remove a directory with all in it, or what is left of one. Links in it are removed, not followed. */
export function removeDir(dir: string): void {
  rmSync(dir, { recursive: true, force: true, maxRetries: 3 });
}

/** Something is at the path, of whatever kind. */
export const pathExists = (path: string): boolean => existsSync(path);

/** Give a file another place, with the parents of `to`, and put its bytes on the disk. Its name is durable after `syncDir`. */
export function moveFile(from: string, to: string): void {
  makeDir(dirname(to));
  try {
    renameSync(from, to);
  } catch (error) {
    if (systemCode(error) !== "EXDEV") throw error;
    copyFileSync(from, to);
    rmSync(from);
  }
  const file = openSync(to, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Names in a directory are on the disk when it returns. */
export const syncDir = (dir: string): void => realDisk.syncDir(dir);
