import { type Editor, EMPTY } from "../../composer/editor.js";

export type EntryKind =
  | "action"
  | "pane"
  | "command"
  | "session"
  | "task"
  | "run"
  | "file"
  | "model"
  | "theme"
  | "setting";

/** One thing that can be found. `key` names it for good, so that it is known again when it was used before. */
export interface Entry {
  readonly kind: EntryKind;
  readonly key: string;
  readonly name: string;
  readonly detail: string;
  /** The key of the table that does the same. */
  readonly shortcut: string;
  /** Found as well by these words, which are not shown marked. */
  readonly also: string;
  /** What it is about: an id, a path, a value. */
  readonly about: Readonly<Record<string, string>>;
}

/** An entry that was found, with the places of the letters in its name. */
export interface Hit {
  readonly entry: Entry;
  readonly marks: readonly number[];
}

/** Find anything by a few letters and do something with it. */
export interface PaletteOverlay {
  readonly kind: "palette";
  readonly input: Editor;
  readonly entries: readonly Entry[];
  /** Keys of what was used last, newest first. */
  readonly recent: readonly string[];
  /** What the input finds: at most twelve. */
  readonly hits: readonly Hit[];
  readonly at: number;
  /** Something is still on its way. */
  readonly loading: boolean;
  /** Actions of one entry are shown instead of what was found. */
  readonly actions: { readonly entry: Entry; readonly at: number } | undefined;
  /** A value is being typed for an action of an entry. */
  readonly asking:
    | { readonly entry: Entry; readonly verb: string; readonly prompt: string; readonly input: Editor }
    | undefined;
}

export const PALETTE: PaletteOverlay = {
  kind: "palette",
  input: EMPTY,
  entries: [],
  recent: [],
  hits: [],
  at: 0,
  loading: true,
  actions: undefined,
  asking: undefined,
};
