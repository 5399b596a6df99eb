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

const EMPTY = `The fallback chain is empty. Its models take over, in order, when the primary tells a rate limit or wants payment, refuses a request or
answers nothing, and when its retries are used up; the next turn begins with the primary again.
agent fallback add --provider <name> --model <model> adds one.`;
