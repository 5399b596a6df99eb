import type { Ms } from "../base/units.js";
import type { Config } from "../proto/config.js";
import type { ModelChoice } from "../proto/model.js";
import { AUXILIARY_KEY } from "./keys.js";
import { isRecord, numberOf, textOf } from "./records.js";
import type { Wanted } from "./targets.js";

/** Slots of side work and how long a request of each may take, in seconds (core part, 5). */
export const AUX_SLOTS = {
  vision: 120,
  web_extract: 360,
  compression: 120,
  title_generation: 30,
  goal_judge: 30,
  approval: 30,
  skills_hub: 30,
  mcp: 30,
  tts_audio_tags: 30,
  triage_specifier: 120,
  kanban_decomposer: 180,
  profile_describer: 60,
  curator: 600,
  monitor: 60,
} as const satisfies Record<string, number>;

export type AuxSlot = keyof typeof AUX_SLOTS;

/** A model for side work. Its requests carry no tools and belong to no session. */
export interface AuxChoice extends ModelChoice {
  /** Most time for one request. */
  readonly timeoutMs: Ms;
}

/** What the configuration wants for a slot. `provider: auto` means the main model. */
export function auxWanted(config: Config, slot: AuxSlot): { readonly wanted: Wanted; readonly timeoutMs: Ms } {
  const all = config.get(AUXILIARY_KEY);
  const own = isRecord(all) ? all[slot] : undefined;
  const entry = isRecord(own) ? own : {};
  const provider = textOf(entry, "provider");
  const baseUrl = textOf(entry, "base_url");
  const wanted: Wanted = {
    provider: provider === undefined || provider === "auto" ? (baseUrl === undefined ? undefined : "custom") : provider,
    model: textOf(entry, "model"),
    baseUrl,
    apiKey: textOf(entry, "api_key"),
  };
  return { wanted, timeoutMs: (numberOf(entry, "timeout") ?? AUX_SLOTS[slot]) * 1000 };
}
