import { readAtMost, statPath } from "../../base/fs/files.js";
import { dataUri, mediumType } from "../../base/fs/medium-type.js";
import { guardRead } from "../../safety/paths/paths.js";
import type { ToolContext } from "../core/define.js";
import { pathOf, scopeOf } from "../run/scope.js";

/** As large as a picture of the media cache may be. */
const MOST_BYTES = 32 << 20;

/** Whether a text names a file of this machine. */
export const isLocal = (text: string): boolean => !/^(https?|data):/i.test(text.trim());

/** An image as a provider takes it: an address as it is, a file of this machine as a data URI (extensions part, 10.1). */
export async function imageInput(
  given: string,
  ctx: ToolContext,
): Promise<{ readonly ok: true; readonly url: string } | { readonly ok: false; readonly why: string }> {
  const text = given.trim();
  if (!isLocal(text)) {
    const known = /^data:image\/[\w.+-]+;base64,/i.test(text) || /^https?:\/\/[^/\s]/i.test(text);
    return known
      ? { ok: true, url: text }
      : { ok: false, why: "an image is an https: address, a data:image URI or a file" };
  }
  const allowed = guardRead(pathOf(text, ctx), scopeOf(ctx));
  if (!allowed.ok) return { ok: false, why: allowed.why };
  const { path } = allowed;
  const facts = await statPath(path);
  if (facts?.kind !== "file") return { ok: false, why: `${path}: no such file` };
  if (facts.size > MOST_BYTES) return { ok: false, why: `${path} exceeds ${MOST_BYTES >> 20} MiB` };
  const bytes = await readAtMost(path, MOST_BYTES);
  if (bytes === undefined) return { ok: false, why: `${path} cannot be read` };
  const type = mediumType(bytes);
  return type?.sort === "image"
    ? { ok: true, url: dataUri(bytes, type.mime) }
    : { ok: false, why: `${path} is not a PNG, JPEG, GIF or WebP image` };
}
