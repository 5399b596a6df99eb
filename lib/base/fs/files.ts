import {
  appendFileSync,
  closeSync,
  constants,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  type Stats,
  statSync,
} from "node:fs";
import { type FileHandle, mkdir, open, readdir, readFile, realpath, rename, rm, stat, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { failedAt } from "../errors.js";

/** What is at a path, as far as tools need to know. */
export interface FileFacts {
  readonly kind: "file" | "directory" | "link" | "device" | "fifo" | "socket";
  readonly size: number;
  readonly mtimeMs: number;
  /** Permission bits. */
  readonly mode: number;
  readonly inode: number;
  readonly device: number;
}

/** Code of a file system error (`ENOENT`, ...), or undefined when it is another kind of failure. */
export function errorCode(error: unknown): string | undefined {
  const code: unknown = typeof error === "object" && error !== null ? Reflect.get(error, "code") : undefined;
  return typeof code === "string" ? code : undefined;
}

/** Facts of what the path leads to, links followed; undefined when there is nothing. */
export async function statPath(path: string): Promise<FileFacts | undefined> {
  return absent(async () => toFacts(await stat(path)));
}

/** The same at once: through the thread pool one look takes ten times as long, and waits behind every file that is being synced. */
export function statPathSync(path: string): FileFacts | undefined {
  try {
    return toFacts(statSync(path));
  } catch (error) {
    return noneIfAbsent(error);
  }
}

const NAME_BYTES = 255;
const PATH_BYTES = 4095;

/** Whether something could have this path at all. What asks the system for one that cannot be gets an error, and no answer. */
export const isPossiblePath = (path: string): boolean =>
  !path.includes("\0") &&
  Buffer.byteLength(path) <= PATH_BYTES &&
  path.split("/").every((name) => Buffer.byteLength(name) <= NAME_BYTES);

async function absent<T>(look: () => Promise<T>): Promise<T | undefined> {
  try {
    return await look();
  } catch (error) {
    return noneIfAbsent(error);
  }
}

function noneIfAbsent(error: unknown): undefined {
  const code = errorCode(error);
  if (code !== "ENOENT" && code !== "ENOTDIR") throw error;
}

export function toFacts(found: Stats): FileFacts {
  return {
    kind: kindOf(found),
    size: found.size,
    mtimeMs: found.mtimeMs,
    mode: found.mode & 0o7777,
    inode: found.ino,
    device: found.dev,
  };
}

function kindOf(found: Stats): FileFacts["kind"] {
  if (found.isFile()) return "file";
  if (found.isDirectory()) return "directory";
  if (found.isSymbolicLink()) return "link";
  if (found.isFIFO()) return "fifo";
  return found.isSocket() ? "socket" : "device";
}

/** Open for reading without following a link in the last component and without waiting for the other end of a FIFO. */
export async function openToRead(path: string): Promise<FileHandle> {
  return open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
}

/** Make a file that is not there yet, open for writing. @throws when it is there */
export async function openNew(path: string, mode: number): Promise<FileHandle> {
  return open(path, "wx", mode);
}

/** The first `max` bytes of an open file. */
export async function readHead(file: FileHandle, max: number): Promise<Buffer> {
  const buffer = Buffer.alloc(max);
  let used = 0;
  while (used < max) {
    const { bytesRead } = await file.read(buffer, used, max - used, used);
    if (bytesRead === 0) break;
    used += bytesRead;
  }
  return buffer.subarray(0, used);
}

/** All bytes of a regular file, or undefined when it does not exist. A link in the last component is not followed. */
export async function readFileBytes(path: string): Promise<Buffer | undefined> {
  return absent(async () => {
    const file = await openToRead(path);
    try {
      return await file.readFile();
    } finally {
      await file.close();
    }
  });
}

/** The same for a file of at most `max` bytes; undefined also for a larger one, and for one that cannot be read. */
export async function readAtMost(path: string, max: number): Promise<Buffer | undefined> {
  try {
    const file = await openToRead(path);
    try {
      const { size } = await file.stat();
      return size > max ? undefined : await readHead(file, size);
    } finally {
      await file.close();
    }
  } catch {
    return undefined; // ok to lose: the caller continues without it
  }
}

/**
 * The first `size` bytes of a regular file, in pieces; opened when the first is asked for. A link in the last component is not followed.
 * @throws when it is not there, or shorter by then
 */
export async function* readPieces(path: string, size: number): AsyncGenerator<Uint8Array> {
  const file = await openToRead(path);
  try {
    for (let at = 0; at < size; ) {
      const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, size - at));
      const { bytesRead } = await file.read(piece, 0, piece.length, at);
      if (bytesRead === 0) throw new Error(`the file is shorter than ${size} bytes`);
      yield piece.subarray(0, bytesRead);
      at += bytesRead;
    }
  } finally {
    await file.close();
  }
}

const PIECE_BYTES = 64 << 10;

