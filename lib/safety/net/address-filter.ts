import { NetError, type ProxyAddress } from "../../base/net/net.js";
import { addressRefusal, checkUrl } from "./address.js";
import { type NetOptions, resolveHost } from "./net-options.js";

/** Rules for addresses that come from pages, and ways for tests to answer names and to connect. */
export interface FilterOptions
  extends Pick<
    NetOptions,
    "clock" | "allowPrivate" | "fakeIpRanges" | "refuse" | "proxyFor" | "resolve" | "dial" | "peer"
  > {
  /** Setting that a refusal of a private address names. */
  readonly setting: string;
  /** Lets nothing out at all: why. */
  readonly closed?: string;
}

/** Where a request goes: the addresses of its name, all of them looked at. */
export interface Place {
  readonly host: string;
  readonly port: number;
  readonly addresses: readonly string[];
  /** The proxy of the environment, where it is trusted. */
  readonly proxy: ProxyAddress | undefined;
}

/** Look at an address and at all that its name leads to. @throws NetError `blocked`, `dns` */
export async function checkedPlace(options: FilterOptions, href: string, signal?: AbortSignal): Promise<Place> {
  if (options.closed !== undefined) throw new NetError("blocked", `blocked: ${options.closed}`);
  const target = checkUrl(href);
  if (!target.ok) throw new NetError("blocked", target.reason);
  const unwanted = await options.refuse?.(target.url);
  if (unwanted !== undefined) throw new NetError("blocked", `blocked: ${unwanted}`);
  const { host, literal, url } = target;
  const proxy = options.proxyFor?.(url);
  const addresses = literal ? [host] : await addressesOf(options, host, proxy !== undefined, signal);
  const refusal = refusalFor(options, host, !literal);
  for (const address of addresses) {
    const why = refusal(address);
    if (why !== undefined) throw new NetError("blocked", why);
  }
  return { host, port: Number(url.port || (url.protocol === "https:" ? 443 : 80)), addresses, proxy };
}

/** Behind a proxy of the environment this machine often cannot resolve outside names; what it knows is looked at anyway. */
async function addressesOf(
  options: FilterOptions,
  host: string,
  proxied: boolean,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  try {
    return await resolveHost(options, host, signal);
  } catch (error) {
    if (proxied && error instanceof NetError && error.failure === "dns") return [];
    throw error;
  }
}

/** Why an address must not be reached for a host, or undefined. */
export function refusalFor(
  options: FilterOptions,
  host: string,
  named: boolean,
): (address: string) => string | undefined {
  const rule = {
    purpose: "web",
    allowPrivate: options.allowPrivate(),
    fakeRanges: options.fakeIpRanges?.() ?? [],
    setting: options.setting,
  } as const;
  return (address) => addressRefusal(address, host, named, rule);
}

/** Why a request to an address would not be let out, or undefined. The sender of the request resolves its name and looks again. */
export function createAddressFilter(
  options: FilterOptions,
): (url: string, signal?: AbortSignal) => Promise<string | undefined> {
  return async (url, signal) => {
    try {
      await checkedPlace(options, url, signal);
      return undefined;
    } catch (error) {
      if (!(error instanceof NetError)) throw error;
      if (error.failure === "blocked") return error.message;
      if (error.failure === "dns") return undefined; // the browser tells that as what it is
      throw error;
    }
  };
}
