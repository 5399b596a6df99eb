import type { RowOf } from "../../canvas.js";
import type { Binding, Context, State } from "../../state.js";
import { THEME } from "../../theme.js";
import type { OverlayKind } from "../overlay.js";
import type { HelpOverlay } from "./state.js";

const KEY_CELLS = 36;

/** Every key, by context, from the key table. */
export const HELP_KIND: OverlayKind<HelpOverlay> = {
  context: "help",
  draw: (state, { top }, { width, height }) => {
    const rows = helpRows(state);
    const from = Math.min(top, Math.max(0, rows.length - height));
    return { title: "Keys · ↑↓ scroll · Esc closes", rows: rows.slice(from, from + height), width };
  },
};

function helpRows({ keymap }: State): readonly RowOf[] {
  const contexts = [...new Set(keymap.map((one) => one.context))];
  return contexts.flatMap((context) => [
    [[THEME.heading, NAMES[context] ?? context]] satisfies RowOf,
    ...keymap.filter((one) => one.context === context && one.keys.length > 0).map(bindingRow),
    [],
  ]);
}

const NAMES: Readonly<Partial<Record<Context, string>>> = { list: "in a pane" };

const bindingRow = (binding: Binding): RowOf => [
  [THEME.accent, `  ${binding.keys.join(", ").padEnd(KEY_CELLS)}`],
  [THEME.text, binding.label],
];
