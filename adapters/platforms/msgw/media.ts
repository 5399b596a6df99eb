import type { Net } from "../../../lib/base/net/net.js";
import type { InboundMedia } from "../../../lib/contracts/board/platform-tag.js";
import type { ClientTokens } from "../common/client-token.js";
import { isServiceAllowed, type MsgwSettings } from "./settings.js";

export interface MediaParts {
  readonly net: Net;
  readonly settings: MsgwSettings;
  readonly tokens: ClientTokens | undefined;
}

const DOWNLOAD_BYTES = 64 << 20;
const DOWNLOAD_MS = 120_000;

/** Fetch a file of a message. The token goes to the services of the platform alone. @throws Error that says why it cannot be had */
export async function fetchMedia({ net, settings, tokens }: MediaParts, { ref }: InboundMedia, signal: AbortSignal) {
  const url = typeof ref === "object" && ref !== null && "url" in ref && typeof ref.url === "string" ? ref.url : "";
  if (!URL.canParse(url)) throw new Error("the platform names no place of the file");
  const own = isServiceAllowed(url, settings);
  if (!own && new URL(url).protocol !== "https:") throw new Error("its address is not encrypted");
  const found = own ? await tokens?.get(signal) : undefined;
  const headers = found?.found === "token" ? { authorization: `Bearer ${found.token.reveal()}` } : {};
  const how = { headers, totalMs: DOWNLOAD_MS, maxBytes: DOWNLOAD_BYTES, signal };
  const response = own
    ? await net.fetch({ method: "GET", url, purpose: "model", redirects: false, ...how })
    : await net.fetch({ method: "GET", url, purpose: "web", ...how });
  if (response.status === 200) return response.body;
  response.cancel();
  throw new Error(`the platform answered ${response.status}`);
}
