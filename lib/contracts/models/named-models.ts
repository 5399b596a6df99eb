/** Models that a setting names, asked beside the model of the conversation (core part, 27.4). */
import type { Ms } from "../../base/units.js";
import type { AuxAnswer, AuxQuestion } from "./auxiliary.js";
import type { ModelPrice } from "./model.js";

export type NamedModel =
  | { readonly ok: true; readonly provider: string; readonly model: string; readonly price?: ModelPrice }
  | { readonly ok: false; readonly why: string };

/** A question to one of them: no tools, no session. */
export interface NamedQuestion extends Pick<AuxQuestion, "system" | "user" | "temperature" | "maxOutputTokens"> {
  /** As settings name models: `MODEL`, `PROVIDER/MODEL` or an alias; empty: the main model. */
  readonly model: string;
  /** Most time, retries included. */
  readonly timeoutMs: Ms;
}

export interface NamedModels {
  /** What a name means. Contacts at most a local server. Never throws. */
  find(name: string): Promise<NamedModel>;
  /** Never throws. */
  ask(question: NamedQuestion, signal: AbortSignal): Promise<AuxAnswer>;
}