/** Text of a small file of our own; undefined when it does not exist. */
export async function readText(path: string): Promise<string | undefined> {
  return absent(async () => readFile(path, "utf8"));
}

/**
 * Put `bytes` at `path` so that a reader sees the old file or the new one, never a part: temporary file beside it, fsync, rename.
 * @param mode Permission bits of the new file.
 * @param sync Default true. False for files that are made again when lost.
 * @throws the failure of the system, said of `path`
 */
export async function writeAtomic(path: string, bytes: Uint8Array | string, mode: number, sync = true): Promise<void> {
  const draft = join(dirname(path), `.${basename(path).slice(0, 100)}.${process.pid}-${nextDraft()}.tmp`);
  try {
    const file = await open(
      draft,
      constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
      mode,
    );
    try {
      await file.writeFile(bytes);
      await file.chmod(mode);
      if (sync) await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined); // there may be no such folder: the first failure is the one to tell
    throw failedAt(path, error);
  }
  if (sync) await syncDirectory(dirname(path));
}

let drafts = 0;
const nextDraft = () => {
  drafts += 1;
  return drafts;
};

/** Names in a directory are on the disk when it resolves, where the file system can do that. */
export async function syncDirectory(path: string): Promise<void> {
  try {
    const dir = await open(path, constants.O_RDONLY);
    try {
      await dir.sync();
    } finally {
      await dir.close();
    }
  } catch {
    /* ok to lose: some file systems cannot sync a directory; the file itself is synced. */
  }
}

/** Add text to the end of a file, in order with other calls. A full disk loses the text, not the program. */
export function appendText(path: string, text: string, mode: number): void {
  try {
    appendFileSync(path, text, { mode });
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
  }
}

/** Make a directory with its parents. Returns the first one that was made, or undefined when all existed. */
export async function makeDirectory(path: string, mode = 0o777): Promise<string | undefined> {
  return mkdir(path, { recursive: true, mode });
}

/** The same, and the names of the directories that were made are on the disk. */
export async function makeDurableDirectory(path: string, mode = 0o777): Promise<void> {
  const first = await makeDirectory(path, mode);
  if (first === undefined) return;
  for (let at = path; at.length >= first.length; at = dirname(at)) await syncDirectory(dirname(at));
}

/** Entries of a directory with their kind, in no order. An unreadable directory is empty. */
export async function listDirectory(
  path: string,
): Promise<readonly { name: string; kind: "file" | "directory" | "link" | "other" }[]> {
  try {
    const entries = await readdir(path, { withFileTypes: true });
    return entries.map((entry) => ({
      name: entry.name,
      kind: entry.isFile() ? "file" : entry.isDirectory() ? "directory" : entry.isSymbolicLink() ? "link" : "other",
    }));
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR" || code === "EACCES" || code === "EPERM") return [];
    throw error;
  }
}

/** Remove one file. Harmless when it is gone. */
export async function removeFile(path: string): Promise<void> {
  await absent(() => unlink(path));
}

/** Where a path really leads, or undefined when it leads nowhere. */
export async function realPath(path: string): Promise<string | undefined> {
  return absent(async () => realpath(path));
}

/** Entry of a directory for a walk; links and special files are `other`. */
export interface WalkEntry {
  readonly name: string;
  readonly kind: "file" | "directory" | "other";
}

/** Entries of a directory at once, for walks that pause by themselves. An unreadable directory is empty. */
export function listDirectorySync(path: string): readonly WalkEntry[] {
  try {
    return readdirSync(path, { withFileTypes: true }).map((entry) => ({
      name: entry.name,
      kind: entry.isFile() ? "file" : entry.isDirectory() ? "directory" : "other",
    }));
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return [];
  }
}

/** Where a link leads, when that is a directory that this user owns; undefined otherwise. */
export function ownDirectory(path: string): string | undefined {
  try {
    const found = statSync(path);
    return found.isDirectory() && found.uid === process.geteuid?.() ? realpathSync(path) : undefined;
  } catch {
    return undefined; // it leads nowhere
  }
}

/** Bytes of a file of at most `max` bytes, at once; undefined when it is larger, gone, or not to be read. */
export function readAtMostSync(path: string, max: number): Buffer | undefined {
  try {
    if (statSync(path).size > max) return undefined;
    return readFileSync(path);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}

/** Last change of a file; 0 when it is gone. */
export function changedAt(path: string): number {
  try {
    return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  } catch (error) {
    if (errorCode(error) === "ENOTDIR") return 0;
    throw error;
  }
}

/** Content of a plain file of at most `max` bytes, also when something else took its place: a link, a pipe, a directory. Waits for nothing. */
export function readRegularFileSync(path: string, max: number): Buffer | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const found = fstatSync(fd);
    return found.isFile() && found.size <= max ? readFileSync(fd) : undefined;
  } catch {
    return undefined; // missing, or something else
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
