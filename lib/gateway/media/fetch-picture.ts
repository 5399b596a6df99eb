import { basename } from "node:path";
import { type Net, NetError } from "../../base/net/net.js";
import type { Ms } from "../../base/units.js";

/** A picture from elsewhere, or why it could not be fetched. */
export type Fetched = { readonly bytes: Uint8Array; readonly name: string } | { readonly reason: string };

const PICTURE_BYTES = 16 << 20;
const PICTURE_MS: Ms = 20_000;
const NAME_CHARS = 60;

/** Fetch a picture that an answer names, through the guard of addresses. Its bytes decide whether it is one, not its name. */
export async function fetchPicture(net: Net, url: string): Promise<Fetched> {
  if (!URL.canParse(url)) return { reason: "not a URL" };
  const headers = { accept: "image/png, image/jpeg, image/gif, image/webp" };
  try {
    const response = await net.fetch({
      method: "GET",
      url,
      headers,
      purpose: "web",
      totalMs: PICTURE_MS,
      maxBytes: PICTURE_BYTES,
    });
    if (response.status !== 200) {
      response.cancel();
      return { reason: `its server responded ${response.status}` };
    }
    const parts: Uint8Array[] = [];
    for await (const part of response.body) parts.push(part);
    const bytes = Buffer.concat(parts);
    const ending = endingOf(bytes);
    return ending === undefined ? { reason: "it is not an image" } : { bytes, name: nameOf(url, ending) };
  } catch (error) {
    return {
      reason: error instanceof NetError ? `fetching failed: ${error.failure}` : "fetching failed",
    };
  }
}

function endingOf(bytes: Buffer): string | undefined {
  const head = bytes.subarray(0, 12).toString("latin1");
  if (head.startsWith("\x89PNG\r\n")) return "png";
  if (head.startsWith("\xff\xd8\xff")) return "jpg";
  if (head.startsWith("GIF8")) return "gif";
  return head.startsWith("RIFF") && head.endsWith("WEBP") ? "webp" : undefined;
}

function nameOf(url: string, ending: string): string {
  const bare = basename(new URL(url).pathname)
    .replace(/\.[A-Za-z0-9]{1,5}$/, "")
    .replace(/[^\w-]/g, "_")
    .slice(0, NAME_CHARS);
  return `${bare || "picture"}.${ending}`;
}
