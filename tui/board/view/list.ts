import type { RowOf, Span } from "../../draw/canvas.js";
import { GLYPH } from "../../draw/glyphs.js";
import { onto, THEME } from "../../draw/theme.js";
import { textCells, truncateToWidth } from "../../draw/width.js";
import type { State } from "../../model/state.js";
import { cardOnLine, lineOf, listTop } from "../cursor.js";
import type { TaskCard } from "../state.js";
import { ageOf, countsOf, isMarked, marksOf, padRow, staleness, statusStyle } from "./card.js";
import type { Size } from "./geometry.js";

const STATUS_CELLS = 10;
const AGE_CELLS = 5;
const WITH_ID = 60;
const WHO_CELLS = 14;

/** The board as one line per task, grouped by status. */
export function listRows(state: State, { width, height }: Size): readonly RowOf[] {
  const { board } = state;
  const top = listTop(board, height);
  const cursor = lineOf(board);
  const rows: RowOf[] = [];
  let group = "";
  for (let line = top; rows.length < height; line++) {
    const at = cardOnLine(board, line);
    const card = at && board.shown[at.column][at.row];
    if (card === undefined) break;
    rows.push(
      lineRow(state, card, { width, first: card.status !== group, cursor: state.focus === "board" && line === cursor }),
    );
    group = card.status;
  }
  return rows;
}

interface Place {
  readonly width: number;
  /** The first line of its status that is seen. */
  readonly first: boolean;
  readonly cursor: boolean;
}

function lineRow(state: State, card: TaskCard, { width, first, cursor }: Place): RowOf {
  const ground = cursor ? THEME.selection : THEME.text;
  const on = (style: number) => (cursor ? onto(style === THEME.dim ? THEME.selection : style, THEME.selection) : style);
  const mark: Span = isMarked(state.board, card) ? [on(THEME.accent), GLYPH.ok] : [ground, " "];
  const stale = [THEME.dim, THEME.warn, THEME.error][staleness(card, state.wall)] ?? THEME.dim;
  const signs = marksOf(state, card).map(([style, text]): Span => [on(style), `${text} `]);
  const wide = width >= WITH_ID;
  const left: Span[] = [
    mark,
    [on(statusStyle(card.status)), (first ? card.status : "").padEnd(STATUS_CELLS)],
    ...(wide ? ([[on(THEME.dim), `${card.id} `]] satisfies Span[]) : []),
    [on(THEME.accent), card.priority === 0 ? "" : `P${card.priority} `],
    ...signs,
  ];
  const right: Span[] = [
    ...(wide
      ? ([
          [on(THEME.dim), ` ${rightPad(card.assignee === null ? "" : `@${card.assignee}`, WHO_CELLS)}`],
        ] satisfies Span[])
      : []),
    [on(stale), ` ${ageOf(card, state.wall).padStart(AGE_CELLS - 1)}`],
  ];
  const room = Math.max(1, width - cells(left) - cells(right));
  const title = truncateToWidth(card.title, room);
  const rest = [...(wide ? countsOf(card) : []), ...(card.note === "" ? [] : [card.note])].join(" ");
  const spare = room - textCells(title) - 2;
  const said = rest !== "" && spare >= 4 ? truncateToWidth(rest, spare) : "";
  const middle: Span[] = [
    [ground, title],
    [on(THEME.dim), said === "" ? "" : `  ${said}`],
  ];
  return [...left, ...padRow(middle, room, ground), ...right];
}

const cells = (row: readonly Span[]): number => row.reduce((sum, [, text]) => sum + textCells(text), 0);

function rightPad(text: string, width: number): string {
  const fitted = truncateToWidth(text, width);
  return fitted + " ".repeat(Math.max(0, width - textCells(fitted)));
}
