import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { systemCode } from "../errors.js";
import type { Home } from "../home.js";
import { realDisk } from "./disk.js";

/** Whether something is at the path. */
export const exists = (path: string): boolean => existsSync(path);

/** Names in a directory; empty when it does not exist. */
export const listUnsortedNames = (dir: string): readonly string[] => (existsSync(dir) ? readdirSync(dir) : []);

/** Bytes of a file; 0 when it does not exist. */
export const readFileSize = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** Remove a file or a tree of the product's own. Harmless when it is gone. */
export const removeTreeSync = (path: string): void => rmSync(path, { recursive: true, force: true });

/** Permission bits of an existing path. */
export const readFileMode = (path: string): number => statSync(path).mode & 0o777;

/** Take away every right that is not in `most`. True: there was one. Harmless when nothing is there. */
export function tighten(path: string, most: number): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || (found.mode & 0o777 & ~most) === 0) return false;
  chmodSync(path, found.mode & 0o777 & most);
  return true;
}

/** Take the rights of other users to a home and its files of credentials away. @returns the paths whose modes were looser */
export const correctModes = (home: Home): readonly string[] =>
  [
    ...[...new Set([home.dir, home.root])].map((path) => ({ path, most: 0o700 })),
    ...[home.env, join(home.dir, "auth.json"), home.token].map((path) => ({ path, most: 0o600 })),
  ].flatMap(({ path, most }) => (tighten(path, most) ? [path] : []));

/** Code of the system (`EACCES`, `EROFS`) where the directory cannot be read, written or entered; undefined: it can. */
export function findAccessProblem(dir: string): string | undefined {
  try {
    accessSync(dir, constants.R_OK | constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return systemCode(error) ?? "EACCES"; // the answer is what was asked
  }
}

/** Bytes that are left for this user on the disk of an existing path; undefined where the file system does not say how large it is. */
export function freeBytes(path: string): number | undefined {
  const { blocks, bavail, bsize } = statfsSync(path);
  return blocks === 0 ? undefined : bavail * bsize;
}

/** Give a file or a tree of the product's own another name on the same disk; the name is on the disk afterwards. */
export function moveTree(from: string, to: string): void {
  renameSync(from, to);
  realDisk.syncDir(dirname(to));
}
