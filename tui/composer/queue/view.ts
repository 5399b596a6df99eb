import { putRow, type Rect, type RowOf } from "../../draw/canvas.js";
import type { Cell } from "../../draw/draw.js";
import { FRAMES } from "../../draw/glyphs.js";
import { sanitizeLine } from "../../draw/sanitize.js";
import { onto, THEME } from "../../draw/theme.js";
import { textCells, truncateToWidth } from "../../draw/width.js";
import { isFramed } from "../../layout/layout-columns.js";
import type { State } from "../../model/state.js";
import { windowFrom } from "../../overlays/window.js";
import { withLabels } from "../mentions.js";
import { type Item, itemsOf } from "./items.js";

const MOST = 3; // workspace part, 4.4
const HEAD_FROM = 14; // rows of the screen from which there is room for the line above

/** Rows of the panel, the line above it counted. `room`: rows that a pane can spare. */
export function queueRows(state: State, room: number): number {
  const count = itemsOf(state.queue).length;
  if (count === 0 && !state.queue.focused) return 0;
  const head = state.rows >= HEAD_FROM ? 1 : 0;
  return Math.max(0, Math.min(MOST + head, count + head, room));
}

/** Number, text, origin. What does not fit is counted in the line above. */
export function drawQueue(lines: Cell[][], state: State, { x, y, width, height }: Rect): void {
  if (height === 0) return;
  const items = itemsOf(state.queue);
  const { focused, at } = state.queue;
  const head = state.rows >= HEAD_FROM ? 1 : 0;
  const room = height - head;
  const from = focused ? windowFrom(items.length, room, at) : 0;
  if (head > 0) {
    putRow(lines, { x, y, width }, headRow(state, items.length, Math.max(0, items.length - room), width), THEME.border);
    if (isFramed(state)) joinFrame(lines, state, { x, y, width, height: 1 });
  }
  items.slice(from, from + room).forEach((one, index) => {
    const marked = focused && from + index === at;
    putRow(
      lines,
      { x, y: y + head + index, width },
      itemRow(one, { n: from + index + 1, marked, width }),
      marked ? THEME.selection : THEME.text,
    );
  });
}

/** The item in a row of the panel; undefined: an empty row. */
export function itemAt({ queue, rows }: State, { height }: Rect, y: number): number | undefined {
  const { length } = itemsOf(queue);
  const head = rows >= HEAD_FROM ? 1 : 0;
  const at = (queue.focused ? windowFrom(length, height - head, queue.at) : 0) + y - head;
  return y >= head && at < length ? at : undefined;
}

/** The line above goes from side to side of the chat's frame. */
function joinFrame(lines: Cell[][], { focus }: State, { x, y, width }: Rect): void {
  const frame = focus === "chat" ? FRAMES.bold : FRAMES.thin;
  const style = focus === "chat" ? THEME.focus : THEME.border;
  putRow(lines, { x: x - 1, y, width: 1 }, [[style, frame.teeLeft]], style);
  putRow(lines, { x: x + width, y, width: 1 }, [[style, frame.teeRight]], style);
}

function headRow(state: State, count: number, more: number, width: number): RowOf {
  const { paused, focused } = state.queue;
  const stopped = paused && state.session.turnSince === undefined ? " · paused" : "";
  const title = count === 0 ? "─ queue: empty" : `─ queue ${count}${more > 0 ? ` · +${more} more` : ""}`;
  const used = textCells(title) + textCells(stopped) + 1;
  const style = focused ? THEME.focus : THEME.border;
  return [
    [style, truncateToWidth(title, width)],
    [THEME.warn, stopped],
    [style, ` ${"─".repeat(Math.max(0, width - used))}`],
  ];
}

interface RowLook {
  readonly n: number;
  readonly marked: boolean;
  readonly width: number;
}

function itemRow(one: Item, { n, marked, width }: RowLook): RowOf {
  const origin = originOf(one);
  const room = Math.max(4, width - textCells(String(n)) - 3 - (origin === "" ? 0 : textCells(origin) + 2));
  const text = truncateToWidth(sanitizeLine(withLabels(one.item.text.slice(0, LOOKED_AT))), room);
  const ground = (style: number) => (marked ? onto(style, THEME.selection) : style);
  return [
    [ground(THEME.dim), ` ${n} `],
    [marked ? THEME.selection : THEME.text, `${text}${" ".repeat(Math.max(0, room - textCells(text)))}`],
    [ground(one.kind === "local" ? THEME.warn : THEME.dim), origin === "" ? "" : `  ${origin}`],
  ];
}

const LOOKED_AT = 4_000;

/** Where it comes from, where that is not this screen. */
function originOf(one: Item): string {
  if (one.kind === "local") return "not sent yet";
  const { kind, by } = one.item;
  if (kind === "process_notice") return `update from ${by === "" ? "the background" : by}`;
  if (kind === "continuation") return "next step of the goal";
  return by === "workspace" || by === "" ? "" : `from ${by}`;
}
