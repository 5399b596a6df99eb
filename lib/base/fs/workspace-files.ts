import { createHash } from "node:crypto";
import { type FileHandle, open, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { StringDecoder } from "node:string_decoder";
import {
  listDirectory,
  makeDirectory,
  openToRead,
  readFileBytes,
  removeFile,
  syncDirectory,
  writeAtomic,
} from "./files.js";
import { entryAt } from "./tree.js";

/** What marks a directory as made by a board; only such directories are ever removed. */
export interface WorkspaceMark {
  readonly board: string;
  readonly task_id: string;
  /** Unix seconds. */
  readonly created_at: number;
}

/** Name of the file that holds the mark. */
export const MARK_FILE = ".agent-workspace";

/** Longest text of a mark. */
const MARK_BYTES = 4096;

/**
 * Make a scratch workspace with its marker, or find the existing one. A directory with something in it but without a marker belongs to another: it
 * is used as it is and stays unmarked, so that it is never removed. True: it was made now.
 *
 * @throws when the path is not a directory, or belongs to another task
 */
export async function makeScratch(path: string, mark: WorkspaceMark): Promise<boolean> {
  const there = await entryAt(path);
  if (there !== undefined && there.kind !== "directory") throw new Error(`${path} is not a directory`);
  const made = there === undefined && (await makeDirectory(path, 0o700)) !== undefined;
  const known = await readMark(path);
  if (known === "none") {
    // A draft of the marker is what a crash left of an earlier beginning.
    const others = (await listDirectory(path)).filter((entry) => !entry.name.startsWith(`.${MARK_FILE}.`));
    if (others.length === 0) await writeAtomic(join(path, MARK_FILE), `${JSON.stringify(mark)}\n`, 0o600, false);
    return made;
  }
  if (known === "unreadable" || !fits(known, mark))
    throw new Error(`${path} is marked as the workspace of another task`);
  return made;
}

const fits = (known: WorkspaceMark, mark: Pick<WorkspaceMark, "board" | "task_id">) =>
  known.board === mark.board && known.task_id === mark.task_id;

/** The directory is there itself, no link to one, and carries the mark of this task. */
export async function isMarked(path: string, mark: Pick<WorkspaceMark, "board" | "task_id">): Promise<boolean> {
  if ((await entryAt(path))?.kind !== "directory") return false;
  const known = await readMark(path);
  return known !== "none" && known !== "unreadable" && fits(known, mark);
}

/** `unreadable`: something other than a mark is there. */
async function readMark(path: string): Promise<WorkspaceMark | "none" | "unreadable"> {
  const found = await entryAt(join(path, MARK_FILE));
  if (found === undefined) return "none";
  if (found.kind !== "file" || found.size > MARK_BYTES) return "unreadable";
  return parseMark((await readFileBytes(join(path, MARK_FILE)))?.toString("utf8") ?? "") ?? "unreadable";
}

function parseMark(text: string): WorkspaceMark | undefined {
  try {
    const mark: unknown = JSON.parse(text);
    if (typeof mark !== "object" || mark === null || !("board" in mark) || !("task_id" in mark)) return undefined;
    const created = "created_at" in mark ? Number(mark.created_at) : 0;
    return { board: String(mark.board), task_id: String(mark.task_id), created_at: created };
  } catch {
    /* ok to lose: invalid JSON does not mark anything. */
    return undefined;
  }
}

/** Remove a directory of the program's own with all that is in it; links in it are removed, not followed. Harmless when it is gone. */
export async function dropFolder(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true });
}

/** Make a directory that belongs to the user, if it is missing. True: it was made now. @throws the system's error when it cannot be */
export async function makeGiven(path: string): Promise<boolean> {
  return (await makeDirectory(path)) !== undefined;
}

/** Write a file that only its owner may read, with its directory (0700). */
export async function writePrivate(path: string, text: string): Promise<void> {
  await makeDirectory(dirname(path), 0o700);
  await writeAtomic(path, text, 0o600);
}

/** Remove a file that may be lost. */
export async function dropFile(path: string): Promise<void> {
  try {
    await removeFile(path);
  } catch {
    /* ok to lose: a file that stays is named by doctor and removed by gc. */
  }
}

/** Text of a file in pieces; no character is cut. */
export async function* readTextChunks(path: string): AsyncGenerator<string> {
  const file = await open(path, "r");
  const decoder = new StringDecoder("utf8");
  try {
    const buffer = Buffer.alloc(64 * 1024);
    for (let at = 0; ; ) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, at);
      if (bytesRead === 0) break;
      at += bytesRead;
      yield decoder.write(buffer.subarray(0, bytesRead));
    }
    const rest = decoder.end();
    if (rest !== "") yield rest;
  } finally {
    await file.close();
  }
}

/** What was kept of a stream of bytes. Without a digest it was longer than it may be, and nothing stayed: `size` is then what had come until that was seen. */
export interface StoredStream {
  readonly size: number;
  readonly sha256: string | undefined;
}

/** Copy a file to a path where nothing is yet (`EEXIST` otherwise), durable, mode 0600. At most `maxBytes`; undefined: it is longer. Nothing stays unless it is whole. */
export async function copyHashed(
  from: string,
  to: string,
  maxBytes: number,
): Promise<{ size: number; sha256: string } | undefined> {
  const source = await openToRead(from);
  try {
    const { size, sha256 } = await keepHashed(readAll(source), to, maxBytes);
    return sha256 === undefined ? undefined : { size, sha256 };
  } finally {
    await source.close();
  }
}

async function* readAll(source: FileHandle): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.alloc(256 * 1024);
  for (let at = 0; ; ) {
    const { bytesRead } = await source.read(buffer, 0, buffer.length, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** The same for bytes that come in pieces from elsewhere. They are asked for only when the path is free. @throws also what the pieces throw; nothing stays then */
export async function keepHashed(
  pieces: AsyncIterable<Uint8Array>,
  to: string,
  maxBytes: number,
): Promise<StoredStream> {
  const target = await open(to, "wx", 0o600);
  let kept: StoredStream = { size: 0, sha256: undefined };
  try {
    kept = await pour(pieces, target, maxBytes);
  } finally {
    await target.close();
    if (kept.sha256 === undefined) await removeFile(to);
  }
  if (kept.sha256 !== undefined) await syncDirectory(dirname(to));
  return kept;
}

async function pour(pieces: AsyncIterable<Uint8Array>, target: FileHandle, maxBytes: number): Promise<StoredStream> {
  const hash = createHash("sha256");
  let size = 0;
  for await (const piece of pieces) {
    size += piece.length;
    if (size > maxBytes) return { size, sha256: undefined };
    hash.update(piece);
    await target.writeFile(piece);
  }
  await target.sync();
  return { size, sha256: hash.digest("hex") };
}
