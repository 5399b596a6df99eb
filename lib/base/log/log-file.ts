import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { systemCode } from "../errors.js";

export interface LogRotation {
  /** A file of more bytes than this is rotated. */
  readonly maxBytes: number;
  /** Old files kept: `.1` is the newest. 0 keeps none. */
  readonly backups: number;
  /** A process appends to the file: its bytes are copied and the file is emptied, so that the process goes on writing to the new one. */
  readonly inUse: boolean;
}

/** Make the file's directory and turn a file that has grown too large into `<path>.1`. True when it did. */
export function rotateFile(path: string, rotation: LogRotation): boolean {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= rotation.maxBytes) return false;
  makeRoom(path, rotation.backups);
  if (rotation.backups > 0 && !rotation.inUse) renameSync(path, `${path}.1`);
  else {
    if (rotation.backups > 0) copyAll(path, `${path}.1`);
    truncateSync(path, 0);
  }
  return true;
}

/** `.1` becomes free, and nothing is left behind `.n`. */
function makeRoom(path: string, backups: number): void {
  for (let n = Math.max(backups, 1); existsSync(`${path}.${n}`); n++) rmSync(`${path}.${n}`);
  for (let n = backups - 1; n >= 1; n--) if (existsSync(`${path}.${n}`)) renameSync(`${path}.${n}`, `${path}.${n + 1}`);
}

/** A new file with all that is in the other one, also what is written to it meanwhile. */
function copyAll(from: string, to: string): void {
  const source = openSync(from, "r");
  const target = openSync(to, "wx", 0o600);
  try {
    const buffer = Buffer.alloc(256 * 1024);
    for (let read = readSync(source, buffer); read > 0; read = readSync(source, buffer))
      writeFileSync(target, buffer.subarray(0, read));
  } finally {
    closeSync(source);
    closeSync(target);
  }
}

/** Last line that is not blank within the last `maxBytes` of a file; undefined without one, or without a file. */
export function lastLine(path: string, maxBytes: number): string | undefined {
  const text = tail(path, maxBytes) ?? "";
  const lines = text.split("\n").map((line) => line.trim());
  return lines.findLast((line) => line !== "");
}

function tail(path: string, maxBytes: number): string | undefined {
  const file = openIfThere(path);
  if (file === undefined) return undefined;
  try {
    const size = fstatSync(file).size;
    const bytes = Buffer.alloc(Math.min(size, maxBytes));
    const read = readSync(file, bytes, 0, bytes.length, size - bytes.length);
    return bytes.subarray(0, read).toString("utf8");
  } finally {
    closeSync(file);
  }
}

function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, "r");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
