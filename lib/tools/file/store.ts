import { dirname } from "node:path";
import { errorCode, makeDirectory, readFileBytes, statPath, writeAtomic } from "../../base/fs/files.js";
import { EDITOR_TEXT_CHARS, type EditorFiles } from "../../contracts/acp/editor-files.js";
import { type Decoded, decode, type Encoding, encode, isBinary, PLAIN_UTF8, toUnixLineEnds } from "../run/codec.js";
import type { FileVersion } from "../run/ledger.js";
import { type EditPlace, editorText, NOT_ON_DISK, textDigest, toEditor } from "./editor-text.js";

/** A file as it is before an edit. */
export interface FileBeforeEdit {
  readonly path: string;
  /** Undefined: not created yet. */
  readonly facts: FileVersion | undefined;
  /** On disk. */
  readonly bytes: Buffer;
  readonly decoded: Decoded;
  /** The text is that of an editor; absent: that of the disk. */
  readonly held?: {
    /** The disk has another text. */
    readonly unsaved: boolean;
    /** How the disk has it. */
    readonly encoding: Encoding;
  };
}

/** What a path holds, as text. A string says why it cannot be edited. @throws the reason of the call's signal */
export async function readForEdit(path: string, place: EditPlace): Promise<FileBeforeEdit | string> {
  const disk = await onDisk(path);
  if (typeof disk === "string" || isBinary(path, disk.bytes)) return disk;
  const { facts, decoded, bytes } = disk;
  const held = await editorText(path, facts === undefined ? undefined : { facts, encoding: decoded.encoding }, place);
  if (held === undefined || typeof held === "string") return held ?? disk;
  const unsaved = facts === undefined || toUnixLineEnds(decoded.text) !== toUnixLineEnds(held.decoded.text);
  return { path, facts: held.state, bytes, decoded: held.decoded, held: { unsaved, encoding: decoded.encoding } };
}

