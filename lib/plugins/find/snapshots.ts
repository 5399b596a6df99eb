import { dirname, join } from "node:path";
import { AppError } from "../../base/errors.js";
import { makeDirectory, writeAtomic } from "../../base/fs/files.js";
import { removeTree } from "../../base/fs/tree.js";
import { digestPlugin, type PluginDigest } from "./digest.js";

/**
 * A copy of exactly these files, in a directory named after their hash that no tool writes to. Code is imported from there: what is run is what was
 * read, whatever happens to the originals meanwhile, and another content is another module to the engine.
 *
 * @param states directory of the program's own records about plugins
 */
export async function snapshotPlugin(states: string, { digest, files }: PluginDigest): Promise<string> {
  const dir = join(states, "snapshots", digest);
  if (isSame(dir, digest)) return dir;
  await removeTree(dir);
  for (const { path, bytes } of files) {
    const to = join(dir, path);
    await makeDirectory(dirname(to), 0o700);
    await writeAtomic(to, bytes, 0o600, false);
  }
  if (!isSame(dir, digest)) throw new AppError("E_INTERNAL", `the copy of a plugin in ${dir} is not complete`);
  return dir;
}

function isSame(dir: string, digest: string): boolean {
  try {
    return digestPlugin(dir).digest === digest;
  } catch {
    return false; /* ok to lose: what cannot be read is written again */
  }
}
