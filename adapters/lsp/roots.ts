import { dirname, join } from "node:path";
import { listDirectory, realPath, statPath } from "../../lib/base/fs/files.js";
import { isSharedDirectory } from "../../lib/base/fs/shared-directory.js";
import { isWithin } from "../../lib/safety/paths/paths.js";
import type { ServerDefinition } from "./definition.js";

/** Core part, 19.1: a walk up gives up after so many directories. */
export const STEPS_AT_MOST = 64;

/** The directory itself and those above it, at most `STEPS_AT_MOST`, up to and with `top`. */
function* upwards(from: string, top = "/"): Generator<string> {
  let dir = from;
  for (let steps = 0; steps < STEPS_AT_MOST; steps++) {
    yield dir;
    if (dir === top || dirname(dir) === dir) return;
    dir = dirname(dir);
  }
}

const exists = async (path: string): Promise<boolean> => (await statPath(path)) !== undefined;

async function treeOf(dir: string): Promise<string | undefined> {
  for (const one of upwards(dir))
    if ((await exists(join(one, ".git"))) && (one === dir || !isSharedDirectory(one))) return one;
  return undefined;
}

/** The git work tree that a file belongs to: that of the launch directory when the file is inside it, else the file's own. */
export async function workTree(file: string, launchDir: string): Promise<string | undefined> {
  const launch = await treeOf((await realPath(launchDir)) ?? launchDir);
  if (launch !== undefined && isWithin(file, launch)) return launch;
  return treeOf(dirname(file));
}

/**
 * Directory in which a server works on a file: the nearest one with a mark, inside the work tree, else the work tree. Undefined: this server
 * has no business there.
 */
export async function serverRoot(server: ServerDefinition, file: string, tree: string): Promise<string | undefined> {
  for (const dir of upwards(dirname(file), tree)) {
    const names = new Set((await listDirectory(dir)).map((entry) => entry.name));
    if (server.notWith?.some((name) => names.has(name)) === true) return undefined;
    if (server.roots.some((mark) => hasMark(names, mark))) return dir;
  }
  return tree;
}

const hasMark = (names: ReadonlySet<string>, mark: string): boolean =>
  mark.startsWith("*") ? [...names].some((name) => name.endsWith(mark.slice(1))) : names.has(mark);

/** A file below the nearest directory, from `dir` upwards, that has it. */
export async function nearest(dir: string, path: string): Promise<string | undefined> {
  for (const one of upwards(dir)) if (await exists(join(one, path))) return join(one, path);
  return undefined;
}
