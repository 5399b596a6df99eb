import type { RowOf } from "../../draw/canvas.js";
import { GLYPH } from "../../draw/glyphs.js";
import { THEME } from "../../draw/theme.js";
import { wrapSpans } from "../../markdown/wrap.js";
import type { Todo } from "../state.js";
import { rightRow } from "./look.js";

const SIGNS = {
  pending: [GLYPH.todo, THEME.dim, THEME.text],
  in_progress: [GLYPH.doing, THEME.accent, THEME.bold],
  completed: [GLYPH.done, THEME.ok, THEME.dim],
  cancelled: [GLYPH.cancelled, THEME.dim, THEME.dim],
} as const;

/** The list of steps; folded it is one row with the step that is worked on. */
export function todoRows(todo: readonly Todo[], open: boolean, width: number): readonly RowOf[] {
  const done = todo.filter(({ status }) => status === "completed" || status === "cancelled").length;
  const now = todo.find(({ status }) => status === "in_progress") ?? todo.find(({ status }) => status === "pending");
  const head = `todo ${done}/${todo.length}`;
  if (!open)
    return [
      rightRow(
        [
          [THEME.dim, `${head}: `],
          [THEME.text, now?.text ?? "all done"],
        ],
        "Alt+T",
        width,
      ),
    ];
  const rows = todo.flatMap(({ text, status }) => {
    const [sign, style, words] = SIGNS[status];
    return wrapSpans([[words, text]], Math.max(1, width - 2)).map(
      (row, place): RowOf => [[style, place === 0 ? `${sign} ` : "  "], ...row],
    );
  });
  return [rightRow([[THEME.dim, head]], "Alt+T", width), ...rows];
}
