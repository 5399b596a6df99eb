import type { Agent, AgentOptions } from "node:http";
import type { Socket } from "node:net";
import type { TlsOptions } from "node:tls";
import { systemCode } from "../../base/errors.js";
import { NetError, type NetTrust, type ProxyAddress } from "../../base/net/net.js";
import { sha256 } from "../../base/text/hash.js";
import type { Clock } from "../../base/time/clock.js";
import { netModules } from "./modules.js";
import { proxyText, tunnelledBy } from "./tunnel.js";

/** What the network door is made of. Everything but the first two is for tests and special networks. */
export interface NetOptions {
  readonly clock: Clock;
  /** `security.allow_private_urls` at this moment. */
  readonly allowPrivate: () => boolean;
  /** `security.fake_ip_ranges` at this moment. */
  readonly fakeIpRanges?: () => readonly string[];
  /** Why a web request to this address must not be made (it carries a secret, the site is on a block list), or undefined. Asked at each hop. */
  readonly refuse?: (url: URL) => string | undefined;
  /** Addresses of a name. Default: the system's resolver. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
  /** Where a checked address is really reached; default: there. */
  readonly dial?: (address: string, port: number) => { readonly address: string; readonly port: number };
  /** Address of the other end of a connected socket; default: what the system says. */
  readonly peer?: (socket: Socket) => string | undefined;
}

/** How a connection is made. */
export interface NetWay {
  readonly proxy?: ProxyAddress | undefined;
  readonly trust?: NetTrust | undefined;
}

/** Pooled connections of one network door. */
export interface Pools {
  readonly options: NetOptions;
  /** Sockets of different purposes, ways or trust are never shared: the rule that let one connect may not hold for the other. */
  agent(secure: boolean, purpose: string, way?: NetWay): Promise<Agent>;
  resolve(host: string, signal: AbortSignal | undefined): Promise<readonly string[]>;
  /** Every open exchange, so that `close` can end it. */
  readonly open: Set<(error: NetError) => void>;
  rebuild(): void;
  close(): void;
}

const AGENT: AgentOptions = { keepAlive: true, maxFreeSockets: 8, timeout: 30_000, scheduling: "lifo" };

export function createPools(options: NetOptions): Pools {
  const agents = new Map<string, Agent>();
  const open = new Set<(error: NetError) => void>();
  const retire = () => {
    for (const agent of agents.values()) dropIdle(agent);
    agents.clear();
  };
  return {
    options,
    open,
    agent: async (secure, purpose, way = {}) => {
      const key = `${secure} ${purpose}${wayText(way)}`;
      const made = agents.get(key) ?? (await newAgent(options, secure, way));
      agents.set(key, agents.get(key) ?? made);
      return agents.get(key) ?? made;
    },
    resolve: (host, signal) => resolveHost(options, host, signal),
    rebuild: retire,
    close: () => {
      for (const end of [...open]) end(new NetError("aborted", "the network is closed"));
      retire();
    },
  };
}

/** The same text for the same way. */
function wayText({ proxy, trust }: NetWay): string {
  const through = proxy === undefined ? "" : ` ${proxyText(proxy)} ${proxy.login?.user ?? ""}`;
  return trust === undefined ? through : `${through} trust ${sha256(JSON.stringify([trust.ca, trust.insecure]))}`;
}

async function newAgent(options: NetOptions, secure: boolean, { proxy, trust }: NetWay): Promise<Agent> {
  const { Agent } = await (secure ? netModules.https() : netModules.http());
  const agent = new Agent({ ...AGENT, ...(trust === undefined ? {} : await certificatesFor(trust)) });
  return proxy === undefined
    ? agent
    : tunnelledBy(agent, { proxy, secure, resolve: (host) => resolveHost(options, host, undefined) });
}

async function certificatesFor({ ca, insecure }: NetTrust): Promise<Pick<TlsOptions, "ca" | "rejectUnauthorized">> {
  const { rootCertificates } = await netModules.tls();
  return {
    ...(ca === undefined ? {} : { ca: [...rootCertificates, ca] }),
    ...(insecure === true ? { rejectUnauthorized: false } : {}),
  };
}

/** Idle connections end now, busy ones when their request is over. */
function dropIdle(agent: Agent): void {
  agent.maxFreeSockets = 0;
  for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
}

async function resolveHost(
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
