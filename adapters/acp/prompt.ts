import { fileURLToPath } from "node:url";
import { type ContentBlock, RequestError } from "@agentclientprotocol/sdk";

/** A picture of a prompt. */
export interface PromptPicture {
  readonly bytes: Uint8Array;
  readonly extension: string;
}

/** A prompt as the owner takes it. */
export interface Prompt {
  readonly text: string;
  readonly pictures: readonly PromptPicture[];
  /** It is one text that begins with `/`. */
  readonly command: boolean;
}

/** What one message of the owner holds, with room for the rest of it. */
const MOST_CHARS = 1_000_000;
const MOST_PICTURES = 16;
const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ["image/png", "png"],
  ["image/jpeg", "jpg"],
  ["image/gif", "gif"],
  ["image/webp", "webp"],
]);

/** @throws invalid params for what cannot be part of a prompt */
export function toPrompt(blocks: readonly ContentBlock[]): Prompt {
  const pictures: PromptPicture[] = [];
  const said: string[] = [];
  const attached: string[] = [];
  for (const block of blocks) {
    switch (block.type) {
      case "text":
        said.push(block.text);
        break;
      case "image":
        pictures.push(toPicture(block.data, block.mimeType));
        break;
      case "resource_link":
        said.push(linkText(block.name, block.uri));
        break;
      case "resource":
        if ("text" in block.resource) {
          said.push(linkText(undefined, block.resource.uri));
          attached.push(contextText(block.resource.uri, block.resource.text));
        } else if (block.resource.mimeType?.startsWith("image/"))
          pictures.push(toPicture(block.resource.blob, block.resource.mimeType));
        else throw refused(`a binary resource (${block.resource.uri})`, "send text, an image or a link to the file");
        break;
      default:
        throw refused(`content of type ${String(block.type)}`, "send text, images, resources or links");
    }
  }
  const text = [said.join(""), ...attached].filter((part) => part !== "").join("\n\n");
  if (text.trim() === "" && pictures.length === 0) throw refused("an empty prompt", "send some text");
  if (text.length > MOST_CHARS)
    throw refused(`a prompt of ${text.length} characters`, `send at most ${MOST_CHARS}; link large files`);
  if (pictures.length > MOST_PICTURES) throw refused(`${pictures.length} images`, `send at most ${MOST_PICTURES}`);
  const only = blocks.length === 1 && blocks[0]?.type === "text";
  return { text, pictures, command: only && /^\/[a-z]/i.test(text) };
}

function refused(what: string, hint: string): RequestError {
  return RequestError.invalidParams({ hint }, `the prompt cannot hold ${what}; ${hint}`);
}

function toPicture(data: string, mimeType: string): PromptPicture {
  const extension = EXTENSIONS.get(mimeType);
  if (extension === undefined) throw refused(`an image of type ${mimeType}`, "send PNG, JPEG, GIF or WebP");
  return { bytes: Buffer.from(data, "base64"), extension };
}

/** How a file is named in the text: by its path, so that tools find it. */
function linkText(name: string | undefined, uri: string): string {
  const path = pathOf(uri);
  if (path !== undefined) return `\`${path}\``;
  return name === undefined || name === "" ? uri : `[${name}](${uri})`;
}

/** The path of a file address, with the lines that it points at; undefined: it is another address. */
function pathOf(uri: string): string | undefined {
  if (!uri.startsWith("file://")) return undefined;
  try {
    const url = new URL(uri);
    return `${fileURLToPath(url)}${url.hash}`;
  } catch {
    return undefined; // an address of another machine, or none at all: it is shown as it is
  }
}

/** What the editor sent along, marked as such. What stands in it closes no mark, and names nothing. */
function contextText(uri: string, text: string): string {
  const inert = text.replaceAll("</context>", "<\\/context>");
  const fence = "`".repeat(Math.max(3, ...[...inert.matchAll(/`{3,}/g)].map(([run]) => run.length + 1)));
  return `<context ref=${JSON.stringify(uri)}>\n${fence}\n${inert}${inert.endsWith("\n") ? "" : "\n"}${fence}\n</context>`;
}
