import { canonicalHost, type HostPort, isEveryInterface, isLoopback, parseHostPort } from "./host.js";

/** The head of a request, as the guard sees it. Header names in any case; repeated headers stand several times. */
export interface RequestHead {
  readonly method: string;
  /** The request target as it came. */
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** What a listener is and whom it trusts. */
export interface GuardRules {
  /** False for webhook listeners: they are meant to be public and verify signatures instead. */
  readonly local: boolean;
  /** Serves pages, which may call it from their own origin. */
  readonly pages: boolean;
  /** Address or name to bind. */
  readonly bindHost: string;
  /** Addresses of this machine's interfaces; looked at when bound to all. */
  readonly ownAddresses: readonly string[];
  /** Further names of the listener. */
  readonly allowedHosts: readonly string[];
  /** Exact origins (`https://host:port`) whose pages may call it. */
  readonly allowedOrigins: readonly string[];
  /** Paths to which a page of another site may send a browser window: where logins come back to. They trust nothing that such a page can make. */
  readonly landing?: readonly string[];
}

/** `cors`: the origin to which the answer may be shown, with `Vary: Origin`; without it no `Access-Control-*` header is sent. */
export type GuardVerdict =
  | { readonly ok: true; readonly cors?: string }
  | {
      readonly ok: false;
      readonly rule: "G2" | "G3" | "G4" | "G5";
      readonly status: 400 | 403 | 405;
      readonly message: string;
    };

/** Rules G2 to G5, in this order. Pure. Any page in a browser can reach a loopback port; what gets past here was not sent by one. */
export function guard(head: RequestHead, rules: GuardRules): GuardVerdict {
  const form = checkForm(head);
  if (form) return form;
  if (!rules.local) return { ok: true };
  const hosts = valuesOf(head, "host");
  const host = hosts.length === 1 ? parseHostPort(hosts[0] ?? "") : undefined;
  if (!host || !isOwnHost(host.host, rules)) return refuse("G3", 400, "the Host header does not match this listener");
  return checkOrigin(head, rules, host);
}

function refuse(rule: "G2" | "G3" | "G4" | "G5", status: 400 | 403 | 405, message: string): GuardVerdict {
  return { ok: false, rule, status, message };
}

/** Every value of a header, in order. @param name in lower case */
export function valuesOf(head: RequestHead, name: string): readonly string[] {
  return head.headers.filter(([given]) => given.toLowerCase() === name).map(([, value]) => value);
}

function checkForm(head: RequestHead): GuardVerdict | undefined {
  if (head.method === "CONNECT" || head.method === "TRACE") return refuse("G2", 405, "method not supported");
  if (!/^\/[\x21-\x22\x24-\x7e]*$/.test(head.target)) return refuse("G2", 400, "the request target must be a path");
  const lengths = valuesOf(head, "content-length");
  const encodings = valuesOf(head, "transfer-encoding");
  if (lengths.length > 1 || lengths.some((length) => !/^\d{1,15}$/.test(length)))
    return refuse("G2", 400, "invalid Content-Length");
  if (encodings.length > 1 || encodings.some((encoding) => encoding.toLowerCase() !== "chunked")) {
    return refuse("G2", 400, "invalid Transfer-Encoding");
  }
  if (lengths.length > 0 && encodings.length > 0)
    return refuse("G2", 400, "Content-Length and Transfer-Encoding exclude each other");
  return undefined;
}

function isOwnHost(host: string, rules: GuardRules): boolean {
  if (isLoopback(host)) return true;
  const bind = canonicalHost(rules.bindHost);
  if (host === bind) return true;
  if (
    bind !== undefined &&
    isEveryInterface(bind) &&
    rules.ownAddresses.some((address) => canonicalHost(address) === host)
  )
    return true;
  return rules.allowedHosts.some((allowed) => canonicalHost(allowed) === host);
}

function checkOrigin(head: RequestHead, rules: GuardRules, host: HostPort): GuardVerdict {
  const origins = valuesOf(head, "origin");
  const given = origins[0];
  const origin = given === undefined ? undefined : parseOrigin(given);
  const allowed = origin !== undefined && rules.allowedOrigins.some((entry) => parseOrigin(entry) === origin);
  const own = rules.pages && origin !== undefined && origin === ownOrigin(host);
  if (origins.length > 1 || (given !== undefined && !allowed && !own))
    return refuse("G4", 403, "requests from pages of this origin are not allowed");
  const sites = valuesOf(head, "sec-fetch-site");
  const site = sites[0];
  const welcome = site === undefined || site === "none" || (site === "same-origin" && rules.pages);
  if (!allowed && (sites.length > 1 || !(welcome || lands(head, rules))))
    return refuse("G5", 403, "cross-site requests are not allowed");
  return allowed && given !== undefined ? { ok: true, cors: given } : { ok: true };
}

/** A window is led there; a frame, a script or a form that is sent is something else. */
function lands(head: RequestHead, { landing = [] }: GuardRules): boolean {
  const is = (name: string, value: string) => valuesOf(head, name).join() === value;
  const [path = ""] = head.target.split("?");
  return (
    head.method === "GET" &&
    landing.includes(path) &&
    is("sec-fetch-mode", "navigate") &&
    is("sec-fetch-dest", "document") &&
    valuesOf(head, "origin").length === 0
  );
}

/** The origin of pages that came from the same address as the request went to. A browser sets Host by itself, so a page cannot pretend. */
function ownOrigin(host: HostPort): string | undefined {
  const name = host.host.includes(":") ? `[${host.host}]` : host.host;
  return parseOrigin(host.port === undefined ? `http://${name}` : `http://${name}:${host.port}`);
}

/** `scheme://host:port` in one form; undefined for `null` and for anything with a path, a user or more. */
function parseOrigin(text: string): string | undefined {
  const match = /^(https?):\/\/([^/?#@\\\s]+)$/i.exec(text);
  const scheme = match?.[1]?.toLowerCase();
  const host = match?.[2] === undefined ? undefined : parseHostPort(match[2]);
  if (!scheme || !host) return undefined;
  const name = host.host.includes(":") ? `[${host.host}]` : host.host;
  return `${scheme}://${name}:${host.port ?? (scheme === "https" ? 443 : 80)}`;
}
