import { type RowOf, wrap } from "../../canvas.js";
import { exactRows, wrapExact } from "../../exact.js";
import { THEME } from "../../theme.js";
import type { OverlayKind } from "../overlay.js";
import type { ReadOverlay } from "./state.js";

export const READ_KIND: OverlayKind<ReadOverlay> = {
  context: "read",
  draw: (_state, overlay, { width, height }) => {
    const rows = rowsOf(overlay, width);
    const top = Math.min(overlay.top, Math.max(0, rows.length - height));
    const scroll = { top, shown: height, total: rows.length };
    return { title: overlay.title, rows: rows.slice(top, top + height), width, scroll, foot: "↑↓ scroll · Esc closes" };
  },
};

function rowsOf({ lines, exact }: ReadOverlay, width: number): readonly RowOf[] {
  return lines.flatMap(([look, text], at): readonly RowOf[] => {
    if (look === "code") return exactRows(text, width, lines[at + 1]?.[0] === "code");
    const broken = exact ? wrapExact(text, width) : wrap(text, width);
    return broken.map((line): RowOf => [[look === "diff" ? diffStyle(text) : look === "heading" ? THEME.heading : THEME.text, line]]);
  });
}

/** Added and removed lines of a diff. */
export const diffStyle = (line: string): number =>
  line.startsWith("+") ? THEME.diffAdd : line.startsWith("-") ? THEME.diffDel : THEME.dim;
