import type { FallbackChain, ModelName } from "../../contracts/models/models-api.js";

const named = ({ provider, model, base_url }: ModelName): string => {
  const name = model === "" ? provider : `${model} via ${provider}`;
  return base_url === undefined ? name : `${name} (${base_url})`;
};

/** The primary, the numbered chain, and what is missing. An empty chain explains itself. */
export function shownChain(chain: FallbackChain): string {
  const lines = chain.entries.map((entry, at) => {
    const lacks = !entry.known ? "; provider not configured yet" : entry.has_key ? "" : "; no key";
    return `${at + 1}. ${named(entry)}${lacks}`;
  });
  return [`Primary: ${named(chain.primary)}`, ...(lines.length === 0 ? [EMPTY] : lines)].join("\n");
}

const EMPTY = `The fallback chain is empty. Its models are tried in order when the primary model is rate limited, requires payment, rejects the request,\nreturns nothing, or runs out of retries. The next turn starts with the primary model again.\nagent fallback add --provider <name> --model <model> adds one.`;
