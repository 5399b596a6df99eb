import { isRecord } from "../../../lib/base/json/record.js";
import type { Usage } from "../../../lib/contracts/models/model.js";

/** Tokens of a prompt as its answer reports them: the draft of the protocol, else the form of codex-acp. Undefined: it reports none. */
export function usageIn(meta: Readonly<Record<string, unknown>> | null | undefined): Usage | undefined {
  if (isRecord(meta?.["usage"]))
    return toUsage(meta["usage"], ["cachedReadTokens", "cachedWriteTokens", "thoughtTokens"]);
  const quota = meta?.["quota"];
  if (!isRecord(quota) || !isRecord(quota["token_count"])) return undefined;
  return toUsage(quota["token_count"], ["cachedInputTokens", "cacheWriteInputTokens", "reasoningOutputTokens"]);
}

function toUsage(
  counts: Record<string, unknown>,
  [cached, written, thought]: readonly [string, string, string],
): Usage | undefined {
  const count = (member: string): number => {
    const value = counts[member];
    return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
  };
  const cacheRead = count(cached);
  const cacheWrite = count(written);
  const output = count("outputTokens");
  const all = count("inputTokens");
  // Whether the input tokens contain the cached ones is not settled: the sum tells.
  const apart = count("totalTokens") >= all + output + cacheRead + cacheWrite;
  const usage = {
    input: apart ? all : Math.max(0, all - cacheRead - cacheWrite),
    output,
    cacheRead,
    cacheWrite,
    reasoning: count(thought),
  };
  return usage.input + usage.output + cacheRead + cacheWrite === 0 ? undefined : usage;
}
