import { putRow, type Rect, type RowOf } from "../../draw/canvas.js";
import type { Cell } from "../../draw/draw.js";
import { sanitizeLine } from "../../draw/sanitize.js";
import { onto, THEME } from "../../draw/theme.js";
import { textCells, truncateToWidth } from "../../draw/width.js";
import type { State } from "../../model/state.js";
import { windowFrom } from "../../overlays/window.js";
import { isOpen } from "./ask.js";

const MOST = 10; // workspace part, 4.2
const WIDEST = 90;
const LABEL_SHARE = 0.5;

/** Where the list is, and the first candidate that it shows; undefined: it is closed. `above`: the line that it stands on. */
export function completionBox(state: State, above: Rect): { readonly box: Rect; readonly from: number } | undefined {
  if (!isOpen(state) || state.focus !== "composer") return undefined;
  const { rows, at } = state.composer.completion;
  const height = Math.min(MOST, rows.length, Math.max(0, above.y - 1));
  const width = Math.min(WIDEST, above.width);
  return {
    box: { x: above.x, y: above.y - height, width, height },
    from: windowFrom(rows.length, height, Math.max(0, at)),
  };
}

/** What is offered, above the line that says what Enter does. It covers what is there, never the text. */
export function drawCompletion(lines: Cell[][], state: State, above: Rect): void {
  const place = completionBox(state, above);
  if (place === undefined) return;
  const { rows, at } = state.composer.completion;
  const { from } = place;
  const { x, y, width, height } = place.box;
  const shown = rows.slice(from, from + height);
  const column = Math.min(
    Math.floor(width * LABEL_SHARE),
    Math.max(...shown.map(({ label }) => textCells(sanitizeLine(label)))),
  );
  shown.forEach(({ label, detail }, index) => {
    const name = truncateToWidth(sanitizeLine(label), column);
    const chosen = from + index === at;
    const ground = chosen ? THEME.selection : THEME.text;
    const row: RowOf = [
      [ground, `${chosen ? "›" : " "} ${name}${" ".repeat(Math.max(0, column - textCells(name)))}  `],
      [
        chosen ? onto(THEME.text, THEME.selection) : THEME.dim,
        truncateToWidth(sanitizeLine(detail), Math.max(0, width - column - 5)),
      ],
    ];
    putRow(lines, { x, y: y + index, width }, row, ground);
  });
}
