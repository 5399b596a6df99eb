/** A model as the picker of a front end lists it (workspace part, 7.4). */
export interface ModelRow {
  /** As `/model` takes it: `provider:model`, or an alias. */
  readonly name: string;
  readonly provider: string;
  readonly model: string;
  readonly base_url: string;
  /** Tokens; null: the server is asked when it is used. */
  readonly window: number | null;
  /** Short words: `alias`, `fallback 1`, `stand-in`, `this machine`. */
  readonly notes: readonly string[];
  /** Why its provider lists nothing; the row then stands for the provider. */
  readonly problem: string;
  /** It is in use in the conversation that was asked about. */
  readonly current: boolean;
}
