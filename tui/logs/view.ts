import type { RowOf } from "../canvas.js";
import type { State } from "../state.js";
import { THEME } from "../theme.js";
import { fit } from "../width.js";

/** The owner's log, newest at the end. */
export function logRows(state: State, width: number): readonly RowOf[] {
  if (state.logs.rows.length === 0) return [[[THEME.dim, "No lines yet."]]];
  return state.logs.rows.map(({ text, level }): RowOf => {
    const style = level === "error" ? THEME.error : level === "warning" ? THEME.warn : level === "debug" ? THEME.dim : THEME.text;
    return [[style, fit(text, width)]];
  });
}
