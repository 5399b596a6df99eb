import { readableBy } from "./cors.js";

/** Names and values in turn, as they stand on the wire. */
export type RawHeaders = readonly string[];

/** Belong to one connection, not to the message. Names that `Connection` lists count as well. */
const HOP_BY_HOP = [
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];

/** What clients prove themselves with; it is theirs, and none of the provider's business. */
const CREDENTIALS = [
  "authorization",
  "x-api-key",
  "api-key",
  "x-goog-api-key",
  "x-auth-token",
  "x-agent-token",
  "cookie",
  "cookie2",
];

/** Traces of browsers and of proxies before this one. A trailing `*` matches a prefix. */
const TRACES = ["origin", "referer", "sec-*", "forwarded", "x-forwarded-*", "x-real-ip", "via"];

/** Set again for the way upstream. */
const ANEW = ["host", "expect", "content-length"];

/** Answers that are about the provider's own site, or would let pages in. */
const ANSWER = ["set-cookie", "set-cookie2", "access-control-*", "strict-transport-security", "alt-svc"];

const matcher = (patterns: readonly string[]) => {
  const exact = new Set(patterns.filter((pattern) => !pattern.endsWith("*")));
  const prefixes = patterns.filter((pattern) => pattern.endsWith("*")).map((pattern) => pattern.slice(0, -1));
  return (name: string) => exact.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
};

const notForwarded = matcher([...HOP_BY_HOP, ...CREDENTIALS, ...TRACES, ...ANEW]);
const notAnswered = matcher([...HOP_BY_HOP, ...ANSWER]);

/** What stands on the request in place of what was taken off. */
export interface ProviderHeaders {
  readonly host: string;
  /** `Bearer …`, as the provider wants it. */
  readonly authorization: string;
  /** Bytes of the body, where the client said so; `chunked` when it did not; undefined: the method needs none. */
  readonly body: number | "chunked" | undefined;
}

/** Headers of a request on its way upstream. `drop`: further names in lower case, or prefixes that end in `*`. */
export function requestHeaders(given: RawHeaders, attached: ProviderHeaders, drop: readonly string[]): string[] {
  const dropped = drop.length === 0 ? undefined : matcher(drop);
  const kept = ["Host", attached.host, "Authorization", attached.authorization];
  const listed = listedBy(given);
  let encoding = false;
  for (let at = 0; at + 1 < given.length; at += 2) {
    const name = given[at] ?? "";
    const value = given[at + 1] ?? "";
    const lower = name.toLowerCase();
    if (notForwarded(lower) || listed.has(lower) || dropped?.(lower)) continue;
    encoding ||= lower === "accept-encoding";
    kept.push(name, value);
  }
  if (!encoding) kept.push("Accept-Encoding", "identity");
  if (attached.body === "chunked") kept.push("Transfer-Encoding", "chunked");
  else if (attached.body !== undefined) kept.push("Content-Length", String(attached.body));
  return kept;
}

/** Headers of an answer on its way to the client. `cors`: the one origin whose pages may read it. */
export function answerHeaders(given: RawHeaders, cors: string | undefined): string[] {
  const kept: string[] = [];
  const listed = listedBy(given);
  for (let at = 0; at + 1 < given.length; at += 2) {
    const name = given[at] ?? "";
    const value = given[at + 1] ?? "";
    const lower = name.toLowerCase();
    if (!notAnswered(lower) && !listed.has(lower)) kept.push(name, value);
  }
  kept.push(...readableBy(cors));
  return kept;
}

/** Names that a `Connection` header lists. */
function listedBy(given: RawHeaders): ReadonlySet<string> {
  const names = new Set<string>();
  for (let at = 0; at + 1 < given.length; at += 2) {
    if (given[at]?.toLowerCase() !== "connection") continue;
    for (const name of (given[at + 1] ?? "").split(",")) names.add(name.trim().toLowerCase());
  }
  return names;
}

/** One value per name, in lower case, for readers of what a provider said; repeated ones joined. */
export function asRecord(given: RawHeaders): Record<string, string> {
  const record: Record<string, string> = {};
  for (let at = 0; at + 1 < given.length; at += 2) {
    const name = (given[at] ?? "").toLowerCase();
    const value = given[at + 1] ?? "";
    record[name] = Object.hasOwn(record, name) ? `${record[name]}, ${value}` : value;
  }
  return record;
}
