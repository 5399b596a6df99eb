import { closeSync, fstatSync, openSync, readdirSync, readSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { errorCode } from "../fs/files.js";

/**
 * A log with what was rotated away of it, read as one: the oldest byte that is kept has offset 0. Everything here is synchronous, as rotation is:
 * no log is turned over while it is being read.
 */
export interface LogParts {
  /** All that is kept, in bytes. */
  readonly size: number;
  /** At least the file itself or one of its backups is there. */
  readonly exists: boolean;
  read(from: number, to: number): Buffer;
  close(): void;
}

interface Part {
  readonly file: number;
  readonly size: number;
}

/** Open a log and its backups `.n` to `.1`. */
export function openLogParts(path: string): LogParts {
  const parts: Part[] = [];
  for (const one of [...backupsOf(path), path]) {
    const file = openIfThere(one);
    if (file !== undefined) parts.push({ file, size: fstatSync(file).size });
  }
  return {
    size: parts.reduce((sum, part) => sum + part.size, 0),
    exists: parts.length > 0,
    read: (from, to) => readParts(parts, from, to),
    close: () => {
      for (const { file } of parts) closeSync(file);
    },
  };
}

/** Paths of the backups, the oldest first. */
function backupsOf(path: string): string[] {
  const head = `${basename(path)}.`;
  const numbers = namesIn(dirname(path)).flatMap((name) =>
    name.startsWith(head) && /^\d+$/.test(name.slice(head.length)) ? [Number(name.slice(head.length))] : [],
  );
  return numbers.sort((a, b) => b - a).map((n) => join(dirname(path), `${head}${n}`));
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
}

function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, "r");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

function readParts(parts: readonly Part[], from: number, to: number): Buffer {
  const pieces: Buffer[] = [];
  let at = 0;
  for (const { file, size } of parts) {
    const start = Math.max(from - at, 0);
    const end = Math.min(to - at, size);
    if (start < end) pieces.push(readAt(file, start, end));
    at += size;
  }
  return Buffer.concat(pieces);
}

function readAt(file: number, from: number, to: number): Buffer {
  const buffer = Buffer.alloc(to - from);
  let used = 0;
  while (used < buffer.length) {
    const read = readSync(file, buffer, used, buffer.length - used, from + used);
    if (read === 0) break;
    used += read;
  }
  return buffer.subarray(0, used);
}

/** What is written to a log from now on, over its rotations. */
export interface LogTail {
  /** Everything since the last call. */
  next(): Buffer;
}

/** Follow a log from its end. */
export function tailLog(path: string): LogTail {
  let at = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  let backup = idOf(`${path}.1`);
  return {
    next: () => {
      const pieces: Buffer[] = [];
      const turned = idOf(`${path}.1`);
      if (turned !== undefined && turned !== backup) {
        pieces.push(restOf(`${path}.1`, at));
        at = 0;
      }
      backup = turned;
      const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
      if (size < at) at = 0; // emptied, and nothing was kept
      const rest = restOf(path, at);
      at += rest.length;
      return Buffer.concat([...pieces, rest]);
    },
  };
}

/** Most that one look brings; the rest comes with the next. */
const MAX_LOOK = 4 << 20;

function restOf(path: string, from: number): Buffer {
  const file = openIfThere(path);
  if (file === undefined) return Buffer.alloc(0);
  try {
    const size = fstatSync(file).size;
    return from >= size ? Buffer.alloc(0) : readAt(file, from, Math.min(size, from + MAX_LOOK));
  } finally {
    closeSync(file);
  }
}

/** What tells one file from another that has taken its name; a rotation always makes a new one. */
function idOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}:${found.birthtimeMs}`;
}

/** Text of bytes that may begin within a character. */
export function textOfTail(bytes: Buffer): string {
  let start = 0;
  while (start < Math.min(3, bytes.length) && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return bytes.subarray(start).toString("utf8");
}
