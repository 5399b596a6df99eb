import { closeSync, copyFileSync, existsSync, fstatSync, mkdirSync, openSync, readSync, renameSync, statSync, truncateSync } from "node:fs";
import { dirname } from "node:path";
import { systemCode } from "./errors.js";

export interface Rotation {
  /** A file of more bytes than this is rotated. */
  readonly maxBytes: number;
  /** Old files kept: `.1` is the newest. 0 keeps none. */
  readonly backups: number;
  /** A process appends to the file: its bytes are copied and the file is emptied, so that the process goes on writing to the new one. */
  readonly inUse: boolean;
}

/** Make the file's directory and turn a file that has grown too large into `<path>.1`. True when it did. */
export function rotateFile(path: string, rotation: Rotation): boolean {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= rotation.maxBytes) return false;
  for (let n = rotation.backups - 1; n >= 1; n--) if (existsSync(`${path}.${n}`)) renameSync(`${path}.${n}`, `${path}.${n + 1}`);
  if (rotation.backups > 0 && !rotation.inUse) renameSync(path, `${path}.1`);
  else {
    if (rotation.backups > 0) copyFileSync(path, `${path}.1`);
    truncateSync(path, 0);
  }
  return true;
}

/** Last line that is not blank within the last `maxBytes` of a file; undefined when there is none, or no file. */
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
