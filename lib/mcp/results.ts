import { isRecord } from "../base/json/record.js";
import type { KeepMedia } from "./media.js";

/** A result as the model gets it. */
export interface ServerResult {
  readonly text: string;
  readonly failed: boolean;
  /** Pictures among what was stored, by path. */
  readonly pictures: readonly string[];
}

/** What a tool answered (extensions part, 2.4): texts, with bytes as files and links as lines. */
export async function readToolResult(
  result: Readonly<Record<string, unknown>>,
  keep: KeepMedia,
): Promise<ServerResult> {
  const blocks = Array.isArray(result["content"]) ? result["content"] : [];
  const pictures: string[] = [];
  const texts: string[] = [];
  for (const block of blocks) texts.push(await blockText(block, keep, pictures));
  const text = texts.filter((one) => one !== "").join("\n");
  const structured = result["structuredContent"];
  if (result["isError"] === true)
    return { text: JSON.stringify({ error: text || "the tool failed" }), failed: true, pictures };
  const value = { result: text, ...(structured === undefined ? {} : { structuredContent: structured }) };
  return { text: JSON.stringify(value), failed: false, pictures };
}

/** Content of resources, of `resources/read`. */
export async function readResources(result: Readonly<Record<string, unknown>>, keep: KeepMedia): Promise<ServerResult> {
  const contents = Array.isArray(result["contents"]) ? result["contents"] : [];
  const pictures: string[] = [];
  const texts: string[] = [];
  for (const one of contents) texts.push(await resourceText(one, keep, pictures));
  return { text: JSON.stringify({ result: texts.join("\n") }), failed: false, pictures };
}

/** Messages of a prompt, of `prompts/get`. */
export async function readPrompt(result: Readonly<Record<string, unknown>>, keep: KeepMedia): Promise<ServerResult> {
  const messages = Array.isArray(result["messages"]) ? result["messages"] : [];
  const pictures: string[] = [];
  const read: { role: string; text: string }[] = [];
  for (const message of messages) {
    if (!isRecord(message)) continue;
    read.push({ role: textOf(message["role"]), text: await blockText(message["content"], keep, pictures) });
  }
  const description = textOf(result["description"]);
  const value = { result: { ...(description === "" ? {} : { description }), messages: read } };
  return { text: JSON.stringify(value), failed: false, pictures };
}

async function blockText(block: unknown, keep: KeepMedia, pictures: string[]): Promise<string> {
  if (!isRecord(block)) return "";
  switch (block["type"]) {
    case "text":
      return textOf(block["text"]);
    case "image":
    case "audio":
      return mediaLine(block["data"], textOf(block["mimeType"]), keep, pictures);
    case "resource":
      return resourceText(block["resource"], keep, pictures);
    case "resource_link":
      return `${textOf(block["title"]) || textOf(block["name"]) || "resource"} (${textOf(block["uri"])})`;
    default:
      return `[${textOf(block["type"]) || "content"} that cannot be shown]`;
  }
}

async function resourceText(resource: unknown, keep: KeepMedia, pictures: string[]): Promise<string> {
  if (!isRecord(resource)) return "";
  if (typeof resource["text"] === "string") return resource["text"];
  const line = await mediaLine(resource["blob"], textOf(resource["mimeType"]), keep, pictures);
  return `${textOf(resource["uri"])}\n${line}`;
}

async function mediaLine(data: unknown, mime: string, keep: KeepMedia, pictures: string[]): Promise<string> {
  const path = await keep(textOf(data), mime);
  if (path === undefined) return `[${mime || "content"} that cannot be stored]`;
  if (mime.startsWith("image/")) pictures.push(path);
  return `MEDIA:${path}`;
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
