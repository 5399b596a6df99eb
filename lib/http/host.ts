import { isIPv4, isIPv6 } from "node:net";

/** A host as it is compared: lower case, no trailing dot, IPv6 in its shortest form without brackets. */
export interface HostPort {
  readonly host: string;
  /** Undefined when none was given. */
  readonly port: number | undefined;
}

/** Parse `name`, `name:port`, `1.2.3.4:port`, `[v6]:port`. Undefined when it is none of these as a whole. */
export function parseHostPort(text: string): HostPort | undefined {
  const bracket = text.startsWith("[") ? text.indexOf("]") : -1;
  const colon = text.indexOf(":", bracket + 1);
  const host = canonicalHost(colon === -1 ? text : text.slice(0, colon));
  const port = colon === -1 ? undefined : parsePort(text.slice(colon + 1));
  if (host === undefined || (colon !== -1 && port === undefined)) return undefined;
  return { host, port };
}

/** The one form of a host name or address, or undefined when it is neither. An IPv6 address is accepted with and without brackets. */
export function canonicalHost(text: string): string | undefined {
  const inner = text.startsWith("[") && text.endsWith("]") ? text.slice(1, -1) : text;
  if (isIPv6(inner)) return inner.includes("%") ? undefined : shortIPv6(inner);
  if (inner !== text) return undefined;
  const name = text.toLowerCase().replace(/\.$/, "");
  return /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63}){0,9}$/.test(name) ? name : undefined;
}

/** `localhost`, 127.0.0.0/8 and ::1, nothing that merely looks like them. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIPv4(host) && host.startsWith("127."));
}

/** Listens on every interface. */
export function isEveryInterface(host: string): boolean {
  return host === "0.0.0.0" || host === "::";
}

function parsePort(text: string): number | undefined {
  if (!/^\d{1,5}$/.test(text)) return undefined;
  const port = Number(text);
  return port <= 65_535 ? port : undefined;
}

function shortIPv6(address: string): string {
  return new URL(`http://[${address}]/`).hostname.slice(1, -1);
}
