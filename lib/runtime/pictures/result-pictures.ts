import { createHash } from "node:crypto";
import { basename, extname, join } from "node:path";
import { makeDirectory, readAtMost, writeAtomic } from "../../base/fs/files.js";
import { PICTURE_SOURCE_BYTES, pictureSize } from "../../base/fs/picture-facts.js";
import { pictureForModels } from "../../base/fs/picture-scale.js";
import type { Home } from "../../base/home.js";
import type { SessionId } from "../../base/units.js";
import type { MessagePicture } from "../../contracts/models/pictures.js";
import { headText } from "../../safety/redact/text.js";
import type { ResultImage } from "../../tools/core/define.js";
import { PICTURE_ENDINGS, waitingIn } from "./picture-mentions.js";

/** Pictures of one result. */
const MOST = 16;
const QUESTION_CHARS = 2_000;

/**
 * Keep copies of what a call showed as files of its lineage, which go with it. They are durable when it resolves. What models do not take is left
 * out: the text of the result tells of it.
 */
export async function keepResultPictures(
  home: Pick<Home, "cache">,
  images: readonly ResultImage[],
  lineage: SessionId,
): Promise<readonly MessagePicture[]> {
  const folder = join(waitingIn(home), lineage);
  const kept: MessagePicture[] = [];
  for (const image of images.slice(0, MOST)) {
    const given = await bytesOf(image);
    const shown = given === undefined ? undefined : await pictureForModels(given);
    if (shown === undefined || "why" in shown) continue;
    const { bytes, mime } = shown;
    const called = image.name ?? ("path" in image ? basename(image.path) : "picture");
    const stem = basename(called, extname(called)).replace(/[^\p{L}\p{N}_.-]+/gu, "_");
    const name = `${[...stem].slice(0, 60).join("") || "picture"}${PICTURE_ENDINGS[mime]}`;
    const path = join(folder, `${createHash("sha256").update(bytes).digest("hex").slice(0, 16)}-${name}`);
    await makeDirectory(folder, 0o700);
    await writeAtomic(path, bytes, 0o600);
    const { question, unsent } = image;
    kept.push({
      path,
      name,
      ...pictureSize(bytes),
      ...(question === undefined ? {} : { question: headText(question, QUESTION_CHARS) }),
      ...(unsent === undefined ? {} : { unsent }),
    });
  }
  return kept;
}

async function bytesOf(image: ResultImage): Promise<Buffer | undefined> {
  if ("path" in image) return readAtMost(image.path, PICTURE_SOURCE_BYTES);
  return image.data.length > PICTURE_SOURCE_BYTES * 1.4 ? undefined : Buffer.from(image.data, "base64");
}
