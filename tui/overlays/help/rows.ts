import { keyLabel } from "../../../lib/contracts/ui/screen-keys.js";
import { activeContexts } from "../../model/contexts.js";
import { PANES } from "../../model/panes.gen.js";
import type { Binding, Context, State } from "../../model/state.js";
import type { HelpOverlay } from "./state.js";

/** Without the help: what it stood above is there again. What it told of keys.yaml has been read. */
export const closeHelp = (state: State): State => ({
  ...state,
  overlay: state.below,
  below: undefined,
  keyProblems: [],
});

/** Contexts of what the help is about, the most particular first. */
export const helpedContexts = (state: State): readonly Context[] =>
  state.below === undefined ? activeContexts(state) : [state.below.kind, "dialog", "everywhere"];

/** What a newcomer needs first, in that order. */
const FIRST = [
  "send",
  "newline",
  "interrupt",
  "palette",
  "sessions",
  ...PANES.map((pane) => `pane.${pane}`),
  "help",
  "quit",
];

/** Rows that the help shows before all others: while a message is typed, the few keys that are enough to work. */
export function firstRows(state: State, { filter }: Pick<HelpOverlay, "filter">): readonly Binding[] {
  if (filter !== "" || state.below !== undefined || state.focus !== "composer") return [];
  const active = helpedContexts(state);
  return FIRST.flatMap(
    (id) => state.keymap.find((one) => one.id === id && active.includes(one.context) && one.keys.length > 0) ?? [],
  );
}

/**
 * First what a newcomer needs; keys of the focused context, then those that are valid everywhere, then the others; with a filter those that have all
 * its words.
 */
export function helpRows(state: State, overlay: Pick<HelpOverlay, "filter">): readonly Binding[] {
  const active = helpedContexts(state);
  const others = [...new Set(state.keymap.map((one) => one.context))].filter((one) => !active.includes(one));
  const words = overlay.filter.toLowerCase().split(/\s+/).filter(Boolean);
  const first = firstRows(state, overlay);
  const rest = [...active, ...others].flatMap((context) =>
    state.keymap.filter((one) => one.context === context && isShown(state, one) && has(one, words)),
  );
  return [...first, ...rest.filter((one) => !first.includes(one))];
}

/** Actions without a key are in the palette; one whose key was taken away says so. */
const isShown = ({ changedKeys }: State, { id, keys }: Binding): boolean => keys.length > 0 || changedKeys.has(id);

const has = ({ id, label, context, keys }: Binding, words: readonly string[]): boolean => {
  const text = `${id} ${label} ${context} ${keys.map(keyLabel).join(" ")}`.toLowerCase();
  return words.every((word) => text.includes(word));
};
