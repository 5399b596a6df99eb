import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { systemCode } from "./errors.js";

/** Names in a directory, sorted; none when it does not exist. */
export function listNames(dir: string): string[] {
  try {
    return readdirSync(dir).sort();
  } catch (error) {
    if (systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR") return [];
    throw error;
  }
}

/** Make a private directory (0700) with its parents; harmless when it is there. */
export function makeDir(dir: string): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
}

/** Remove one file; harmless when it is gone. */
export function removeFile(path: string): void {
  rmSync(path, { force: true });
}
