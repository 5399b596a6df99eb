import { COMPOSER_KEYS } from "../composer/keys.js";
import { PANE_DEFINITIONS } from "../index.gen.js";
import { LAYOUT_KEYS } from "../layout/layout-split.js";
import { OVERLAY_KEYS } from "../overlays/keys.js";
import { QUESTION_KEYS } from "../questions/keys.js";
import type { KeyInput } from "../terminal/decode.js";
import { VOICE_KEYS } from "../voice/keys.js";
import { OF_PANES } from "./contexts.js";
import { LINE_KEYS } from "./line.js";
import { PANES } from "./panes.gen.js";
import { SHARED_KEYS } from "./shared-keys.js";
import type { Binding, Context, State } from "./state.js";

/** Every key of the workspace as it comes. */
export const BINDINGS: readonly Binding[] = [
  ...SHARED_KEYS,
  ...LAYOUT_KEYS,
  ...VOICE_KEYS,
  ...COMPOSER_KEYS,
  ...PANES.flatMap((pane) => PANE_DEFINITIONS[pane].bindings),
  ...OVERLAY_KEYS,
  ...LINE_KEYS,
  ...QUESTION_KEYS,
];

/** Name of a key as the table spells it: `ctrl+c`, `shift+tab`, `G`. */
export function keyName(input: KeyInput): string {
  return `${input.ctrl ? "ctrl+" : ""}${input.alt ? "alt+" : ""}${input.shift ? "shift+" : ""}${input.name}`;
}

/** What a key means in the contexts that are active, the most particular first. */
export function bindingFor(state: State, key: string, contexts: readonly Context[]): Binding | undefined {
  for (const context of contexts) {
    const found = state.keymap.find((one) => one.context === context && one.keys.includes(key) && allowed(state, one));
    if (found) return found;
  }
  return undefined;
}

/** Over an overlay only what is meant for it acts; what an overlay's own context names always does. */
function allowed(state: State, binding: Binding): boolean {
  if (state.overlay !== undefined && binding.context === "everywhere" && binding.over !== true) return false;
  if (state.inline !== undefined && OF_PANES.test(binding.id)) return false;
  return binding.when === undefined || binding.when(state);
}
