import { hintRow, messageRow } from "../bars/hints.js";
import { statusRow } from "../bars/status.js";
import { tabRow } from "../bars/tabs.js";
import { cursorAt, drawComposer } from "../composer/view.js";
import { type Boxed, drawBox } from "../draw/boxes.js";
import { putRow, putRows, type RowOf } from "../draw/canvas.js";
import type { Cell } from "../draw/draw.js";
import { drawText } from "../draw/margin.js";
import { sanitizeLine } from "../draw/sanitize.js";
import { THEME } from "../draw/theme.js";
import { textCells, truncateToWidth } from "../draw/width.js";
import { PANE_DEFINITIONS } from "../index.gen.js";
import { type Layout, layoutOf, type PaneBox } from "../layout/layout.js";
import { PANE_TRAITS } from "../model/panes.gen.js";
import type { State } from "../model/state.js";
import { drawSelection } from "../mouse/selection.js";
import { footOf } from "../overlays/foot.js";
import { type ProfilePlace, placeOf } from "../overlays/place.js";
import { questionPanel } from "../questions/view.js";
import type { CellScreen } from "../terminal/screen.js";

/** Bytes of the next frame and where the cursor stands (undefined: hidden). */
export interface Painted {
  readonly body: string;
  readonly cursor: { readonly x: number; readonly y: number } | undefined;
}

/** Draw a state. A view that throws is replaced by its error line; the others go on. */
export function paint(screen: CellScreen, state: State, onError: (error: unknown) => void): Painted {
  const layout = layoutOf(state);
  let above: Painted["cursor"];
  const body = screen.compose((lines) => {
    if (layout.tooSmall) return drawTooSmall(lines, state);
    drawAll(lines, state, layout, onError);
    above = drawOverlay(lines, state, layout);
  });
  return { body, cursor: cursorOf(state, layout, above) };
}

function cursorOf(state: State, layout: Layout, above: Painted["cursor"]): Painted["cursor"] {
  if (layout.tooSmall) return undefined;
  if (state.overlay !== undefined) return above;
  if (state.focus !== "composer") return undefined;
  return state.questions.asking.focused ? questionCursor(state, layout) : cursorAt(state, layout.composer);
}

function questionCursor(state: State, { question }: Layout): Painted["cursor"] {
  const { cursor } = questionPanel(state, question.width, question.height);
  return cursor && { x: question.x + cursor.x, y: question.y + cursor.y };
}

function drawTooSmall(lines: Cell[][], { columns, rows }: State): void {
  const row: RowOf = [[THEME.text, truncateToWidth(`needs 40x12, has ${columns}x${rows}`, columns)]];
  putRows(lines, { x: 0, y: 0, width: columns, height: rows }, [row], THEME.text);
}

function drawAll(lines: Cell[][], state: State, layout: Layout, onError: (error: unknown) => void): void {
  const wide = { x: 0, width: state.columns };
  if (layout.tabs !== undefined) putRow(lines, { ...wide, y: layout.tabs }, tabRow(state, state.columns), THEME.text);
  for (const pane of layout.panes) {
    if (pane.border) drawBox(lines, framed(pane, state, layout));
    drawText(lines, pane.room, pane.inside, guarded(pane, state, onError));
    const { selection } = state.terminal;
    if (selection?.pane === pane.pane) drawSelection(lines, pane.inside, selection);
  }
  const { question } = layout;
  putRows(lines, question, questionPanel(state, question.width, question.height).rows, THEME.text);
  drawComposer(lines, state, layout.queue, layout.composer);
  if (layout.hints !== undefined)
    putRow(lines, { ...wide, y: layout.hints }, hintRow(state, state.columns), THEME.text);
  if (layout.status === undefined) return;
  // Where the row of hints is left out, what it would say takes the place of the status for its time.
  const bar = layout.hints === undefined ? messageRow(state, state.columns) : undefined;
  putRow(lines, { ...wide, y: layout.status }, bar ?? statusRow(state, state.columns), THEME.status);
}

function framed(pane: PaneBox, state: State, layout: Layout): Boxed {
  const { width, height } = pane.inside;
  const across = pane.pane === "chat" ? { across: layout.composer.y - 1 } : {};
  const scroll = PANE_DEFINITIONS[pane.pane].scroll?.(state, width, height);
  return {
    box: pane.box,
    title: titleOf(pane, state),
    focused: state.focus === pane.pane,
    scroll,
    scrolled: height,
    ...across,
  };
}

function titleOf(pane: PaneBox, state: State): string {
  const subject = PANE_DEFINITIONS[pane.pane].subject(state);
  const lost = state.connection === "lost" ? " disconnected" : "";
  const { place, title } = PANE_TRAITS[pane.pane];
  return `${place} ${title}${subject === "" ? "" : `─ ${sanitizeLine(subject)}`}${lost} `;
}

function guarded(pane: PaneBox, state: State, onError: (error: unknown) => void): readonly RowOf[] {
  const { width, height } = pane.inside;
  try {
    return PANE_DEFINITIONS[pane.pane].rows(state, width, height);
  } catch (error) {
    onError(error);
    const message = error instanceof Error ? error.message : String(error);
    return [[[THEME.error, truncateToWidth(`pane failed: ${sanitizeLine(message)}, r reloads`, width)]]];
  }
}

/** In the middle of what is above the bars, with a frame; what lies behind it goes on, dimmed. */
function drawOverlay(lines: Cell[][], state: State, layout: Layout): Painted["cursor"] {
  const place = placeOf(state);
  if (place === undefined) return undefined;
  for (const line of lines.slice(0, layout.hints ?? layout.status)) for (const cell of line) cell[0] = THEME.behind;
  const { drawn, box, inside } = place;
  drawBox(lines, { box, title: ` ${drawn.title} `, focused: true, scroll: drawn.scroll });
  drawFoot(lines, place);
  putRows(lines, inside, drawn.rows, THEME.text);
  return drawn.cursor && { x: inside.x + drawn.cursor.x, y: inside.y + drawn.cursor.y };
}

/** The most useful keys, in the lower edge. */
function drawFoot(lines: Cell[][], place: ProfilePlace): void {
  const foot = footOf(place);
  if (foot === undefined) return;
  const { x, text } = foot;
  const { y, height } = place.box;
  putRow(lines, { x, y: y + height - 1, width: textCells(text) }, [[THEME.dim, text]], THEME.dim);
}
