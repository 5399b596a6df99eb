import { once } from "../../base/async/lazy.js";
import { type Net, NetError, type NetRequest, type NetResponse, type ProxyAddress } from "../../base/net/net.js";
import { addressRefusal, checkUrl, type UrlCheck } from "./address.js";
import { type Exchanges, exchange } from "./exchange.js";
import type { CheckedTarget, HttpClient } from "./http-client.js";
import { type NetOptions, resolveHost } from "./net-options.js";
import { createSmallClient } from "./small-client.js";

export type { NetOptions } from "./net-options.js";

type Target = Extract<UrlCheck, { readonly ok: true }>;

interface Checked {
  readonly checked: CheckedTarget;
  /** The way that the connection takes, whatever named it. */
  readonly proxy: ProxyAddress | undefined;
}

/** Part 70, 13. */
const MAX_REDIRECTS = 5;
const WEB_TOTAL_MS = 60_000;
const WEB_MAX_BYTES = 20 << 20;

/** Headers that belong to one origin; they do not follow a redirect to another. */
const CREDENTIALS = new Set([
  "authorization",
  "cookie",
  "proxy-authorization",
  "x-api-key",
  "api-key",
  "x-goog-api-key",
]);

/**
 * The network with the address guard inside. Processes that stay send by undici, short commands by node:http: measured on the reference machine,
 * the first request costs a process 10 ms over bare Node by the one and 30 ms and 6 MB by the other.
 *
 * Proxy variables of the environment apply only where `proxyFor` answers (`security.trust_proxy`). Certificates are always verified.
 */
export function createNet(options: NetOptions): Net {
  const open: Exchanges["open"] = new Set();
  const client = once(() => clientFor(options));
  const retire = async () => (await client.peek())?.retire();
  return {
    fetch: async (request) =>
      follow({ clock: options.clock, client: await client(), open }, options, withCaps(request)),
    rebuild: retire,
    close: async () => {
      for (const end of [...open]) end(new NetError("aborted", "the network is closed"));
      await retire();
    },
  };
}

/** The one place where it is decided who carries the connections of a process. */
async function clientFor(options: NetOptions): Promise<HttpClient> {
  if (options.stays !== true) return createSmallClient(options);
  const { createUndiciClient } = await import("./undici-client.js");
  return createUndiciClient(options);
}

function withCaps(request: NetRequest): NetRequest {
  if (request.purpose !== "web") return request;
  return { ...request, totalMs: request.totalMs ?? WEB_TOTAL_MS, maxBytes: request.maxBytes ?? WEB_MAX_BYTES };
}

async function follow(exchanges: Exchanges, options: NetOptions, first: NetRequest): Promise<NetResponse> {
  const began = options.clock.mono();
  const most = first.redirects || MAX_REDIRECTS;
  let request = first;
  let trusted = true;
  for (let hop = 0; ; hop++) {
    const left = first.totalMs ? Math.max(1, first.totalMs - (options.clock.mono() - began)) : undefined;
    const { checked, proxy } = await check(options, request, trusted);
    const response = await exchange(
      exchanges,
      { ...request, ...(left === undefined ? {} : { totalMs: left }), ...(proxy !== undefined && { proxy }) },
      checked,
    );
    const target =
      first.purpose === "loopback" || first.redirects === false ? undefined : redirectTarget(response, request.url);
    if (target === undefined) return response;
    response.cancel();
    if (hop === most) throw new NetError("protocol", `${first.url}: more than ${most} redirects`);
    trusted = trusted && sameHost(target, first.url);
    request = redirected(request, response.status, target);
  }
}

function redirectTarget(response: NetResponse, from: string): string | undefined {
  const location = response.headers["location"] ?? "";
  if (![301, 302, 303, 307, 308].includes(response.status) || location === "") return undefined;
  return URL.canParse(location, from) ? new URL(location, from).href : location;
}

function sameHost(a: string, b: string): boolean {
  return URL.canParse(a) && URL.canParse(b) && new URL(a).hostname === new URL(b).hostname;
}

function redirected(request: NetRequest, status: number, target: string): NetRequest {
  const same = URL.canParse(target) && new URL(target).origin === new URL(request.url).origin;
  const headers = same
    ? request.headers
    : Object.fromEntries(Object.entries(request.headers).filter(([name]) => !CREDENTIALS.has(name.toLowerCase())));
  const keeps = status === 307 || status === 308 || request.method === "GET";
  if (keeps) return { ...request, headers, url: target };
  const { body: _body, ...bare } = request;
  return { ...bare, headers, method: "GET", url: target };
}

/**
 * Resolve once and look at every address. The private-address exemption of an endpoint that the user configured ends where a redirect leaves its
 * host: from there on the remote server names the address.
 */
async function check(options: NetOptions, request: NetRequest, trusted: boolean): Promise<Checked> {
  const target = checkUrl(request.url);
  if (!target.ok) throw new NetError("blocked", target.reason);
  const general = request.purpose === "web" ? await options.refuse?.(target.url) : undefined;
  const unwanted = general ?? (await request.refuse?.(target.url));
  if (unwanted !== undefined) throw new NetError("blocked", `blocked: ${unwanted}`);
  const proxy = request.proxy ?? (request.purpose === "loopback" ? undefined : options.proxyFor?.(target.url));
  const rule = {
    purpose: request.purpose === "model" && !trusted ? "web" : request.purpose,
    allowPrivate: options.allowPrivate(),
    fakeRanges: options.fakeIpRanges?.() ?? [],
  } as const;
  const addresses = await addressesOf(options, { ...request, proxy }, target, request.proxy === undefined);
  const refusal = (address: string) => addressRefusal(address, target.host, !target.literal, rule);
  for (const address of addresses) {
    const why = refusal(address);
    if (why !== undefined) throw new NetError("blocked", why);
  }
  // The other end of a connection through a proxy is the proxy, whose own addresses are looked at where it is dialled.
  const checked = {
    url: target.url,
    host: target.host,
    addresses,
    rule,
    refusal: proxy === undefined ? refusal : () => undefined,
  };
  return { checked, proxy };
}

/**
 * Addresses of the target; none where a proxy resolves its name. The proxy of the environment (`looks`) is for every address, so what this machine
 * knows of a name is looked at anyway; behind such a proxy it often cannot resolve outside names.
 */
async function addressesOf(
  options: NetOptions,
  request: NetRequest,
  { host, literal }: Target,
  looks: boolean,
): Promise<readonly string[]> {
  if (literal) return [host];
  const { fallbackAddresses = [], proxy } = request;
  if (proxy !== undefined && !looks) return [];
  try {
    return await resolveHost(options, host, request.signal);
  } catch (error) {
    if (proxy !== undefined && error instanceof NetError && error.failure === "dns") return [];
    if (fallbackAddresses.length > 0 && error instanceof NetError && error.failure === "dns") return fallbackAddresses;
    throw error;
  }
}
