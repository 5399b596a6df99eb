import { basename, join } from "node:path";
import { makeDir } from "./directory.js";
import { type OpenedFile, openedFile } from "./file-digest.js";
import { writeAtomic } from "./files.js";

/** A copy of a program's bytes that tools cannot write: `run/hooks/<digest>/` of the home. @returns its path */
export async function privateCopy({ digest, real, bytes }: OpenedFile, home: string): Promise<string> {
  const dir = join(home, "run", "hooks", digest);
  const copy = join(dir, basename(real));
  if (openedFile(copy)?.digest === digest) return copy;
  makeDir(dir);
  await writeAtomic(copy, bytes, 0o500);
  return copy;
}
