import { basename, extname, join } from "node:path";
import { AppError, systemCode } from "../../base/errors.js";
import { makeDurableDirectory, statPath } from "../../base/fs/files.js";
import { copyHashed, dropFile, keepHashed, type StoredStream } from "../../base/fs/workspace-files.js";

/** A file that was copied into the attachment store and waits for its row. */
export interface StoredFile {
  readonly kept: true;
  readonly stored: string;
  readonly path: string;
  readonly filename: string;
  readonly size: number;
  readonly sha256: string;
}

/** A file over the bounds: nothing of it stays. */
export interface SkippedFile {
  readonly kept: false;
  readonly path: string;
  readonly size: number;
  readonly reason: string;
}

/** A file to keep: what lies at the path, or `bytes`, which are read once and then only have a path to be named by. */
export interface SourceFile {
  readonly path: string;
  readonly name: string;
  readonly bytes?: AsyncIterable<Uint8Array> | undefined;
}

/**
 * Copy a file into the folder of a task under a name of its own: `name (1).ext` when `name.ext` is there or is among the taken ones.
 *
 * @param into.maxBytes a longer file is skipped
 * @throws E_STORE_FULL, E_INVALID the file cannot be read or written; nothing of it stays
 */
export async function storeFile(
  file: SourceFile,
  into: { readonly dir: string; readonly taken: ReadonlySet<string>; readonly maxBytes: number },
): Promise<StoredFile | SkippedFile> {
  const { path } = file;
  const size = file.bytes === undefined ? ((await statPath(path))?.size ?? 0) : 0;
  if (size > into.maxBytes) return { kept: false, path, size, reason: "too large" };
  const name = cleanName(file.name);
  try {
    await makeDurableDirectory(into.dir, 0o700);
    for (let n = 0; ; n++) {
      const filename = numberFileName(name, n);
      if (into.taken.has(filename)) continue;
      const stored = join(into.dir, filename);
      const kept = await keepUnlessThere(file, stored, into.maxBytes);
      if (kept === "there") continue;
      const { sha256 } = kept;
      if (sha256 === undefined) return { kept: false, path, size: Math.max(size, kept.size), reason: "too large" };
      return { kept: true, stored, path, filename, size: kept.size, sha256 };
    }
  } catch (error) {
    throw cannotKeep(path, error);
  }
}

async function keepUnlessThere(
  { path, bytes }: SourceFile,
  to: string,
  maxBytes: number,
): Promise<StoredStream | "there"> {
  try {
    if (bytes !== undefined) return await keepHashed(bytes, to, maxBytes);
    return (await copyHashed(path, to, maxBytes)) ?? { size: maxBytes + 1, sha256: undefined };
  } catch (error) {
    if (systemCode(error) === "EEXIST") return "there";
    throw error;
  }
}

function cannotKeep(path: string, error: unknown): unknown {
  const code = systemCode(error);
  if (code === undefined) return error;
  if (code === "ENOSPC" || code === "EDQUOT")
    return new AppError("E_STORE_FULL", `cannot store ${path}: the disk is full`, { path }, error);
  return new AppError("E_INVALID", `cannot store ${path}: ${code}`, { path, code }, error);
}

/** Most characters of a file name, and most bytes: file systems count those. */
const NAME = { characters: 200, bytes: 240 } as const;

const ARCHIVES = /\.tar\.(gz|bz2|xz|zst)$/;

/** Base name without control characters, separators and leading dots, at most 200 characters; the ending stays when a name is cut. */
export function cleanName(path: string): string {
  const name = basename(path.replaceAll("\\", "/"))
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, "")
    .replace(/^\.+/, "");
  return name === "" ? "file" : fitted(name, "");
}

/** `name (1).ext` for a name that is taken. */
export const numberFileName = (name: string, n: number): string => (n === 0 ? name : fitted(name, ` (${n})`));

/** The name with `mark` before its ending, the stem cut so that all of it fits. */
function fitted(name: string, mark: string): string {
  const extension = endingOf(name);
  const stem = [...name.slice(0, name.length - extension.length)];
  const whole = () => `${stem.join("")}${mark}${extension}`;
  while (stem.length > 0 && ([...whole()].length > NAME.characters || Buffer.byteLength(whole()) > NAME.bytes))
    stem.pop();
  return whole();
}

/** A longer ending is a part of the name. */
const LONGEST_ENDING = 20;

function endingOf(name: string): string {
  const ending = ARCHIVES.exec(name)?.[0] ?? extname(name);
  return ending.length > LONGEST_ENDING ? "" : ending;
}

const TYPES: Readonly<Record<string, string>> = {
  ".csv": "text/csv",
  ".diff": "text/x-diff",
  ".gif": "image/gif",
  ".gz": "application/gzip",
  ".html": "text/html",
  ".jpeg": "image/jpeg",
  ".jpg": "image/jpeg",
  ".json": "application/json",
  ".log": "text/plain",
  ".md": "text/markdown",
  ".patch": "text/x-diff",
  ".pdf": "application/pdf",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain",
  ".webp": "image/webp",
  ".yaml": "application/yaml",
  ".yml": "application/yaml",
  ".zip": "application/zip",
};

/** Content type by the ending of a name. */
export const typeOf = (filename: string): string =>
  TYPES[extname(filename).toLowerCase()] ?? "application/octet-stream";

/** Whether the rows were written is unknown: a file too many is then better than a row without its file. */
export const isUnknown = (error: unknown): boolean => error instanceof AppError && error.data["outcome"] === "unknown";

/** Nothing came of it: the copies go away again. */
export async function dropStored(files: readonly (StoredFile | SkippedFile)[]): Promise<void> {
  for (const file of files) if (file.kept) await dropFile(file.stored);
}
