import { closeSync, openSync, readSync, rmSync, statSync } from "node:fs";
import type { AppError } from "../../lib/base/errors.js";
import { refused } from "../errors.js";

const MAGIC = "SQLite format 3\0";

export const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/**
 * Look at the first bytes of a store file before SQLite may touch it.
 *
 * @throws E_STORE (`data.reason: "damaged"`) when they are not those of a whole SQLite file. The file is only read.
 */
export function checkHeader(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile() === false) throw damaged(path, "not a file");
  const bytes = found?.size ?? 0;
  if (bytes === 0 && sizeOf(`${path}-wal`) > 0)
    throw damaged(path, "the file is empty, but commits are pending beside it");
  // Stores are put in their place with their first page in them (`createStoreFile`).
  if (found !== undefined && bytes === 0 && sizeOf(`${path}-journal`) === 0)
    throw damaged(path, EMPTIED, undefined, BEGIN_ANEW);
  // A rollback journal is there when the power failed while the file was being made; SQLite takes the half-made file back with it.
  if (bytes === 0 || sizeOf(`${path}-journal`) > 0) return;
  const head = readHead(path);
  if (head.length < 100 || head.toString("latin1", 0, 16) !== MAGIC) throw damaged(path, "not a SQLite file");
  const page = head.readUInt16BE(16) === 1 ? 65536 : head.readUInt16BE(16);
  if (page < 512 || (page & (page - 1)) !== 0) throw damaged(path, "invalid page size in the header");
  const pages = head.readUInt32BE(28);
  const trusted = head.readUInt32BE(24) === head.readUInt32BE(92);
  // With commits in the journal the main file may be behind; SQLite completes it from there.
  if (trusted && pages * page > bytes && sizeOf(`${path}-wal`) === 0)
    throw damaged(path, `truncated: ${pages * page - bytes} bytes missing`);
}

/** Looking at a file makes an empty journal beside it; a refused file is left as it was found. */
export function dropEmptyJournal(path: string): void {
  if (sizeOf(`${path}-wal`) === 0) rmSync(`${path}-wal`, { force: true });
}

function readHead(path: string, length = 100): Buffer {
  const file = openSync(path, "r");
  try {
    const head = Buffer.alloc(length);
    return head.subarray(0, readSync(file, head, 0, length, 0));
  } finally {
    closeSync(file);
  }
}

/**
 * What a reader without the lock compares before and after. It differs once a checkpoint has moved pages into the main file, and once the
 * journal has begun again from its start; commits that are only appended do not change it.
 */
export function fileMark(path: string): string {
  const main = statSync(path, { throwIfNoEntry: false, bigint: true });
  if (main === undefined) return "none";
  const journal = sizeOf(`${path}-wal`) > 0 ? readHead(`${path}-wal`, 32).toString("hex") : "";
  return `${main.ino}:${main.size}:${main.mtimeNs}:${journal}`;
}

const EMPTIED = "the file is empty";
const RESTORE = "restore a backup; agent doctor shows details; the file was not changed";
const BEGIN_ANEW = "restore a backup, or move the empty file away to start with an empty store; nothing was changed";

export function damaged(path: string, why: string, cause?: unknown, hint = RESTORE): AppError {
  return refused("damaged", `${path} is damaged: ${why}`, {
    path,
    hint,
    ...(cause instanceof Error ? { cause: cause.message } : {}),
  });
}
