import { AppError } from "../../base/errors.js";
import { isRecord } from "../../base/json/record.js";
import type { Config } from "../../contracts/config/config.js";
import type { Descriptor } from "./descriptors.js";
import type { ProviderRecord } from "./document.js";
import { AUTH_PROVIDERS } from "./keys.js";

/** Where a provider is reached, and as whom. */
export interface Addresses {
  readonly portal_url?: string | undefined;
  readonly issuer?: string | undefined;
  readonly inference_url?: string | undefined;
  readonly client_id?: string | undefined;
  readonly scope?: string | undefined;
}

const NAMES = ["portal_url", "issuer", "inference_url", "client_id", "scope"] as const;
const URLS = ["portal_url", "issuer", "inference_url"] as const;

/** The first of `first`, the settings and what the product knows, in the region that `first` names. @throws E_USAGE an address that secrets cannot be sent to */
export function addressesOf(config: Config, descriptor: Descriptor, first: ProviderRecord = {}): Addresses {
  const all = config.get(AUTH_PROVIDERS);
  const entry = isRecord(all) ? all[descriptor.id] : undefined;
  const set = (name: string) =>
    isRecord(entry) && typeof entry[name] === "string" && entry[name] !== "" ? entry[name] : undefined;
  const { regions = {}, ...plain } = descriptor;
  const regional = regions[first.region ?? Object.keys(regions)[0] ?? ""];
  const { portalUrl, issuer, inferenceUrl, clientId, scope } = { ...plain, ...regional };
  const own: Addresses = { portal_url: portalUrl, issuer, inference_url: inferenceUrl, client_id: clientId, scope };
  const found = Object.fromEntries(NAMES.map((name) => [name, first[name] ?? set(name) ?? own[name]]));
  for (const name of URLS) checkAddress(name, found[name]);
  return found;
}

function checkAddress(name: string, text: string | undefined): void {
  if (text === undefined || isSafeAddress(text)) return;
  throw new AppError(
    "E_USAGE",
    `${name} ${JSON.stringify(text)}: credentials are only sent to https:// addresses (http:// only on this machine)`,
    {
      hint: "use https://host, or http:// for this machine only",
    },
  );
}

/** Secrets may be sent there: https, or plain http to this machine. No user, no password, no fragment. */
export function isSafeAddress(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.username !== "" || url.password !== "" || url.hash !== "") return false;
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname));
}

/** It is on this machine. */
export const isLoopbackAddress = (text: string): boolean => URL.canParse(text) && isLoopback(new URL(text).hostname);

/**
 * Both are hosts of one registrable domain, as far as their names tell it: the same host, one below the other, or siblings below a name that is
 * no public suffix by its look.
 */
export function sameSite(a: string, b: string): boolean {
  if (!URL.canParse(a) || !URL.canParse(b)) return false;
  const one = new URL(a);
  const other = new URL(b);
  if (isLoopback(one.hostname) || isLoopback(other.hostname)) return one.origin === other.origin;
  if (isAddress(other.hostname)) return one.hostname === other.hostname;
  const site = siteOf(other.hostname);
  return one.hostname === site || one.hostname.endsWith(`.${site}`);
}

/** A number has no domain above it: 10.0.0.1 and 192.168.0.1 have an end in common, and nothing else. */
const isAddress = (host: string): boolean => host.startsWith("[") || /^[\d.]+$/.test(host);

/** Second levels that countries give out names below: co.uk, com.au. */
const SECOND = new Set(["ac", "co", "com", "edu", "go", "gov", "ne", "net", "or", "org"]);

function siteOf(host: string): string {
  const labels = host.split(".");
  const [second = "", top = ""] = labels.slice(-2);
  const suffix = labels.length > 2 && top.length === 2 && SECOND.has(second) ? 3 : 2;
  return labels.slice(-suffix).join(".");
}

const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host);

/** The address of a path below a base, whatever slashes they have. */
export const below = (base: string, path: string): string => `${base.replace(/\/+$/, "")}${path}`;
