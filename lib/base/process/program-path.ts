import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

/** Absolute path of a program that is found on this PATH, or undefined. A few looks at the disk, no process. */
export function programOnPath(name: string, path: string | undefined): string | undefined {
  for (const dir of (path ?? "").split(delimiter)) {
    if (!isAbsolute(dir)) continue; // a relative entry means something else in every directory
    const file = join(dir, name);
    if (isProgram(file)) return file;
  }
  return undefined;
}

/** A file that this user may run. */
export function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false; // ok to lose: what cannot be looked at cannot be started
  }
}
