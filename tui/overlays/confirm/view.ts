import { type RowOf, type Span, wrap } from "../../canvas.js";
import { THEME } from "../../theme.js";
import { fit, textCells } from "../../width.js";
import type { OverlayKind } from "../overlay.js";
import { typedIn } from "./keys.js";
import type { ConfirmChoice, ConfirmOverlay } from "./state.js";

const WIDEST = 72;
const BETWEEN = 2;

/** The object and the effect in full, below them the choices; the marked one is inverse. */
export const CONFIRM_KIND: OverlayKind<ConfirmOverlay> = {
  context: "confirm",
  draw: (_state, overlay, room) => {
    const width = Math.min(room.width, Math.max(widestOf(overlay) + 2, Math.min(room.width, 40)), WIDEST);
    const lines = overlay.lines.flatMap((line) => wrap(line, width - 2)).map((line): RowOf => [[THEME.text, ` ${line}`]]);
    const choices = choiceRows(overlay, width);
    const space = choices.length + 1 < room.height && lines.length > 0 ? 1 : 0;
    const height = Math.max(0, room.height - choices.length - space);
    const top = Math.min(overlay.top ?? 0, Math.max(0, lines.length - height));
    const shown = lines.slice(top, top + height);
    const more = lines.length - height - top;
    if (more > 0 && height > 1) shown[height - 1] = [[THEME.dim, fit(` … ${more + 1} more lines, PgDn reads on`, width)]];
    return { title: overlay.title, width, rows: [...shown, ...(space === 1 ? [[]] : []), ...choices], foot: "Enter takes · Esc cancels" };
  },
  typed: typedIn,
};

const widestOf = ({ lines, choices, title }: ConfirmOverlay): number =>
  Math.max(
    ...lines.map(textCells),
    textCells(title) + 2,
    choices.reduce((sum, one) => sum + choiceCells(one) + BETWEEN, 0),
  );

const choiceCells = ({ key, label }: ConfirmChoice): number => textCells(`[${key}] ${label}`) + 2;

/** Side by side when they fit, else one below the other. The first rows that do not fit are left out before the marked one is. */
function choiceRows({ choices, at }: ConfirmOverlay, width: number): readonly RowOf[] {
  const all = choices.reduce((sum, one) => sum + choiceCells(one) + BETWEEN, 0);
  const spans = choices.map((one, index) => choiceSpan(one, index === at, width));
  if (all <= width) return [spans.flatMap((span): Span[] => [span, [THEME.text, " ".repeat(BETWEEN)]])];
  return spans.map((span): RowOf => [span]);
}

const choiceSpan = ({ key, label }: ConfirmChoice, marked: boolean, width: number): Span => [
  marked ? THEME.selection : THEME.text,
  fit(` [${key}] ${label} `, width),
];
