import type { RowOf } from "../canvas.js";
import type { State } from "../state.js";
import { THEME } from "../theme.js";
import { fit, textCells } from "../width.js";

const MOST = 8; // workspace part, 8

/** The most useful keys of what is focused; a message for the user stands at the right. */
export function hintRow(state: State, width: number): RowOf {
  const left = ` ${hintsOf(state).join("  ")}`;
  if (!state.message) return [[THEME.dim, fit(left, width)]];
  const said = fit(state.message.text, Math.max(8, width - 4));
  const room = width - textCells(said) - 2;
  return [
    [THEME.dim, fit(left, Math.max(0, room)).padEnd(Math.max(0, room))],
    [state.message.error ? THEME.error : THEME.warn, ` ${said}`],
  ];
}

/** Of the focused context first, then those that are valid everywhere. */
function hintsOf(state: State): readonly string[] {
  const contexts = state.focus === "composer" ? ["composer", "everywhere"] : [state.focus, "list", "everywhere"];
  const rows = contexts.flatMap((context) => state.keymap.filter((one) => one.context === context));
  return rows.flatMap(({ hint, when }) => (hint !== undefined && when?.(state) !== false ? [hint] : [])).slice(0, MOST);
}
