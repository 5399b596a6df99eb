import {
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { failedAt } from "../errors.js";
import { realDisk } from "./disk.js";
import { errorCode } from "./files.js";

/** Changes that are on the disk when they return, each in one step. Links in the last component are never followed. */

/**
 * Write a file that is renamed to its place later: synced, under a name of its own.
 *
 * @throws the failure of the system, said of the path; nothing is left
 */
export function writeDraft(draft: string, bytes: Uint8Array, mode: number): void {
  try {
    makeDirs(dirname(draft));
    rmSync(draft, { force: true });
    const fd = openSync(draft, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600);
    try {
      for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done, bytes.length - done, done);
      fchmodSync(fd, mode);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    rmSync(draft, { force: true });
    throw failedAt(draft, error);
  }
}

/** Put a draft in its place, with the parents that are missing. @throws the failure of the system, said of `path` */
export function placeDraft(draft: string, path: string): void {
  try {
    makeDirs(dirname(path));
    renameSync(draft, path);
    realDisk.syncDir(dirname(path));
  } catch (error) {
    throw failedAt(path, error);
  }
}

/** Replace a file whole. `draft` is on the same disk, and is gone afterwards. */
export function replaceDurably(
  path: string,
  bytes: Uint8Array,
  how: { readonly draft: string; readonly mode: number },
) {
  writeDraft(how.draft, bytes, how.mode);
  try {
    placeDraft(how.draft, path);
  } catch (error) {
    rmSync(how.draft, { force: true });
    throw error;
  }
}

/** Remove a file, and the directories above it that are empty then, up to `root`. Harmless when it is gone. */
export function removeDurably(path: string, root: string): void {
  try {
    rmSync(path, { force: true });
    removeEmptyAbove(path, root);
  } catch (error) {
    throw failedAt(path, error);
  }
}

/** Remove the directories above a path that are empty, up to `root`, which stays. */
export function removeEmptyAbove(path: string, root: string): void {
  let at = dirname(path);
  for (; at !== root && dirname(at) !== at; at = dirname(at)) {
    try {
      rmdirSync(at);
    } catch (error) {
      if (errorCode(error) === "ENOENT") continue;
      break; // something is in it
    }
  }
  realDisk.syncDir(at);
}

/** Directories that were made are on the disk. */
function makeDirs(dir: string): void {
  const first = mkdirSync(dir, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let at = dir; at.length >= first.length; at = dirname(at)) realDisk.syncDir(dirname(at));
}
