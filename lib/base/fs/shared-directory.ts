import { statSync } from "node:fs";

/** Any user writes, and removes only what is theirs: the mode of `/tmp`. Mounts of other systems give everything 0777, without the second bit. */
const SHARED = 0o1002;

/**
 * A directory such as `/tmp`, in which any user of the machine may put files: a project file in it does not make a project of all that lies
 * below. False where it cannot be looked at.
 */
export function isSharedDirectory(path: string): boolean {
  try {
    return ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & SHARED) === SHARED;
  } catch {
    return false; // ok to lose: a directory that cannot be looked at has no mark that is found
  }
}
