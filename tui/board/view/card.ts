import type { RowOf, Span } from "../../draw/canvas.js";
import { GLYPH, spinner } from "../../draw/glyphs.js";
import { bold, onto, THEME } from "../../draw/theme.js";
import { textCells, truncateToWidth } from "../../draw/width.js";
import type { State } from "../../model/state.js";
import type { BoardState, TaskCard } from "../state.js";
import { titleLines } from "./geometry.js";

const MINUTE = 60;
const HOUR = 3_600;
const DAY = 24 * HOUR;
/** Seconds after which a card is stale, and after which it is very stale (workspace part, 6.1). */
const STALE: Readonly<Record<string, readonly [number, number]>> = {
  ready: [HOUR, DAY],
  running: [600, HOUR],
  blocked: [HOUR, DAY],
  todo: [7 * DAY, 30 * DAY],
};

/** 0: as it should be; 1: stale; 2: very. A running task counts from the newest sign of life of its worker. */
export function staleness({ status, since, beat }: TaskCard, wall: number): 0 | 1 | 2 {
  const [some, much] = STALE[status] ?? [];
  if (some === undefined || much === undefined) return 0;
  const waited = wall / 1000 - (status === "running" ? (beat ?? since) : since);
  return waited >= much ? 2 : waited >= some ? 1 : 0;
}

const STALE_STYLES = [THEME.dim, THEME.warn, THEME.error] as const;

export function statusStyle(status: string): number {
  if (status === "running") return THEME.accent;
  if (status === "done") return THEME.ok;
  return status === "blocked" ? THEME.error : status === "ready" ? THEME.bold : THEME.dim;
}

/** What a card says in few signs, the most important first. */
export function marksOf(state: State, card: TaskCard): readonly Span[] {
  const { board } = state;
  const severity = board.severities.get(card.id);
  const marks: Span[] = [];
  if (board.working.has(card.id)) marks.push([THEME.accent, spinner(state)]);
  else if (board.moving.has(card.id)) marks.push([THEME.dim, GLYPH.more]);
  else if (card.status === "running") marks.push([THEME.accent, spinner(state)]);
  if (severity !== undefined)
    marks.push([
      severity === "critical" ? bold(THEME.error) : severity === "error" ? THEME.error : THEME.warn,
      GLYPH.warn,
    ]);
  return marks;
}

/** How far its parts are, how many comments it has, whose it is: what is secondary. */
export function countsOf(card: TaskCard): readonly string[] {
  return [
    ...(card.children === null ? [] : [`${card.children.done}/${card.children.total}`]),
    ...(card.comments === 0 ? [] : [`${GLYPH.comments}${card.comments}`]),
    ...(card.tenant === null ? [] : [`#${card.tenant}`]),
  ];
}

/** Since when it is where it is, in one unit; of what is over when it ended. Seconds are counted only of what runs, else nothing stands still. */
export function ageOf(card: TaskCard, wall: number): string {
  const seconds = Math.max(0, Math.floor(wall / 1000 - (card.endedAt > 0 ? card.endedAt : card.since)));
  if (seconds < MINUTE) return card.status === "running" ? `${seconds}s` : "now";
  if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)}m`;
  return seconds < 2 * DAY ? `${Math.floor(seconds / HOUR)}h` : `${Math.floor(seconds / DAY)}d`;
}

export const isMarked = ({ marked }: BoardState, card: TaskCard): boolean => marked.has(card.id);

/** A card in a column: id and signs, the title in at most two lines, assignee and age. `width` counts the bar at its left. */
export function cardView(state: State, card: TaskCard, width: number, cursor: boolean): readonly RowOf[] {
  const inner = Math.max(1, width - 2); // the bar, and a blank to the next column
  const ground = cursor ? THEME.selection : THEME.text;
  const stale = STALE_STYLES[staleness(card, state.wall)];
  const bar: Span = isMarked(state.board, card)
    ? [THEME.accent, GLYPH.ok]
    : cursor
      ? [THEME.accent, "▌"]
      : [stale, "▏"];
  const line = (row: readonly Span[]): RowOf => [bar, ...padRow(row, inner, ground), [THEME.text, " "]];
  return [
    line(headOf(state, card, inner, ground)),
    ...titleRows(card, inner, ground).map(line),
    line(footOf(card, state.wall, inner, ground)),
  ];
}

/** Coloured signs keep their colour within the row that is chosen. */
const on = (style: number, ground: number): number =>
  ground === THEME.selection ? onto(style === THEME.dim ? THEME.selection : style, THEME.selection) : style;

function headOf(state: State, card: TaskCard, width: number, ground: number): readonly Span[] {
  const marks = marksOf(state, card);
  const signs = marks.reduce((sum, [, text]) => sum + textCells(text) + 1, 0);
  const priority = card.priority === 0 ? "" : ` P${card.priority}`;
  const id = truncateToWidth(card.id, Math.max(1, width - signs - textCells(priority)));
  const gap = Math.max(0, width - textCells(id) - textCells(priority) - signs);
  return [
    [on(THEME.dim, ground), id],
    [on(THEME.accent, ground), priority],
    [ground, " ".repeat(gap)],
    ...marks.flatMap(([style, text]): Span[] => [
      [ground, " "],
      [on(style, ground), text],
    ]),
  ];
}

const titleRows = (card: TaskCard, width: number, ground: number): readonly (readonly Span[])[] => {
  const lines = titleLines(card, width);
  return (lines.length === 0 ? [""] : lines).map((line): readonly Span[] => [[ground, truncateToWidth(line, width)]]);
};

/** Who has it, and how long it is here; between them as much as fits. */
function footOf(card: TaskCard, wall: number, width: number, ground: number): readonly Span[] {
  const time = ageOf(card, wall);
  const stale = STALE_STYLES[staleness(card, wall)];
  let left =
    card.assignee === null ? "" : truncateToWidth(`@${card.assignee}`, Math.max(1, width - textCells(time) - 1));
  for (const count of countsOf(card)) {
    const longer = left === "" ? count : `${left} ${count}`;
    if (textCells(longer) + textCells(time) + 1 <= width) left = longer;
  }
  const gap = Math.max(1, width - textCells(left) - textCells(time));
  return [
    [on(THEME.dim, ground), left],
    [ground, " ".repeat(gap)],
    [on(stale, ground), truncateToWidth(time, Math.max(1, width - 1))],
  ];
}

/** A row filled up to a width. */
export function padRow(row: readonly Span[], width: number, fill: number): readonly Span[] {
  const used = row.reduce((sum, [, text]) => sum + textCells(text), 0);
  return used >= width ? row : [...row, [fill, " ".repeat(width - used)]];
}
