import { type RowOf, type Span, wrap } from "../../draw/canvas.js";
import { THEME } from "../../draw/theme.js";
import { textCells, truncateToWidth } from "../../draw/width.js";
import type { Room } from "../overlay.js";
import type { ConfirmChoice, ConfirmOverlay } from "./state.js";

const WIDEST = 72;
const BETWEEN = 2;

/** A dialog divided: what is said, and below it the choices. */
interface Parts {
  readonly width: number;
  readonly lines: readonly RowOf[];
  /** Rows of what is said that are seen at once. */
  readonly height: number;
  /** Empty rows between the two. */
  readonly space: number;
  readonly choices: readonly RowOf[];
  /** Where each choice stands, counted from the first row of them. */
  readonly at: readonly ChoicePlace[];
}

interface ChoicePlace {
  readonly y: number;
  readonly from: number;
  readonly to: number;
}

export function toMessageParts(overlay: ConfirmOverlay, room: Room): Parts {
  const width = Math.min(room.width, Math.max(widestOf(overlay) + 2, Math.min(room.width, 40)), WIDEST);
  const lines = overlay.lines.flatMap((line) => wrap(line, width - 2)).map((line): RowOf => [[THEME.text, ` ${line}`]]);
  const { rows: choices, at } = choiceRows(overlay, width);
  const space = choices.length + 1 < room.height && lines.length > 0 ? 1 : 0;
  return { width, lines, height: Math.max(0, room.height - choices.length - space), space, choices, at };
}

/** The furthest that what is said can be scrolled. */
export function lastTop(overlay: ConfirmOverlay, room: Room): number {
  const { lines, height } = toMessageParts(overlay, room);
  return Math.max(0, lines.length - height);
}

const widestOf = ({ lines, choices, title }: ConfirmOverlay): number =>
  Math.max(
    ...lines.map(textCells),
    textCells(title) + 2,
    choices.reduce((sum, one) => sum + choiceCells(one) + BETWEEN, 0),
  );

const choiceCells = ({ key, label }: ConfirmChoice): number => textCells(`[${key}] ${label}`) + 2;

/** Side by side when they fit, else one below the other. */
function choiceRows(
  { choices, at }: ConfirmOverlay,
  width: number,
): { rows: readonly RowOf[]; at: readonly ChoicePlace[] } {
  const all = choices.reduce((sum, one) => sum + choiceCells(one) + BETWEEN, 0);
  const spans = choices.map((one, index) => choiceSpan(one, index === at, width));
  if (all > width)
    return {
      rows: spans.map((span): RowOf => [span]),
      at: spans.map(([, text], y) => ({ y, from: 0, to: textCells(text) })),
    };
  let from = 0;
  const places = spans.map(([, text]) => {
    const place = { y: 0, from, to: from + textCells(text) };
    from = place.to + BETWEEN;
    return place;
  });
  return { rows: [spans.flatMap((span): Span[] => [span, [THEME.text, " ".repeat(BETWEEN)]])], at: places };
}

const choiceSpan = ({ key, label }: ConfirmChoice, marked: boolean, width: number): Span => [
  marked ? THEME.selection : THEME.text,
  truncateToWidth(` [${key}] ${label} `, width),
];
