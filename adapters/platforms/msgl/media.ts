import type { Net } from "../../../lib/base/net/net.js";
import type { InboundMedia } from "../../../lib/contracts/board/platform-tag.js";
import type { Api } from "./api.js";

/** Largest file of a message that is fetched. */
const MAX_BYTES = 64 << 20;

/** Fetch a file of a message. Addresses that a sender named go through the guard for addresses of strangers. @throws Error that says why */
export async function fetchMedia(
  api: Api,
  net: Net,
  { ref, size }: InboundMedia,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  if (size !== null && size > MAX_BYTES) throw new Error(`the file is larger than ${MAX_BYTES >> 20} MB`);
  const known = typeof ref === "object" && ref !== null ? ref : {};
  if ("id" in known && typeof known.id === "string") return api.content(known.id, MAX_BYTES, signal);
  if (!("url" in known) || typeof known.url !== "string") throw new Error("the file has no id");
  const response = await net.fetch({
    method: "GET",
    purpose: "web",
    url: known.url,
    headers: {},
    maxBytes: MAX_BYTES,
    totalMs: 30_000,
    signal,
  });
  if (response.status === 200) return response.body;
  response.cancel();
  throw new Error(`the file cannot be fetched: its server answered ${response.status}`);
}
