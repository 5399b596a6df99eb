import type { RowOf } from "../../draw/canvas.js";
import { sanitizeLine } from "../../draw/sanitize.js";
import { THEME } from "../../draw/theme.js";
import { clusters, fit } from "../../draw/width.js";
import type { BoardState } from "../state.js";

/** The line that is typed in, with its cursor. */
export function lineRow({ kind, editor }: NonNullable<BoardState["line"]>, width: number): RowOf {
  const before = sanitizeLine(editor.text.slice(0, editor.cursor));
  const [under = " ", ...after] = clusters(sanitizeLine(editor.text.slice(editor.cursor)));
  const label = kind === "search" ? "/" : "filter ";
  return [
    [THEME.accent, label],
    [THEME.text, fit(before, Math.max(1, width - label.length - 1))],
    [THEME.selection, under],
    [THEME.text, after.join("")],
  ];
}
