import type { Rect, Span } from "./canvas.js";
import { putRow } from "./canvas.js";
import type { Cell } from "./draw.js";
import { FRAMES, SCROLLBAR } from "./glyphs.js";
import { THEME } from "./theme.js";
import { textCells, truncateToWidth } from "./width.js";

/** Which part of the whole is seen, in rows. */
export interface Scroll {
  readonly top: number;
  readonly shown: number;
  readonly total: number;
}

/** A frame around something, with what stands in its upper line. */
export interface Boxed {
  readonly box: Rect;
  readonly title: string;
  /** It has the focus: accent and another line, so that it is seen without colour. */
  readonly focused: boolean;
  readonly scroll?: Scroll | undefined;
  /** Rows of the scrollbar, from the top of the inside; without it all. */
  readonly scrolled?: number;
  /** Row of the screen in which a line goes across, where something else begins. */
  readonly across?: number;
}

/** Draw a frame: title in the upper line, scrollbar over the right one when there is more than fits. What is inside is left alone. */
export function drawBox(lines: Cell[][], { box, title, focused, scroll, scrolled, across }: Boxed): void {
  const { x, y, width, height } = box;
  if (width < 2 || height < 2) return;
  const frame = focused ? FRAMES.bold : FRAMES.thin;
  const style = focused ? THEME.focus : THEME.border;
  const label = truncateToWidth(title, width - 2);
  const rest = frame.horizontal.repeat(width - 2 - textCells(label));
  const named: Span = [focused ? THEME.focus : THEME.text, label];
  putRow(lines, { x, y, width }, [[style, frame.topLeft], named, [style, `${rest}${frame.topRight}`]], style);
  const thumb = thumbOf(scroll, scrolled ?? height - 2);
  for (let dy = 1; dy < height - 1; dy++) {
    if (y + dy === across) {
      putRow(lines, { x, y: y + dy, width: 1 }, [[style, frame.teeLeft]], style);
      putRow(lines, { x: x + width - 1, y: y + dy, width: 1 }, [[style, frame.teeRight]], style);
      continue;
    }
    const right =
      thumb === undefined || dy > (scrolled ?? height)
        ? frame.vertical
        : dy - 1 >= thumb.from && dy - 1 < thumb.to
          ? SCROLLBAR.thumb
          : SCROLLBAR.track;
    putRow(lines, { x, y: y + dy, width: 1 }, [[style, frame.vertical]], style);
    putRow(lines, { x: x + width - 1, y: y + dy, width: 1 }, [[style, right]], style);
  }
  const bottom = `${frame.bottomLeft}${frame.horizontal.repeat(width - 2)}${frame.bottomRight}`;
  putRow(lines, { x, y: y + height - 1, width }, [[style, bottom]], style);
}

/** Rows of the bar that stand for what is seen; undefined: everything is. */
function thumbOf(scroll: Scroll | undefined, rows: number): { readonly from: number; readonly to: number } | undefined {
  if (scroll === undefined || rows < 2 || scroll.total <= scroll.shown) return undefined;
  const size = Math.max(1, Math.min(rows - 1, Math.round((scroll.shown / scroll.total) * rows)));
  const share = Math.min(1, Math.max(0, scroll.top / (scroll.total - scroll.shown)));
  const from = Math.round(share * (rows - size));
  return { from, to: from + size };
}
