import type { ModelRow } from "../../../lib/contracts/models/model-rows.js";
import { type Editor, EMPTY } from "../../composer/editor.js";
import { LOADING, type Loaded } from "../../model/loaded.js";

/** What is being typed for a provider: its address, or its key, which is never shown. */
export interface ModelsEntry {
  readonly kind: "key" | "address";
  readonly provider: string;
  /** As people know the provider. */
  readonly label: string;
  /** The address that was entered before the key. */
  readonly baseUrl?: string;
  /** The settings do not have the provider yet. */
  readonly isNew: boolean;
  readonly input: Editor;
}

/** Choose a model: typing filters, actions are Alt and a letter. */
export interface ModelsOverlay {
  readonly kind: "models";
  readonly rows: Loaded<ModelRow>;
  readonly filter: Editor;
  readonly at: number;
  readonly entry: ModelsEntry | undefined;
  /** What the last test or key has come to. */
  /** `stays`: the list that comes next does not take it away. */
  readonly note: { readonly text: string; readonly error: boolean; readonly stays?: boolean } | undefined;
}

export const MODELS: ModelsOverlay = {
  kind: "models",
  rows: LOADING,
  filter: EMPTY,
  at: 0,
  entry: undefined,
  note: undefined,
};
