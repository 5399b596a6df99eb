import type { FallbackEntry } from "./model-line.js";

/** A model as people name it. */
export interface ModelName {
  readonly provider: string;
  readonly model: string;
  readonly base_url?: string;
}

/** The fallback chain as commands show it. Keys are never part of it. */
export interface FallbackChain {
  readonly primary: ModelName;
  readonly entries: readonly (ModelName & {
    readonly key_env?: string /** It has one, or needs none. */;
    readonly has_key: boolean;
    readonly known: boolean;
  })[];
}

/** A provider with the models that it offers. */
export interface OfferedModels {
  readonly provider: string;
  readonly base_url: string;
  readonly models: readonly string[];
  /** Why it lists none. */
  readonly problem?: string;
}

/** The models of this home as commands see and change them. */
export interface ModelsApi {
  chain(): Promise<FallbackChain>;
  /** @throws E_CONFLICT the chain has it already, or it is the primary; E_INVALID no provider, model or address */
  addFallback(entry: FallbackEntry): Promise<FallbackChain>;
  /** Places count from 1. @throws E_NOT_FOUND for an unknown place */
  removeFallback(place: number): Promise<FallbackChain>;
  /** @throws E_NOT_FOUND for an unknown place */
  moveFallback(from: number, to: number): Promise<FallbackChain>;
  clearFallback(): Promise<void>;
  /** What the configured providers offer. Asks each of them, and remembers the answers for a while; `refresh` asks again. */
  offered(refresh: boolean): Promise<readonly OfferedModels[]>;
  /**
   * The provider and model that a name means: `provider:model`, `provider/model`, an alias, a model id, or a unique beginning of one. With a
   * provider it may be one that the provider does not list. Where several providers offer it, `own`, the provider in use, wins.
   *
   * @throws E_NOT_FOUND, E_AMBIGUOUS (`data.candidates`), E_USAGE, E_CONFIG
   */
  resolve(wanted: { readonly model: string; readonly provider?: string; readonly own?: string }): Promise<ModelName>;
  /** Whether a model can serve: its window in tokens, and what its provider can be asked for. @throws E_USAGE, E_CONFIG */
  check(name: ModelName): Promise<{ readonly window: number; readonly fast: boolean }>;
  /** Make it the model of new sessions. @throws E_CONFIG the settings file is broken; its bytes are unchanged */
  setDefault(name: ModelName): Promise<void>;
}
