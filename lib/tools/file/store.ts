import { dirname } from "node:path";
import { errorCode, type FileFacts, factsOf, makeDirectory, readFileBytes, writeAtomic } from "../../base/fs/files.js";
import { type Decoded, decode, type Encoding, encode, isBinary, PLAIN_UTF8 } from "../run/codec.js";

/** A file as it is before an edit. */
export interface Current {
  readonly path: string;
  /** Undefined: there is none yet. */
  readonly facts: FileFacts | undefined;
  readonly bytes: Buffer;
  readonly decoded: Decoded;
}

/** What a path holds, as text. A string says why it cannot be edited. */
export async function current(path: string): Promise<Current | string> {
  try {
    const facts = await factsOf(path);
    if (facts === undefined)
      return { path, facts, bytes: Buffer.alloc(0), decoded: { text: "", encoding: PLAIN_UTF8 } };
    if (facts.kind === "directory") return `${path} is a directory`;
    if (facts.kind !== "file") return `Refusing to write to ${path}: it is a ${facts.kind}, not a file`;
    const bytes = (await readFileBytes(path)) ?? Buffer.alloc(0);
    return { path, facts, bytes, decoded: decode(bytes) };
  } catch (error) {
    return writeProblem(path, error);
  }
}

/** Its bytes are no text, so an edit by text would damage it. */
export const holdsBinary = (file: Current): boolean => file.facts !== undefined && isBinary(file.path, file.bytes);

export interface WrittenFile {
  readonly bytes: number;
  readonly dirsCreated: boolean;
  readonly facts: FileFacts | undefined;
}

/** Write text in the encoding, line ends and mode of the file it replaces. A string says why it did not work. */
export async function writeLike(path: string, text: string, before: Current): Promise<WrittenFile | string> {
  const encoding: Encoding = before.facts === undefined ? PLAIN_UTF8 : before.decoded.encoding;
  return writeExactBytes(path, encode(text, encoding), before.facts?.mode ?? 0o666 & ~umask());
}

/** Write exactly these bytes, and look whether they are there; a string says why it did not work. */
export async function writeExactBytes(path: string, bytes: Buffer, mode: number): Promise<WrittenFile | string> {
  try {
    const made = await makeDirectory(dirname(path));
    await writeAtomic(path, bytes, mode);
    if ((await readFileBytes(path))?.equals(bytes) !== true)
      return `${path} does not hold what was written; somebody else changed it meanwhile`;
    return { bytes: bytes.length, dirsCreated: made !== undefined, facts: await factsOf(path) };
  } catch (error) {
    return writeProblem(path, error);
  }
}

/** Permission bits that this process takes from new files. */
const umask = (): number => process.umask();

const PROBLEMS: Readonly<Record<string, string>> = {
  EACCES: "no permission",
  EPERM: "no permission",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  ENOTDIR: "a part of the path is a file, not a directory",
  EISDIR: "it is a directory",
  ENAMETOOLONG: "the path is too long",
  ELOOP: "it became a link while it was opened",
  EEXIST: "a part of the path is in the way",
  ETXTBSY: "the program is running",
  EMFILE: "too many open files",
};

/** Text for a file system error; anything else is thrown on. */
export function writeProblem(path: string, error: unknown): string {
  const code = errorCode(error);
  if (code === undefined) throw error;
  return `Cannot write ${path}: ${PROBLEMS[code] ?? code}. Nothing was changed.`;
}
