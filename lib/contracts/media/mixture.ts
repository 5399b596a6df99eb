/** Several models that answer one question, and one that joins their answers (core part, 27.4). */

import type { SideUse } from "../chat/compact.js";
import { type ConfigKey, configKey } from "../config/config.js";
import type { MediaEnvelope } from "./media.js";

export const MOA = {
  models: configKey<readonly string[]>({
    key: "moa.models",
    kind: { type: "strings" },
    default: [],
    help: "Models that answer in parallel for mixture_of_agents, at most 8; none: the tool is not offered.",
  }),
  aggregator: configKey<string>({
    key: "moa.aggregator",
    kind: { type: "string" },
    default: "",
    help: "Model that joins the answers of moa.models; empty: the main model.",
  }),
  maxOutputTokens: configKey<number>({
    key: "moa.max_output_tokens",
    kind: { type: "integer", min: 256, max: 131_072 },
    default: 8_192,
    help: "Most tokens of each answer for mixture_of_agents.",
  }),
  timeoutSeconds: configKey<number>({
    key: "moa.timeout_seconds",
    kind: { type: "integer", min: 10, max: 3_600 },
    default: 300,
    help: "Seconds that each model of mixture_of_agents may take.",
  }),
} as const;

export const MOA_KEYS: readonly ConfigKey<unknown>[] = Object.values(MOA);

export interface MixtureCaller {
  /** Says which models are asked, and their prices where they are known, before anything is sent. */
  progress(text: string): void;
  /** What one request has used. */
  used(use: SideUse): Promise<void>;
  readonly signal: AbortSignal;
}

export interface MixtureApi {
  /** Never throws but when the signal aborts. */
  ask(prompt: string, caller: MixtureCaller): Promise<MediaEnvelope>;
}
