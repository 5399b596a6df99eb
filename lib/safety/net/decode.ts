import type { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream";
import { netModules } from "./modules.js";

/** The body as the server meant it. Some servers compress although `identity` was asked for. */
export async function decoded(incoming: Readable, encoding: string | undefined): Promise<Readable> {
  const decoder = await decoderOf(encoding?.trim().toLowerCase());
  if (!decoder) return incoming;
  // The reader of the decoder gets the error; the callback only keeps the pipeline from throwing it again.
  return pipeline(incoming, decoder, () => undefined);
}

async function decoderOf(encoding: string | undefined): Promise<Transform | undefined> {
  if (encoding === undefined || encoding === "" || encoding === "identity") return undefined;
  const zlib = await netModules.zlib();
  if (encoding === "gzip" || encoding === "x-gzip") return zlib.createGunzip();
  if (encoding === "deflate") return zlib.createInflate();
  if (encoding === "br") return zlib.createBrotliDecompress();
  return undefined;
}
