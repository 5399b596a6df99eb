import type { Socket } from "node:net";
import { systemCode } from "../../base/errors.js";
import { NetError, type ProxyAddress } from "../../base/net/net.js";
import type { Clock } from "../../base/time/clock.js";
import { netModules } from "./modules.js";

/** Why this address must not be asked, or undefined. */
export type Refuse = (url: URL) => string | undefined | Promise<string | undefined>;

/** What the network door is made of. Everything but the first two is for tests and special networks. */
export interface NetOptions {
  readonly clock: Clock;
  /** `security.allow_private_urls` at this moment. */
  readonly allowPrivate: () => boolean;
  /** The process stays, as owners and workers do: undici carries its connections. Default: the small client of a short command. */
  readonly stays?: boolean;
  /** `security.fake_ip_ranges` at this moment. */
  readonly fakeIpRanges?: () => readonly string[];
  /** Why a web request to this address must not be made (it carries a secret, the site is on a block list), or undefined. Asked at each hop. */
  readonly refuse?: Refuse;
  /** The proxy that the environment names for this address, where it is trusted. Requests that name one themselves are not asked about. */
  readonly proxyFor?: (url: URL) => ProxyAddress | undefined;
  /** Addresses of a name. Default: the system's resolver. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
  /** Where a checked address is really reached; default: there. */
  readonly dial?: (address: string, port: number) => { readonly address: string; readonly port: number };
  /** Address of the other end of a connected socket; default: what the system says. */
  readonly peer?: (socket: Socket) => string | undefined;
}

/** Addresses of a name, at least one. @throws NetError */
export async function resolveHost(
  options: NetOptions,
  host: string,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const found = await raced((options.resolve ?? systemResolve)(host), signal).catch((error: unknown) => {
    if (error instanceof NetError) throw error;
    throw new NetError("dns", `${host} cannot be resolved (${systemCode(error) ?? "no answer"})`, error);
  });
  if (found.length === 0) throw new NetError("dns", `${host} has no address`);
  return found;
}

async function systemResolve(host: string): Promise<readonly string[]> {
  const { lookup } = await netModules.dns();
  return (await lookup(host, { all: true })).map((entry) => entry.address);
}

/** The system's resolver cannot be stopped; an abort only stops the waiting. */
function raced<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(new NetError("aborted", "the request was stopped"));
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
