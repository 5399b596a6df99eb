/** Side work of a model: one question without tools, one answer, no session. */
import type { Usage } from "./model.js";
import type { ImageData } from "./pictures.js";

/** Kinds of side work that have a model setting of their own, `auxiliary.<slot>`. */
export type AuxSlotName =
  | ("vision" | "web_extract" | "compression" | "title_generation" | "goal_judge" | "approval" | "skills_hub" | "mcp")
  | ("tts_audio_tags" | "triage_specifier" | "kanban_decomposer" | "profile_describer" | "curator" | "monitor");

export interface AuxQuestion {
  readonly slot: AuxSlotName;
  /** A model instead of that of the slot, as `/model` takes it. */
  readonly model?: string;
  readonly system: string;
  readonly user: string;
  /** For a model that sees. */
  readonly images?: readonly ImageData[];
  readonly temperature: number;
  readonly maxOutputTokens: number;
}

/**
 * `none`: no model is configured for it, or only the offline stand-in, which does no side work. `broken`: one is configured and cannot be used.
 * `failed`: it was asked and gave no whole answer; `class` is one of the model's error classes, `endless_answer`, or `aborted`.
 */
export type AuxAnswer =
  /** `used`: what the request used, where the provider told. */
  | {
      readonly ok: true;
      readonly text: string;
      readonly used?: { readonly model: string; readonly provider: string; readonly usage: Usage };
    }
  | { readonly ok: false; readonly why: "none" | "broken" }
  | { readonly ok: false; readonly why: "failed"; readonly class: string; readonly message: string };

/** Asks the model of a slot. Never throws; bounded in time by the slot's timeout, retries included, and in size. */
export interface AuxClient {
  /** Whether a question would reach a model. Contacts at most a local server. */
  state(slot: AuxSlotName): Promise<"usable" | "none" | "broken">;
  ask(question: AuxQuestion, signal?: AbortSignal): Promise<AuxAnswer>;
}
