/**
 * Request headers that a page of an allowed origin may send: those of the official OpenAI and Anthropic clients in a browser. A trailing `*` matches a
 * prefix. What of them goes upstream is decided by `headers.ts`.
 */
const FROM_PAGES = [
  "accept",
  "anthropic-*",
  "api-key",
  "authorization",
  "content-type",
  "idempotency-key",
  "openai-*",
  "user-agent",
  "x-api-key",
  "x-request-id",
  "x-stainless-*",
];

/** Response headers that those clients read: when to try again, and the id of the request. */
const FOR_PAGES = [
  "openai-processing-ms",
  "request-id",
  "retry-after",
  "retry-after-ms",
  "x-request-id",
  "x-should-retry",
];

/** Header names in one preflight; an official client sends about fifteen. */
const NAMES_MAX = 64;

/** The answer to a preflight. @param asked values of `Access-Control-Request-Headers` */
export function preflightHeaders(
  origin: string,
  methods: readonly string[],
  asked: readonly string[],
): Readonly<Record<string, string>> {
  const names = asked.flatMap((value) => value.split(",")).map((name) => name.trim().toLowerCase());
  const allowed = new Set(["authorization", "content-type", ...names.slice(0, NAMES_MAX).filter(mayPageSend)]);
  return {
    "access-control-allow-origin": origin,
    "access-control-allow-methods": methods.join(", "),
    "access-control-allow-headers": [...allowed].join(", "),
    "access-control-max-age": "600",
    vary: "Origin, Access-Control-Request-Headers",
  };
}

function mayPageSend(name: string): boolean {
  if (!/^[a-z0-9-]{1,100}$/.test(name)) return false;
  return FROM_PAGES.some((pattern) =>
    pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern,
  );
}

/** Headers, names and values in turn, by which pages of one origin may read an answer. Empty without an origin. */
export function readableBy(origin: string | undefined): readonly string[] {
  if (origin === undefined) return [];
  return [
    "Access-Control-Allow-Origin",
    origin,
    "Access-Control-Expose-Headers",
    FOR_PAGES.join(", "),
    "Vary",
    "Origin",
  ];
}
