import * as z from "zod";
import { AppError } from "../../../base/errors.js";
import { readAtMost, realPath } from "../../../base/fs/files.js";
import { PICTURE_SOURCE_BYTES } from "../../../base/fs/picture-facts.js";
import { scalePicture } from "../../../base/fs/picture-scale.js";
import { defineEndpoint } from "../../../http/endpoint.js";
import { isBelow } from "../../../safety/paths/paths.js";
import type { DashboardParts } from "../../core/parts.js";
import { findSession } from "./find.js";

/** What a page gets of a picture, however large its file is. */
const SHOWN = { maxSide: 1_600, maxBytes: 2 << 20 } as const;

const position = z
  .string()
  .regex(/^\d{1,9}$/)
  .transform(Number);

/** A picture of a message or a result, as a page shows it. Only files that are kept in the cache of this home are read, whatever the message says. */
export const readPicture = defineEndpoint({
  method: "GET",
  path: "/sessions/:id/messages/:ordinal/pictures/:index",
  summary: "Read a picture of a message, scaled to at most 1600 pixels.",
  tag: "sessions",
  params: z.object({
    id: z.string().describe("session"),
    ordinal: position.describe("position of the message"),
    index: position.describe("from 0, in the order of its pictures"),
  }),
  ticket: true,
  answer: "file",
  errors: [404, 413],
  run: async ({ params: { id, ordinal, index } }, parts: DashboardParts) => {
    const found = await findSession(parts, id);
    const [message] = await parts.chat.messages(found.id, { after: ordinal - 1, limit: 1 });
    const picture = message?.ordinal === ordinal ? message.pictures?.[index] : undefined;
    const bytes = picture === undefined ? undefined : await keptBytes(parts, picture.path);
    if (bytes === undefined) throw new AppError("E_NOT_FOUND", `no picture ${index} of message ${ordinal} is kept`);
    const shown = await scalePicture(bytes, SHOWN);
    if ("why" in shown) throw new AppError("E_TOO_LARGE", `the picture cannot be shown: ${shown.why}`);
    return {
      bytes: shown.bytes,
      headers: {
        "content-type": shown.mime,
        "content-security-policy": "default-src 'none'; sandbox",
        "x-content-type-options": "nosniff",
        "cross-origin-resource-policy": "same-origin",
        "cache-control": "private, no-store",
      },
    };
  },
});

async function keptBytes({ home }: DashboardParts, path: string): Promise<Buffer | undefined> {
  const [real, cache] = await Promise.all([realPath(path), realPath(home.cache)]);
  if (real === undefined || cache === undefined || !isBelow(real, cache)) return undefined;
  return await readAtMost(real, PICTURE_SOURCE_BYTES);
}