async function onDisk(path: string): Promise<FileBeforeEdit | string> {
  try {
    const facts = await statPath(path);
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

/** Its bytes are not text, so an edit by text would damage it. */
export const holdsBinary = (file: FileBeforeEdit): boolean =>
  file.facts !== undefined && isBinary(file.path, file.bytes);

export interface WrittenFile {
  readonly bytes: number;
  readonly dirsCreated: boolean;
  readonly facts: FileVersion | undefined;
  /** For the model: what differs from a plain write. */
  readonly note?: string;
}

/** How a text is written. */
export interface WriteForm {
  /** Of the text that it was made from. */
  readonly encoding: Encoding;
  /** As the disk has that text. */
  readonly disk: Encoding;
  readonly mode: number;
  /** It was made from a text that the disk does not have. */
  readonly unsaved: boolean;
}

/** Write text in the encoding, line ends and mode of the file it replaces. A string says why it did not work. */
export async function writeLike(
  path: string,
  text: string,
  before: FileBeforeEdit,
  place: EditPlace,
): Promise<WrittenFile | string> {
  const encoding = before.facts === undefined ? PLAIN_UTF8 : before.decoded.encoding;
  const form: WriteForm = {
    encoding,
    disk: before.held?.encoding ?? encoding,
    mode: before.facts?.mode ?? newFileMode(),
    unsaved: before.held?.unsaved === true,
  };
  if (holdsBinary(before)) return writeExactBytes(path, encode(text, encoding), form.mode);
  return writeText({ path, text, before: before.bytes, form }, place);
}

/** A text for a path, and what the disk has there. */
export interface TextWrite {
  readonly path: string;
  readonly text: string;
  readonly before: Buffer;
  readonly form: WriteForm;
}

/** Write through the editor that shows the conversation where it writes this file, else to the disk. A string says why it did not work. */
export async function writeText(write: TextWrite, place: EditPlace): Promise<WrittenFile | string> {
  const { path, text, form } = write;
  const { editor } = place.ports;
  const toDisk = () => writeExactBytes(path, encode(text, form.disk), form.mode);
  const lost = `Cannot write ${path}: its text in the editor was not saved, and the editor`;
  if (editor?.writes(path) !== true || text.length > EDITOR_TEXT_CHARS)
    return form.unsaved ? `${lost} does not write it. Ask the user to save the file, then repeat the call.` : toDisk();
  let dirsCreated: boolean;
  try {
    dirsCreated = (await makeDirectory(dirname(path))) !== undefined;
  } catch (error) {
    return writeProblem(path, error);
  }
  const sent = toEditor(text, form.encoding);
  const answer = await editor.write(path, sent, place.signal);
  switch (answer.how) {
    case "gone":
      return form.unsaved ? `${lost} has closed. Nothing was changed; read the file, then repeat the call.` : toDisk();
    case "failed":
      return `Cannot write ${path}: ${answer.why}. Nothing was changed; ask the user to look at the file in the editor.`;
    case "unknown":
      return unconfirmed(write, answer.why);
    case "written":
      return { ...(await confirmed(write, editor, place)), bytes: Buffer.byteLength(sent), dirsCreated };
  }
}

/** The editor has the text. Saving may have formatted it, or may be still to come. */
async function confirmed(
  { path, text }: TextWrite,
  editor: EditorFiles,
  { signal }: EditPlace,
): Promise<Pick<WrittenFile, "facts" | "note">> {
  const disk = await onDisk(path);
  const saved = typeof disk !== "string" && toUnixLineEnds(disk.decoded.text) === toUnixLineEnds(text);
  const facts = typeof disk === "string" ? undefined : disk.facts;
  if (!editor.reads(path)) return { facts };
  const now = signal.aborted ? undefined : await editor.read(path, signal);
  const held = now?.how === "text" ? now.text.replace(/^\uFEFF/, "") : text;
  const state = { ...(facts ?? NOT_ON_DISK), text: textDigest(text) };
  if (textDigest(held) !== state.text)
    return { facts: state, note: "the editor changed the text when it saved it; read the file before the next change" };
  return saved
    ? { facts: state }
    : { facts: state, note: "the editor has not saved the file yet; commands and searches see it as it was" };
}

/** The editor was sent the text and did not answer: what the disk has now is all that is known. */
async function unconfirmed({ path, text, before }: TextWrite, why: string): Promise<WrittenFile | string> {
  const disk = await onDisk(path);
  const found = typeof disk === "string" ? undefined : disk;
  if (found !== undefined && found.facts !== undefined && toUnixLineEnds(found.decoded.text) === toUnixLineEnds(text))
    return {
      bytes: found.bytes.length,
      dirsCreated: false,
      facts: found.facts,
      note: `${why}; the file on disk has the new text`,
    };
  const state = found?.bytes.equals(before) === true ? "is unchanged so far" : "has neither the old nor the new text";
  return `It is unknown whether ${path} was written: ${why}. The file on disk ${state}; read it before you write it again.`;
}

/** Write exactly these bytes, and look whether they are there; a string says why it did not work. */
export async function writeExactBytes(path: string, bytes: Buffer, mode: number): Promise<WrittenFile | string> {
  try {
    const made = await makeDirectory(dirname(path));
    await writeAtomic(path, bytes, mode);
    if ((await readFileBytes(path))?.equals(bytes) !== true)
      return `${path} does not hold what was written; somebody else changed it meanwhile`;
    return { bytes: bytes.length, dirsCreated: made !== undefined, facts: await statPath(path) };
  } catch (error) {
    return writeProblem(path, error);
  }
}

/** Permission bits of a new file. */
export const newFileMode = (): number => 0o666 & ~process.umask();

const PROBLEMS: Readonly<Record<string, string>> = {
  EACCES: "no permission",
  EPERM: "no permission",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  ENOTDIR: "a part of the path is a file, not a directory",
  EISDIR: "it is a directory",
  ENAMETOOLONG: "the path is too long",
  ELOOP: "it became a link while being opened",
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
