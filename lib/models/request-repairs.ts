import type {
  ChatMessage,
  ModelErrorClass,
  ModelFailure,
  ModelRequest,
  Provider,
  RequestPart,
} from "../contracts/models/model.js";

/** Kept free below the room that a server names (core part, 4.3). */
const ROOM_MARGIN = 64;

/** The part of a request that a failure complains about. */
const PARTS: Partial<Record<ModelErrorClass, RequestPart>> = {
  grammar_pattern: "schema_patterns",
  thinking_signature: "signed_thinking",
  invalid_encrypted_content: "encrypted_reasoning",
  oauth_long_context_beta_forbidden: "long_context_beta",
};

/** Words of endpoints and models that do not see, whatever they say besides. */
const SEES_NOT = /image|vision|multi-?modal|mmproj/i;
/** Failures that are about the request itself. */
const OF_REQUEST: ReadonlySet<ModelErrorClass> = new Set([
  "format_error",
  "image_too_large",
  "model_not_found",
  "payload_too_large",
  "server_error",
  "unknown",
]);

function partOf({ class: kind, message }: ModelFailure, { messages }: ModelRequest): RequestPart | undefined {
  const shows = messages.some((one) => (one.role === "user" || one.role === "tool") && one.images !== undefined);
  return shows && OF_REQUEST.has(kind) && (kind === "image_too_large" || SEES_NOT.test(message))
    ? "images"
    : PARTS[kind];
}

/** Conversations whose refused parts are remembered for each provider. */
const MAX_REMEMBERED = 256;

/** What a provider refused, by conversation: the same part is refused in its next request too. */
const refused = new WeakMap<Provider, Map<string, readonly RequestPart[]>>();

/** The request without what this provider refused in this conversation before. */
export function withoutRefused(provider: Provider, request: ModelRequest): ModelRequest {
  const known = refused.get(provider);
  const parts = [...(known?.get(request.cacheKey ?? "") ?? []), ...(known?.get(turnOf(request)) ?? [])];
  return parts.reduce(leaveOut, request);
}

/** Requests of one turn have names that begin alike. */
const turnOf = ({ requestId }: ModelRequest): string => `turn ${requestId.slice(0, requestId.lastIndexOf(":"))}`;

/** Pictures are shown again in the next turn: it may be another model, and other pictures. */
function remember(provider: Provider, request: ModelRequest, part: RequestPart): void {
  const cacheKey = part === "images" ? turnOf(request) : (request.cacheKey ?? "");
  const known = refused.get(provider) ?? new Map<string, readonly RequestPart[]>();
  refused.set(provider, known);
  known.set(cacheKey, [...(known.get(cacheKey) ?? []), part]);
  const [oldest] = known.keys();
  if (known.size > MAX_REMEMBERED && oldest !== undefined) known.delete(oldest);
}

function leaveOut(request: ModelRequest, part: RequestPart): ModelRequest {
  if (part === "images") return { ...request, messages: request.messages.map(withoutImages) };
  if (part !== "schema_patterns") return { ...request, without: [...(request.without ?? []), part] };
  return {
    ...request,
    tools: request.tools.map((tool) => ({ ...tool, parameters: withoutPatterns(tool.parameters) })),
  };
}

/**
 * The request without what the failure complains about, or undefined when no such repair is left (core part, 4.3): one of each kind.
 * `done` remembers the repairs made.
 */
export function repairedRequest(
  request: ModelRequest,
  failure: ModelFailure,
  { provider, done }: { readonly provider: Provider; readonly done: Set<string> },
): ModelRequest | undefined {
  const part = partOf(failure, request);
  const kind = part ?? failure.class;
  if (done.has(kind)) return undefined;
  done.add(kind);
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

function withoutImages(message: ChatMessage): ChatMessage {
  if (message.role !== "user" && message.role !== "tool") return message;
  const { images: _, ...rest } = message;
  return rest;
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
