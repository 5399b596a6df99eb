import type { ModelErrorClass, ModelFailure, ModelRequest } from "../proto/model.js";

/** What is changed in a request that an endpoint rejects for a reason it names (core part, 4.3). Once each per request. */
const REPAIRS: Partial<Record<ModelErrorClass, (request: ModelRequest) => ModelRequest>> = {
  grammar_pattern: (request) => ({
    ...request,
    tools: request.tools.map((tool) => ({ ...tool, parameters: withoutPatterns(tool.parameters) })),
  }),
  thinking_signature: (request) => ({
    ...request,
    messages: request.messages.map((message) => {
      if (message.role !== "assistant" || message.reasoning === undefined) return message;
      const { reasoning: _reasoning, ...rest } = message;
      return rest;
    }),
  }),
};

/** The request without what the failure complains about, or undefined when there is no such repair left. `done` remembers the repairs made. */
export function repairedRequest(request: ModelRequest, failure: ModelFailure, done: Set<string>): ModelRequest | undefined {
  const repair = REPAIRS[failure.class];
  if (!repair || done.has(failure.class)) return undefined;
  done.add(failure.class);
  return repair(request);
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
