/** A model as the picker of a front end lists it (workspace part, 7.4). */
export interface ModelRow {
  /** As `/model` takes it: `provider:model`, or an alias. */
  readonly name: string;
  readonly provider: string;
  readonly model: string;
  readonly base_url: string;
  /** Tokens; null: the server is asked when it is used. */
  readonly window: number | null;
  /** Short words: `alias`, `fallback 1`, `offline assistant`, `this machine`. */
  readonly notes: readonly string[];
  /** Why its provider lists nothing; the row then stands for the provider. */
  readonly problem: string;
  /** It is in use in the conversation that was asked about. */
  readonly current: boolean;
  /** The row stands for a provider that the settings do not have yet: its name. */
  readonly label?: string;
  /** What has to be entered before it can be used; `nothing`: its key is in the environment. */
  readonly needs?: "key" | "address" | "nothing";
}

/** A provider that was set up in the model picker. */
export interface ProviderSetUp {
  readonly provider: string;
  /** How many models it lists. */
  readonly models: number;
  /** The model that new sessions use now; empty: the same as before. */
  readonly default: string;
}
