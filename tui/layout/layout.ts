import type { Split } from "../app/display.js";
import { composerHeight } from "../composer/box.js";
import { queueRows } from "../composer/queue/view.js";
import type { Rect } from "../draw/canvas.js";
import { textRect } from "../draw/margin.js";
import { PANES, type Pane, type State } from "../model/state.js";
import { questionRows } from "../questions/view.js";
import { chatColumns, isFramed, isWide } from "./layout-columns.js";
import { splitOf } from "./layout-split.js";

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
  /** Row of the tab bar; undefined with four panes. */
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
  const split = splitOf(state);
  const framed = isFramed(state);
  const chatWidth = framed ? chatColumns(columns, split.chat) : columns;
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
    panes: fourPanes({ chatWidth, chatEnd: below.question.y, columns, bottom }, split),
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

/** A conversation has a margin; a zoomed one does not, so that the terminal's own selection gives clean text. */
const insideOf = (pane: Pane, room: Rect, zoom: boolean): Rect => (pane === "chat" ? textRect(room, zoom) : room);

const LEAST_ROWS = 4;

interface Room {
  readonly chatWidth: number;
  readonly chatEnd: number;
  readonly columns: number;
  readonly bottom: number;
}

/** Chat left; the others at the right share the height. */
function fourPanes({ chatWidth, chatEnd, columns, bottom }: Room, split: Required<Split>): readonly PaneBox[] {
  const right = { x: chatWidth, width: columns - chatWidth };
  const board = Math.max(LEAST_ROWS, Math.floor((bottom * split.board) / 100));
  const runs = Math.min(Math.max(LEAST_ROWS, Math.floor((bottom * split.runs) / 100)), bottom - board - LEAST_ROWS);
  const boxes: Record<Pane, Rect> = {
    chat: { x: 0, y: 0, width: chatWidth, height: bottom },
    board: { ...right, y: 0, height: board },
    runs: { ...right, y: board, height: runs },
    logs: { ...right, y: board + runs, height: bottom - board - runs },
  };
  // One frame is around the chat and what is below it.
  const chatRoom = { x: 1, y: 1, width: chatWidth - 2, height: Math.max(1, chatEnd - 1) };
  return PANES.map((pane) => {
    const room = pane === "chat" ? chatRoom : within(boxes[pane]);
    return { pane, box: boxes[pane], border: true, room, inside: insideOf(pane, room, false) };
  });
}

const within = (box: Rect): Rect => ({
  x: box.x + 1,
  y: box.y + 1,
  width: Math.max(0, box.width - 2),
  height: Math.max(0, box.height - 2),
});
