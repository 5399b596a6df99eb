import { type Net, NetError, type NetResponse } from "../../../lib/base/net/net.js";
import type { Ms } from "../../../lib/base/units.js";
import { isLoopback } from "../common/base-address.js";

export interface DownloadDeps {
  readonly net: Net;
  /** Base of the graph: its origin alone gets the token. */
  readonly base: string;
}

export interface Download {
  readonly url: string;
  readonly authorization: string;
  readonly maxBytes: number;
  readonly totalMs: Ms;
  readonly signal: AbortSignal;
}

const HOPS = 3;
const CONNECT_MS: Ms = 10_000;
const MOVED: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Fetch content of the graph, which may lie elsewhere: there it is fetched without the token, over an encrypted connection and from no private address.
 *
 * @throws Error that says why it cannot be had
 */
export async function download(
  { net, base }: DownloadDeps,
  { url: first, authorization, ...how }: Download,
): Promise<NetResponse> {
  let url = first;
  for (let hop = 0; hop <= HOPS; hop++) {
    const own = new URL(url).origin === new URL(base).origin;
    if (!own && new URL(url).protocol !== "https:" && !(isLoopback(base) && isLoopback(url)))
      throw new Error("the graph leads to an address that is not encrypted");
    const to = { method: "GET", url, redirects: false, connectMs: CONNECT_MS, ...how } as const;
    const response = await asked(net, own, { to, authorization });
    const place = response.headers["location"];
    if (!MOVED.has(response.status) || place === undefined) return response;
    response.cancel();
    if (!URL.canParse(place, url)) throw new Error("the graph redirects to an invalid URL");
    url = new URL(place, url).href;
  }
  throw new Error(`the graph leads from one address to the next more than ${HOPS} times`);
}

interface To {
  readonly to: Omit<Parameters<Net["fetch"]>[0], "headers" | "purpose">;
  readonly authorization: string;
}

/** The address that the graph leads to holds a right of its own, so it is in no error. */
async function asked(net: Net, own: boolean, { to, authorization }: To): Promise<NetResponse> {
  try {
    return await (own
      ? net.fetch({ ...to, headers: { authorization }, purpose: "model" })
      : net.fetch({ ...to, headers: {}, purpose: "web" }));
  } catch (error) {
    if (own || !(error instanceof NetError)) throw error;
    throw new Error(`what the graph leads to could not be fetched: ${error.failure}`);
  }
}
