import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, statSync } from "node:fs";
import { errorCode, type FileFacts, toFacts } from "./files.js";

/** What is at a path, links not followed; `denied`: it cannot be looked at. */
export function readEntryKindSync(path: string): FileFacts["kind"] | "absent" | "denied" {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    return found === undefined ? "absent" : toFacts(found).kind;
  } catch (error) {
    return isDenied(error) ? "denied" : "absent";
  }
}

/** The beginning of a file and, where it is longer than what may be read whole, its end. */
export interface Bounded {
  readonly head: Buffer;
  /** Absent: `head` is the whole file. */
  readonly tail?: Buffer;
  /** Bytes of the file when it was opened. */
  readonly size: number;
}

export type BoundedAnswer =
  | { readonly ok: true; readonly file: Bounded }
  | { readonly ok: false; readonly why: string; readonly absent?: true };

export interface ReadBounds {
  /** A file of at most so many bytes is read whole. */
  readonly whole: number;
  /** Bytes of a longer one. */
  readonly head: number;
  readonly tail: number;
}

/**
 * Read a part of a file at once, at most `whole` bytes or head and tail: a few short calls, which never wait for the other end of a FIFO. The
 * path must be a real one: a link in its last component is not followed. A file that changes meanwhile gives what was there to be read.
 */
export function readBounded(path: string, bounds: ReadBounds): BoundedAnswer {
  try {
    // Looked at before it is opened: opening a FIFO or a device may already do something.
    const before = toFacts(statSync(path)).kind;
    if (before !== "file") return { ok: false, why: `it is a ${before}, not a file` };
    const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      return partsOf(fd, bounds);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    return failure(error);
  }
}

function partsOf(fd: number, bounds: ReadBounds): BoundedAnswer {
  const { kind, size } = toFacts(fstatSync(fd));
  if (kind !== "file") return { ok: false, why: `it is a ${kind}, not a file` };
  if (size <= bounds.whole) return { ok: true, file: { head: readAt(fd, 0, size), size } };
  return {
    ok: true,
    file: { head: readAt(fd, 0, bounds.head), tail: readAt(fd, size - bounds.tail, bounds.tail), size },
  };
}

function readAt(fd: number, from: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let used = 0;
  while (used < length) {
    const got = readSync(fd, bytes, used, length - used, from + used);
    if (got === 0) break;
    used += got;
  }
  return bytes.subarray(0, used);
}

const isDenied = (error: unknown) => errorCode(error) === "EACCES" || errorCode(error) === "EPERM";

function failure(error: unknown): BoundedAnswer {
  const code = errorCode(error);
  if (code === undefined) throw error;
  if (code === "ENOENT" || code === "ENOTDIR") return { ok: false, why: "no such file", absent: true };
  if (isDenied(error)) return { ok: false, why: "permission denied" };
  return {
    ok: false,
    why: code === "ELOOP" ? "it became a link while being opened" : `reading failed with ${code}`,
  };
}
