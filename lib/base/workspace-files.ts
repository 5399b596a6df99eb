import { createHash } from "node:crypto";
import { open, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { factsOf, makeDirectory, openToRead, readText, realPath, removeFile, writeAtomic } from "./files.js";

/** What marks a directory as made by a board; only such directories are ever removed. */
export interface WorkspaceMark {
  readonly board: string;
  readonly task_id: string;
  /** Unix seconds. */
  readonly created_at: number;
}

const MARK = ".agent-workspace";

/** Make a scratch workspace with its marker. One that exists is kept as it is. True: it was made now. */
export async function makeScratch(path: string, mark: WorkspaceMark): Promise<boolean> {
  const made = (await makeDirectory(path, 0o700)) !== undefined;
  if ((await readText(join(path, MARK))) === undefined) await writeAtomic(join(path, MARK), `${JSON.stringify(mark)}\n`, 0o600, false);
  return made;
}

/** The mark of a directory, or undefined when it has none that can be read. */
export async function markOf(path: string): Promise<Partial<WorkspaceMark> | undefined> {
  const text = await readText(join(path, MARK));
  try {
    const mark: unknown = text === undefined ? undefined : JSON.parse(text);
    return typeof mark === "object" && mark !== null ? mark : undefined;
  } catch {
    /* ok to lose: what cannot be read marks nothing, and the directory stays. */
    return undefined;
  }
}

/**
 * Remove a scratch workspace: only a directory right inside `root` that carries the mark of this board and task. A link is never followed.
 *
 * @returns false when it was left where it is
 */
export async function dropScratch(root: string, path: string, mark: Pick<WorkspaceMark, "board" | "task_id">): Promise<boolean> {
  const [realRoot, real] = [await realPath(root), await realPath(path)];
  if (realRoot === undefined || real === undefined || dirname(real) !== realRoot) return false;
  const found = await markOf(real);
  if (found?.board !== mark.board || found.task_id !== mark.task_id) return false;
  await rm(real, { recursive: true, force: true });
  return true;
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

/** Remove a file whose loss nobody minds. */
export async function dropFile(path: string): Promise<void> {
  try {
    await removeFile(path);
  } catch {
    /* ok to lose: a file that stays is named by doctor and removed by gc. */
  }
}

/** Bytes `from`..`to` of a file as text; a character cut at the border becomes U+FFFD. */
export async function readSlice(path: string, from: number, to: number): Promise<string> {
  const file = await open(path, "r");
  try {
    const buffer = Buffer.alloc(Math.max(0, to - from));
    let used = 0;
    while (used < buffer.length) {
      const { bytesRead } = await file.read(buffer, used, buffer.length - used, from + used);
      if (bytesRead === 0) break;
      used += bytesRead;
    }
    return buffer.subarray(0, used).toString("utf8");
  } finally {
    await file.close();
  }
}

/** Size of a file, or undefined when there is none. */
export const sizeOf = async (path: string): Promise<number | undefined> => (await factsOf(path))?.size;

/** Copy a file to a path where nothing is yet (`EEXIST` otherwise), durable, mode 0600. At most `maxBytes`; undefined: it is longer, and nothing stays. */
export async function copyHashed(from: string, to: string, maxBytes: number): Promise<{ size: number; sha256: string } | undefined> {
  const source = await openToRead(from);
  try {
    const target = await open(to, "wx", 0o600);
    const hash = createHash("sha256");
    let size = 0;
    try {
      const buffer = Buffer.alloc(256 * 1024);
      while (size <= maxBytes) {
        const { bytesRead } = await source.read(buffer, 0, buffer.length, size);
        if (bytesRead === 0) break;
        const piece = buffer.subarray(0, bytesRead);
        hash.update(piece);
        await target.writeFile(piece);
        size += bytesRead;
      }
      await target.sync();
    } finally {
      await target.close();
    }
    if (size <= maxBytes) return { size, sha256: hash.digest("hex") };
    await removeFile(to);
    return undefined;
  } finally {
    await source.close();
  }
}
