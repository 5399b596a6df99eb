import { composerHeight } from "../composer/box.js";
import { queueRows } from "../composer/queue/view.js";
import type { Rect } from "../draw/canvas.js";
import { textRect } from "../draw/margin.js";
import { PANE_TRAITS, PANES, type Pane } from "../model/panes.gen.js";
import type { State } from "../model/state.js";
import { questionRows } from "../questions/view.js";
import { chatColumns, isFramed, isWide, LEAST_ROWS } from "./layout-columns.js";
import { MAIN_PANE, SIDE_PANES, sharesOf } from "./layout-split.js";

export interface PaneBox {
  readonly pane: Pane;
  /** The whole box, border included. */
  readonly box: Rect;
  readonly border: boolean;
  /** The box without its border. */
  readonly room: Rect;
  /** What the view may fill: the room, or less of it where there is a margin. */
  readonly inside: Rect;
}

export interface Layout {
  readonly panes: readonly PaneBox[];
  /** Row of the tab bar; undefined where all panes are shown. */
  readonly tabs: number | undefined;
  /** The panel of an open question, above the queue. */
  readonly question: Rect;
  readonly queue: Rect;
  readonly composer: Rect;
  readonly hints: number | undefined;
  readonly status: number | undefined;
  /** Too small for anything: one line says so. */
  readonly tooSmall: boolean;
}

const SMALLEST = { columns: 40, rows: 12 };
const NOWHERE: Rect = { x: 0, y: 0, width: 0, height: 0 };

/** Panes of which something is seen now. */
export function visiblePanes(state: State): readonly Pane[] {
  const wide = isWide(state);
  if (wide && !state.zoom) return PANES;
  return [wide && state.focus !== "composer" ? state.focus : state.pane];
}

/** Where everything is at this size. Pure. */
export function layoutOf(state: State): Layout {
  const { columns, rows } = state;
  if (columns < SMALLEST.columns || rows < SMALLEST.rows)
    return {
      panes: [],
      tabs: undefined,
      question: NOWHERE,
      queue: NOWHERE,
      composer: NOWHERE,
      hints: undefined,
      status: undefined,
      tooSmall: true,
    };
  const wide = isWide(state);
  const framed = isFramed(state);
  const chatWidth = framed ? chatColumns(state) : columns;
  const status = state.status.off ? undefined : rows - 1;
  const hints = rows >= HINTED && status !== undefined ? rows - 2 : undefined;
  const bottom = hints ?? status ?? rows;
  const column = framed ? { x: 1, width: chatWidth - 2 } : { x: 0, width: chatWidth };
  const below = belowChat(state, column, framed ? bottom - 1 : bottom);
  const common = { ...below, hints, status, tooSmall: false };
  if (!framed) return { ...common, ...oneAtATime(state, wide, below.question.y) };
  return {
    ...common,
    tabs: undefined,
    panes: allPanes(state, { chatWidth, chatEnd: below.question.y, bottom }),
  };
}

const HINTED = 14;
const LEAST_PANE = 5; // workspace part, 2.1
const LEAST_PANEL = 7; // head, one row of what is asked, one that says what is left out, answers
const OTHER_ROWS = 4; // tabs, the composer's upper line, hints, status

/** Question, queue and composer, from the bottom upwards. On a small screen the composer has one row, and the pane keeps its least. */
function belowChat(
  state: State,
  column: Pick<Rect, "x" | "width">,
  bottom: number,
): Pick<Layout, "question" | "queue" | "composer"> {
  const { rows } = state;
  const height = composerHeight(state);
  const queued = queueRows(state, rows - OTHER_ROWS - height - LEAST_PANE);
  const composer = { ...column, y: bottom - height, height };
  const queue = { ...column, y: composer.y - 1 - queued, height: queued };
  const asked = questionRows(state, column.width, Math.max(LEAST_PANEL, Math.floor(rows / 2))).length;
  return { composer, queue, question: { ...column, y: queue.y - asked, height: asked } };
}

function oneAtATime(state: State, wide: boolean, until: number): Pick<Layout, "tabs" | "panes"> {
  const top = wide ? 0 : 1;
  const box = { x: 0, y: top, width: state.columns, height: Math.max(1, until - top) };
  const [pane = state.pane] = visiblePanes(state);
  return {
    tabs: wide ? undefined : 0,
    panes: [{ pane, box, border: false, room: box, inside: insideOf(pane, box, state.zoom) }],
  };
}

/** A zoomed pane has no margin, so that the terminal's own selection gives clean text. */
const insideOf = (pane: Pane, room: Rect, zoom: boolean): Rect =>
  PANE_TRAITS[pane].margin === true ? textRect(room, zoom) : room;

interface Room {
  readonly chatWidth: number;
  readonly chatEnd: number;
  readonly bottom: number;
}

/** Chat left; the others at the right share the height. */
function allPanes(state: State, { chatWidth, chatEnd, bottom }: Room): readonly PaneBox[] {
  // One frame is around the chat and what is below it.
  const chatRoom = { x: 1, y: 1, width: chatWidth - 2, height: Math.max(1, chatEnd - 1) };
  const heights = sideHeights(state, bottom);
  let y = 0;
  return PANES.map((pane) => {
    if (pane === MAIN_PANE) return framedBox(pane, { x: 0, y: 0, width: chatWidth, height: bottom }, chatRoom);
    const box = { x: chatWidth, y, width: state.columns - chatWidth, height: heights.get(pane) ?? 0 };
    y += box.height;
    return framedBox(pane, box, insideBorder(box));
  });
}

const framedBox = (pane: Pane, box: Rect, room: Rect): PaneBox => ({
  pane,
  box,
  border: true,
  room,
  inside: insideOf(pane, room, false),
});

/** First the panes that have a share, each as long as the others keep their least; the rest is divided evenly. */
function sideHeights(state: State, bottom: number): ReadonlyMap<Pane, number> {
  const shares = sharesOf(state);
  const heights = new Map<Pane, number>();
  let left = bottom;
  const waiting = SIDE_PANES.toSorted((a, b) => Number(shares.has(b)) - Number(shares.has(a)));
  for (const [at, pane] of waiting.entries()) {
    const behind = waiting.length - at - 1;
    const share = shares.get(pane);
    const wanted = share === undefined ? left / (behind + 1) : (bottom * share) / 100;
    const height = behind === 0 ? left : Math.min(Math.max(LEAST_ROWS, Math.floor(wanted)), left - LEAST_ROWS * behind);
    heights.set(pane, height);
    left -= height;
  }
  return heights;
}

const insideBorder = (box: Rect): Rect => ({
  x: box.x + 1,
  y: box.y + 1,
  width: Math.max(0, box.width - 2),
  height: Math.max(0, box.height - 2),
});
