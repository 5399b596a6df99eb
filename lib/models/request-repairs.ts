import type { ModelErrorClass, ModelFailure, ModelRequest, Provider, RequestPart } from "../proto/model.js";

/** Kept free below the room that a server names (core part, 4.3). */
const ROOM_MARGIN = 64;

/** The part of a request that a failure complains about. */
const PARTS: Partial<Record<ModelErrorClass, RequestPart>> = {
  grammar_pattern: "schema_patterns",
  thinking_signature: "signed_thinking",
  invalid_encrypted_content: "encrypted_reasoning",
  oauth_long_context_beta_forbidden: "long_context_beta",
};

/** Conversations whose refused parts are remembered for each provider. */
const MAX_REMEMBERED = 256;

/** What a provider refused, by conversation: the same part is refused in its next request too. */
const refused = new WeakMap<Provider, Map<string, readonly RequestPart[]>>();

/** The request without what this provider refused in this conversation before. */
export function withoutRefused(provider: Provider, request: ModelRequest): ModelRequest {
  const parts = refused.get(provider)?.get(request.cacheKey ?? "") ?? [];
  return parts.reduce(leaveOut, request);
}

function remember(provider: Provider, { cacheKey = "" }: ModelRequest, part: RequestPart): void {
  const known = refused.get(provider) ?? new Map<string, readonly RequestPart[]>();
  refused.set(provider, known);
  known.set(cacheKey, [...(known.get(cacheKey) ?? []), part]);
  const [oldest] = known.keys();
  if (known.size > MAX_REMEMBERED && oldest !== undefined) known.delete(oldest);
}

function leaveOut(request: ModelRequest, part: RequestPart): ModelRequest {
  if (part !== "schema_patterns") return { ...request, without: [...(request.without ?? []), part] };
  return { ...request, tools: request.tools.map((tool) => ({ ...tool, parameters: withoutPatterns(tool.parameters) })) };
}

/**
 * The request without what the failure complains about, or undefined when there is no such repair left (core part, 4.3): one of each kind.
 * `done` remembers the repairs made.
 */
export function repairedRequest(
  request: ModelRequest,
  failure: ModelFailure,
  { provider, done }: { readonly provider: Provider; readonly done: Set<string> },
): ModelRequest | undefined {
  if (done.has(failure.class)) return undefined;
  done.add(failure.class);
  const part = PARTS[failure.class];
  if (part !== undefined) {
    remember(provider, request, part);
    return leaveOut(request, part);
  }
  // The prompt fits, the answer that was asked for does not.
  const { outputRoom = 0 } = failure;
  return failure.class === "context_overflow" && outputRoom > ROOM_MARGIN
    ? { ...request, maxOutputTokens: outputRoom - ROOM_MARGIN }
    : undefined;
}

/** The schema without `pattern` and `format`; members of `properties` that are so named stay. */
function withoutPatterns(schema: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const entries = Object.entries(schema).filter(
    ([name, value]) => !((name === "pattern" || name === "format") && typeof value === "string"),
  );
  return Object.fromEntries(entries.map(([name, value]) => [name, cleaned(value)]));
}

function cleaned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cleaned);
  return typeof value === "object" && value !== null ? withoutPatterns({ ...value }) : value;
}
