import { keyLabel } from "../../../lib/proto/screen-keys.js";
import { activeContexts } from "../../contexts.js";
import type { Binding, Context, State } from "../../state.js";
import type { HelpOverlay } from "./state.js";

/** Without the help: what it stood above is there again. */
export const uncovered = (state: State): State => ({ ...state, overlay: state.below, below: undefined });

/** Contexts of what the help is about, the most particular first. */
export const helpedContexts = (state: State): readonly Context[] =>
  state.below === undefined ? activeContexts(state) : [state.below.kind, "dialog", "everywhere"];

/** Keys of the focused context, then those that are valid everywhere, then the others; with a filter those that have all its words. */
export function helpRows(state: State, { filter }: Pick<HelpOverlay, "filter">): readonly Binding[] {
  const active = helpedContexts(state);
  const others = [...new Set(state.keymap.map((one) => one.context))].filter((one) => !active.includes(one));
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  return [...active, ...others].flatMap((context) =>
    state.keymap.filter((one) => one.context === context && shown(one) && has(one, words)),
  );
}

const shown = (binding: Binding): boolean => binding.keys.length > 0;

const has = ({ id, label, context, keys }: Binding, words: readonly string[]): boolean => {
  const text = `${id} ${label} ${context} ${keys.map(keyLabel).join(" ")}`.toLowerCase();
  return words.every((word) => text.includes(word));
};
