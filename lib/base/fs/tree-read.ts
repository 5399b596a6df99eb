import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  type Stats,
} from "node:fs";
import { errorCode } from "./files.js";

/** What stands at a path itself; a link is not followed. Times are milliseconds with fractions. */
export interface PathFacts {
  readonly kind: "file" | "directory" | "link" | "other";
  readonly size: number;
  /** Permission bits. */
  readonly mode: number;
  readonly mtime: number;
  readonly ctime: number;
  readonly inode: number;
}

/** Undefined: nothing is there. `unreadable`: it cannot be looked at. */
export function inspectPath(path: string): PathFacts | "unreadable" | undefined {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    return found && toSeen(found);
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOTDIR" || code === "ENOENT") return undefined;
    if (code === undefined) throw error;
    return "unreadable";
  }
}

function toSeen(found: Stats): PathFacts {
  const kind = found.isFile() ? "file" : found.isDirectory() ? "directory" : found.isSymbolicLink() ? "link" : "other";
  return {
    kind,
    size: found.size,
    mode: found.mode & 0o7777,
    mtime: found.mtimeMs,
    ctime: found.ctimeMs,
    inode: found.ino,
  };
}

/** Entries of a directory; undefined when it is gone or cannot be read. */
export function readDirentsSync(path: string): readonly Dirent[] | undefined {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}

/** Where a link points, as it is written; undefined when it is none any more. */
export function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}

/**
 * The bytes of a regular file with the facts that belong to them; a link is not followed. Undefined: it is no longer a file, cannot be read,
 * or has more than `max` bytes.
 */
export function readProjectFile(
  path: string,
  max: number,
): { readonly bytes: Buffer; readonly seen: PathFacts } | undefined {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
  try {
    const facts = fstatSync(fd);
    if (!facts.isFile() || facts.size > max) return undefined;
    const bytes = readUpTo(fd, facts.size, max);
    return bytes && { bytes, seen: { ...toSeen(facts), size: bytes.length } };
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined; // EIO and the like: what cannot be read cannot be kept
  } finally {
    closeSync(fd);
  }
}

/** All there is, also when the file grows meanwhile. */
function readUpTo(fd: number, expected: number, max: number): Buffer | undefined {
  let bytes = Buffer.allocUnsafe(expected + 1);
  let used = 0;
  for (;;) {
    const got = readSync(fd, bytes, used, bytes.length - used, used);
    if (got === 0) return bytes.subarray(0, used);
    used += got;
    if (used > max) return undefined;
    if (used === bytes.length) bytes = Buffer.concat([bytes, Buffer.allocUnsafe(64 << 10)]);
  }
}
