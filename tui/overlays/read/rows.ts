import { type RowOf, wrap } from "../../draw/canvas.js";
import { exactRows, wrapExact } from "../../draw/exact.js";
import { THEME } from "../../draw/theme.js";
import type { ReadOverlay } from "./state.js";

/** All of it, as it is broken at this width. */
export function readRows({ lines, exact }: ReadOverlay, width: number): readonly RowOf[] {
  return lines.flatMap(([look, text], at): readonly RowOf[] => {
    if (look === "code") return exactRows(text, width, lines[at + 1]?.[0] === "code");
    const broken = exact ? wrapExact(text, width) : wrap(text, width);
    return broken.map(
      (line): RowOf => [[look === "diff" ? diffStyle(text) : look === "heading" ? THEME.heading : THEME.text, line]],
    );
  });
}

/** Added and removed lines of a diff. */
export const diffStyle = (line: string): number =>
  /^(\+\+\+|---) /.test(line)
    ? THEME.dim
    : line.startsWith("+")
      ? THEME.diffAdd
      : line.startsWith("-")
        ? THEME.diffDel
        : THEME.dim;
