import type { ModelErrorClass, ModelFailure, ModelRequest, RequestPart } from "../proto/model.js";

/** Kept free below the room that a server names (core part, 4.3). */
const ROOM_MARGIN = 64;

type Repair = (request: ModelRequest, failure: ModelFailure) => ModelRequest | undefined;

const leaveOut =
  (part: RequestPart): Repair =>
  (request) => ({ ...request, without: [...(request.without ?? []), part] });

/** What is changed in a request that an endpoint rejects for a reason it names (core part, 4.3). Once each per request. */
const REPAIRS: Partial<Record<ModelErrorClass, Repair>> = {
  grammar_pattern: (request) => ({
    ...request,
    tools: request.tools.map((tool) => ({ ...tool, parameters: withoutPatterns(tool.parameters) })),
  }),
  thinking_signature: leaveOut("signed_thinking"),
  invalid_encrypted_content: leaveOut("encrypted_reasoning"),
  oauth_long_context_beta_forbidden: leaveOut("long_context_beta"),
  // The prompt fits, the answer that was asked for does not.
  context_overflow: (request, { outputRoom = 0 }) =>
    outputRoom > ROOM_MARGIN ? { ...request, maxOutputTokens: outputRoom - ROOM_MARGIN } : undefined,
};

/** The request without what the failure complains about, or undefined when there is no such repair left. `done` remembers the repairs made. */
export function repairedRequest(request: ModelRequest, failure: ModelFailure, done: Set<string>): ModelRequest | undefined {
  if (done.has(failure.class)) return undefined;
  const repaired = REPAIRS[failure.class]?.(request, failure);
  if (repaired) done.add(failure.class);
  return repaired;
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
