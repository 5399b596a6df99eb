import type { ModelRow } from "../../../lib/proto/model-rows.js";
import { type Editor, EMPTY } from "../../composer/editor.js";
import { LOADING, type Loaded } from "../../loaded.js";

/** Choose a model: typing filters, actions are Alt and a letter. */
export interface ModelsOverlay {
  readonly kind: "models";
  readonly rows: Loaded<ModelRow>;
  readonly filter: Editor;
  readonly at: number;
  /** A key is being typed for a provider; it is never shown. */
  readonly secret: { readonly provider: string; readonly input: Editor } | undefined;
  /** What the last test or key has come to. */
  readonly note: { readonly text: string; readonly error: boolean } | undefined;
}

export const MODELS: ModelsOverlay = { kind: "models", rows: LOADING, filter: EMPTY, at: 0, secret: undefined, note: undefined };
