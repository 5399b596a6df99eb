import { errorCode, type FileFacts, openToRead, readHead, statPath, toFacts } from "../../base/fs/files.js";
import { mimeOf, PICTURE_BYTES, type PictureSize, type PictureType, pictureSize } from "../../base/fs/picture-facts.js";
import { headText } from "../../safety/redact/text.js";
import type { ToolContext } from "../core/define.js";
import { type Decoded, decode, isBinary } from "../run/codec.js";
import type { FileVersion } from "../run/ledger.js";
import { documentText } from "./documents.js";
import { editorText } from "./editor-text.js";

/** Larger files are looked at with search_files or the terminal. */
const MAX_BYTES = 64 << 20;

/** A text file, or a document as text. */
export interface Loaded {
  readonly facts: FileVersion;
  readonly decoded: Decoded;
}

/** A picture, which is shown and not read. */
export interface LoadedPicture {
  readonly facts: FileFacts;
  readonly picture: PictureType;
  /** In pixels, where its first bytes tell it. */
  readonly size: PictureSize | undefined;
}

/** Why the text is missing; `missing`: the file does not exist. */
export type LoadFailure = { readonly error: string; readonly missing?: boolean };

/** The text of a file at a path that the guard has let through, as the editor has it that shows the conversation, else as it is on disk. */
export async function load(path: string, ctx: ToolContext): Promise<Loaded | LoadedPicture | LoadFailure> {
  const loaded = await loadFromDisk(path, ctx);
  const missing = "error" in loaded && loaded.missing === true;
  if ("picture" in loaded || ("error" in loaded && !missing) || ("document" in loaded && loaded.document))
    return loaded;
  const disk = "error" in loaded ? undefined : { facts: loaded.facts, encoding: loaded.decoded.encoding };
  const held = await editorText(path, disk, ctx);
  if (held === undefined) return loaded;
  return typeof held === "string" ? { error: held } : { facts: held.state, decoded: held.decoded };
}

/** `document`: its text was made from something else. */
type OnDisk = (Loaded & { readonly document: boolean }) | LoadedPicture | LoadFailure;

async function loadFromDisk(path: string, ctx: ToolContext): Promise<OnDisk> {
  try {
    // Looked at before it is opened: opening a FIFO or a device may already do something.
    const before = await statPath(path);
    const refusal = before === undefined ? undefined : kindRefusal(path, before);
    if (refusal !== undefined) return { error: refusal };
    const file = await openToRead(path);
    try {
      const facts = toFacts(await file.stat());
      const changed = kindRefusal(path, facts);
      if (changed !== undefined) return { error: changed };
      if (facts.size > MAX_BYTES)
        return {
          error: `File too large: ${path} has ${facts.size} bytes; use search_files, or head and sed in the terminal`,
        };
      const head = await readHead(file, 8_192);
      const document = await documentText(path, ctx, () => file.readFile());
      if (document !== undefined) return "error" in document ? document : { facts, decoded: document, document: true };
      const picture = mimeOf(head);
      if (picture !== undefined)
        return { facts, picture, size: pictureSize(facts.size > PICTURE_BYTES ? head : await file.readFile()) };
      if (isBinary(path, head)) return { error: `Binary file: ${path} (${facts.size} bytes) cannot be shown as text` };
      return { facts, decoded: decode(await file.readFile()), document: false };
    } finally {
      await file.close();
    }
  } catch (error) {
    return openFailure(path, error);
  }
}

function kindRefusal(path: string, facts: FileFacts): string | undefined {
  if (facts.kind === "file") return undefined;
  if (facts.kind === "directory") return `${path} is a directory; list it with search_files, target files`;
  return `Refusing to read ${path}: it is a ${facts.kind}, not a file`;
}

function openFailure(path: string, error: unknown): LoadFailure {
  switch (errorCode(error)) {
    case "ENOENT":
    case "ENOTDIR":
      return { error: `File not found: ${path}`, missing: true };
    case "EACCES":
    case "EPERM":
      return { error: `No permission to read ${path}` };
    case "ELOOP":
      return { error: `Refusing to read ${path}: it became a link while it was opened` };
    case "ENAMETOOLONG":
      return { error: `The path is too long: ${headText(path, 200)}` };
    default:
      throw error;
  }
}
