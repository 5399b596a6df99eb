import { isRecord } from "../base/json/record.js";
import type { Ms } from "../base/units.js";
import type { Config } from "../contracts/config/config.js";
import type { AuxSlotName } from "../contracts/models/auxiliary.js";
import type { ModelChoice } from "../contracts/models/model.js";
import { catalogueWindow } from "./core/catalogue.js";
import { vendorOf } from "./core/endpoints.js";
import { cheapestModel } from "./core/prices.js";
import { numberOf, textOf } from "./core/records.js";
import { AUXILIARY_KEY } from "./keys.js";
import type { ModelSelection } from "./targets.js";
import { seesPictures } from "./vision.js";

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
} as const satisfies Record<AuxSlotName, number>;
/** Of kinds of side work that plugins bring. */
const OTHER_SECONDS = 60;

/** Whether the program itself has side work of this name. */
export const isAuxSlot = (name: string): name is AuxSlotName => Object.hasOwn(AUX_SLOTS, name);

export type AuxSlot = AuxSlotName;

/** A model for side work. Its requests carry no tools and belong to no session. */
export interface AuxChoice extends ModelChoice {
  /** Most time for one question, retries included. */
  readonly timeoutMs: Ms;
}

/** Which model a slot has. `none`: none is configured, or only the stand-in. `broken`: what is configured cannot be used. */
export type AuxFound =
  | { readonly kind: "found"; readonly choice: AuxChoice }
  | { readonly kind: "none" }
  | { readonly kind: "broken"; readonly reason: string };

/** Slots that decide for a person: `auto` is the main model there. */
const MAIN_MODEL: ReadonlySet<AuxSlot> = new Set<AuxSlot>(["approval"]);

/**
 * The model of a slot that is `auto`: the cheapest one in the catalogue that the vendor's own endpoint serves and that reads as much as the main
 * model, else the main model. For pictures it is the cheapest one that sees them, else the main model where that does.
 *
 * @returns undefined where no model serves the slot
 */
export async function cheaperFor(
  slot: AuxSlot,
  main: ModelChoice,
  choose: (wanted: ModelSelection) => Promise<ModelChoice>,
): Promise<ModelChoice | undefined> {
  const vendor = vendorOf(main.provider.baseUrl);
  const serves = (model: string) =>
    slot === "vision" ? seesPictures(model) : (catalogueWindow(model) ?? 0) >= main.window;
  const model = vendor === undefined || MAIN_MODEL.has(slot) ? undefined : cheapestModel(vendor, serves);
  if (model !== undefined && model !== main.model) return choose({ provider: main.provider.id, model, exact: true });
  return slot !== "vision" || seesPictures(main.model) ? main : undefined;
}

/** Whether the configuration leaves the model of a slot open. */
export const isAuto = ({ provider, model, baseUrl }: ModelSelection): boolean =>
  provider === undefined && model === undefined && baseUrl === undefined;

/** What the configuration wants for a slot. `provider: auto` is left open. */
export function auxWanted(config: Config, slot: AuxSlot): { readonly wanted: ModelSelection; readonly timeoutMs: Ms } {
  const all = config.get(AUXILIARY_KEY);
  const own = isRecord(all) ? all[slot] : undefined;
  const entry = isRecord(own) ? own : {};
  const provider = textOf(entry, "provider");
  const baseUrl = textOf(entry, "base_url");
  const wanted: ModelSelection = {
    provider: provider === undefined || provider === "auto" ? (baseUrl === undefined ? undefined : "custom") : provider,
    model: textOf(entry, "model"),
    baseUrl,
    // The main key belongs to the main address: a slot with an address of its own never sends it there.
    apiKey: textOf(entry, "api_key") ?? (baseUrl === undefined ? undefined : ""),
    extraBody: isRecord(entry["extra_body"]) ? entry["extra_body"] : undefined,
  };
  return {
    wanted,
    timeoutMs: (numberOf(entry, "timeout") ?? (isAuxSlot(slot) ? AUX_SLOTS[slot] : OTHER_SECONDS)) * 1000,
  };
}
