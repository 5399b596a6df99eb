import type { ModelChoice, ModelFailure } from "./model.js";

/** Who serves the requests of one turn, beginning with the model that was chosen for it (core part, 4.5). */
export interface ModelLine {
  /** Another provider can still be asked. */
  readonly left: boolean;
  /** The primary is left alone for a while, because it told a limit lately. */
  readonly held: boolean;
  /** Note how the model that serves now failed: a limit keeps the next turns away from it. */
  failed(choice: ModelChoice, failure: Pick<ModelFailure, "resetMs"> & { readonly class: string }): void;
  /** The next provider, each one once in a turn; one that cannot be used is passed over. Undefined: none is left. Never throws. */
  next(current: ModelChoice): Promise<ModelChoice | undefined>;
  /** Entries that could not be used at all, with the reason. */
  readonly unusable: readonly string[];
  /** The choice with the window that its provider told; remembered for the endpoint unless it holds for this request only. */
  adopt(choice: ModelChoice, window: number, remember: boolean): ModelChoice;
}

/** One entry of the fallback chain as the settings have it. */
export interface FallbackEntry {
  readonly provider: string;
  readonly model: string;
  readonly base_url?: string;
  readonly api_key?: string;
  readonly key_env?: string;
}
