import { isRecord } from "../../../lib/base/json/record.js";
import type { Usage } from "../../../lib/contracts/models/model.js";

const NOTHING: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };

const count = (value: unknown): number => (typeof value === "number" && value > 0 ? value : 0);

/** Tokens of a turn: its requests are summed, and one that is reported twice counts once. */
export interface UsageSum {
  /** @returns the sum, and the context window of the model; undefined: nothing new */
  add(tokenUsage: unknown): { readonly usage: Usage; readonly window: number | undefined } | undefined;
}

export function sumUsage(): UsageSum {
  let sum = NOTHING;
  let seen = "";
  return {
    add: (told) => {
      if (!isRecord(told) || !isRecord(told["last"])) return undefined;
      const { total, last, modelContextWindow: window } = told;
      const key = JSON.stringify([total, last]);
      if (key === seen) return undefined;
      seen = key;
      const cacheRead = count(last["cachedInputTokens"]);
      const cacheWrite = count(last["cacheWriteInputTokens"]);
      sum = {
        input: sum.input + Math.max(0, count(last["inputTokens"]) - cacheRead - cacheWrite),
        output: sum.output + count(last["outputTokens"]),
        cacheRead: sum.cacheRead + cacheRead,
        cacheWrite: sum.cacheWrite + cacheWrite,
        reasoning: sum.reasoning + count(last["reasoningOutputTokens"]),
      };
      return { usage: sum, window: typeof window === "number" ? window : undefined };
    },
  };
}
