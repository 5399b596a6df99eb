import type { FileFacts } from "../../base/fs/files.js";
import { sha256 } from "../../base/text/hash.js";
import { EDITOR_TEXT_CHARS } from "../../contracts/acp/editor-files.js";
import type { ToolContext } from "../core/define.js";
import { type Decoded, type Encoding, toUnixLineEnds, usesCrlf } from "../run/codec.js";
import type { FileVersion } from "../run/ledger.js";

/** What reading and writing files needs of a call. */
export type EditPlace = Pick<ToolContext, "ports" | "signal">;

/** A text as an editor has it. */
export interface HeldText {
  readonly decoded: Decoded;
  readonly state: FileVersion;
}

const BOM = "\uFEFF";

/**
 * The text of a file in the editor that shows the conversation, with changes that are not saved; undefined: the disk has the text. A string says
 * why it cannot be had.
 *
 * @param disk What the disk has; absent: nothing. An editor may have a file that was never saved.
 * @throws the reason of the call's signal
 */
export async function editorText(
  path: string,
  disk: { readonly facts: FileFacts; readonly encoding: Encoding } | undefined,
  { ports: { editor }, signal }: EditPlace,
): Promise<HeldText | string | undefined> {
  if (editor?.reads(path) !== true || (disk !== undefined && disk.facts.size > EDITOR_TEXT_CHARS)) return undefined;
  const answer = await editor.read(path, signal);
  switch (answer.how) {
    case "text":
      return toHeld(answer.text, disk);
    case "missing":
    case "gone":
      return undefined;
    case "failed":
      // Editors refuse what is not there in many ways.
      return disk === undefined
        ? undefined
        : `Cannot read ${path}: ${answer.why}. Repeat the call, or ask the user to look at the file in the editor.`;
  }
}

/** Never saved: the disk knows nothing of it. */
export const NOT_ON_DISK: FileFacts = { kind: "file", size: 0, mtimeMs: 0, mode: 0o644, inode: 0, device: 0 };

function toHeld(given: string, disk: { readonly facts: FileFacts; readonly encoding: Encoding } | undefined): HeldText {
  const bom = given.startsWith(BOM);
  const text = bom ? given.slice(BOM.length) : given;
  const name = disk?.encoding.name ?? "utf-8";
  return {
    decoded: { text, encoding: { name, bom, crlf: usesCrlf(text) } },
    state: { ...(disk?.facts ?? NOT_ON_DISK), size: Buffer.byteLength(given), text: textDigest(text) },
  };
}

/** Line ends are the editor's business: it may show other ones than it stores. */
export const textDigest = (text: string): string => sha256(toUnixLineEnds(text));

/** A text as an editor is sent it: with the line ends and the mark at its beginning that it has there. */
export const toEditor = (text: string, { crlf, bom }: Encoding): string =>
  `${bom ? BOM : ""}${crlf ? text.replace(/\r?\n/g, "\r\n") : text}`;
