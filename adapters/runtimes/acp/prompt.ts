import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import type { ContentBlock } from "@agentclientprotocol/sdk";
import { readAtMost } from "../../../lib/base/fs/files.js";
import { mediumType } from "../../../lib/base/fs/medium-type.js";
import type { RuntimeTurn } from "../../../lib/contracts/runtimes/runtime.js";

/** Above, a picture is named instead of sent. */
const PICTURE_BYTES = 20 << 20;

/** What a turn says to the program: what was said before, the text, the pictures. */
export async function promptOf(
  turn: Pick<RuntimeTurn, "text" | "pictures">,
  history: string | undefined,
  sees: boolean,
): Promise<ContentBlock[]> {
  const texts = [history, turn.text].filter((text): text is string => text !== undefined && text !== "");
  const blocks: ContentBlock[] = texts.map((text) => ({ type: "text", text }));
  for (const path of turn.pictures) blocks.push((sees ? await picture(path) : undefined) ?? link(path));
  return blocks;
}

async function picture(path: string): Promise<ContentBlock | undefined> {
  const bytes = await readAtMost(path, PICTURE_BYTES);
  const medium = bytes === undefined ? undefined : mediumType(bytes);
  if (bytes === undefined || medium?.sort !== "image") return undefined;
  return { type: "image", data: bytes.toString("base64"), mimeType: medium.mime };
}

/** Every program understands links. */
const link = (path: string): ContentBlock => ({
  type: "resource_link",
  name: basename(path),
  uri: pathToFileURL(path).href,
});
