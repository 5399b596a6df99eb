import { toAscii } from "../draw/ascii.js";
import type { RowOf } from "../draw/canvas.js";
import { textCells } from "../draw/width.js";
import type { State } from "../model/state.js";
import type { Look } from "../terminal/screen.js";
import type { Surface } from "../terminal/surface.js";
import { sgrTable } from "../theme/sgr.js";
import { rowBytes } from "./bytes.js";
import { liveArea } from "./live.js";
import { createScribe } from "./scribe.js";

/** The live area as the terminal has it. */
interface Shown {
  readonly rows: readonly string[];
  /** Cells of each row, to know what a narrower terminal makes of it. */
  readonly cells: readonly number[];
  readonly cursor: Place;
  /** Where the cursor was put; a terminal of another width may have moved it since. */
  readonly put: Place;
  readonly visible: boolean;
}

interface Place {
  readonly x: number;
  readonly y: number;
}

const EMPTY: Shown = { rows: [], cells: [], cursor: { x: 0, y: 0 }, put: { x: 0, y: 0 }, visible: false };
const BEGIN = "\x1b[?2026h\x1b[?25l";
const END = "\x1b[?2026l";
/** Nothing from the beginning of this row on. tmux takes an erasure from the corner of the screen as a clear, which it keeps in its scrollback. */
const ERASE = "\r\x1b[K\x1b[C\x1b[J\r";

/**
 * The terminal's own scrollback, and below it a live area that alone is drawn again. What is finished is written above the live area once; the
 * cursor moves only within the live area, and always from where it is.
 */
export function lineSurface(size: { readonly columns: number; readonly rows: number }, first: Look): Surface {
  const scribe = createScribe();
  let { columns, rows } = size;
  let look = first;
  let sgr = sgrTable(look.depth, look.palette, look.italic);
  let shown = EMPTY;
  let stale = true;
  const bytes = (row: RowOf): string => {
    const made = rowBytes(row, { sgr, links: look.links });
    return look.ascii ? ascii(made) : made;
  };
  const draw = (state: State): Shown => {
    const area = liveArea(state, scribe.written(), { columns, rows });
    const cursor = area.cursor ?? { x: 0, y: area.rows.length - 1 };
    return {
      rows: area.rows.map(bytes),
      cells: area.rows.map(cellsOf),
      cursor,
      put: cursor,
      visible: area.cursor !== undefined,
    };
  };
  return {
    frame: (state) => {
      const fresh = scribe.write(state, Math.max(1, columns)).map(bytes);
      const next = draw(state);
      const body =
        fresh.length > 0 || stale || next.rows.length !== shown.rows.length
          ? fullFrame(shown, fresh, next)
          : changedRows(shown, next);
      const same =
        body === "" &&
        next.cursor.x === shown.cursor.x &&
        next.cursor.y === shown.cursor.y &&
        next.visible === shown.visible;
      const from = body === "" ? shown.cursor : { x: 0, y: next.rows.length - 1 };
      shown = next;
      stale = false;
      return same ? "" : `${BEGIN}${body}${toCursor(from, next)}${END}`;
    },
    resize: (width, height) => {
      shown = rewrapped(shown, width);
      columns = width;
      rows = height;
      stale = true;
    },
    look: (given) => {
      look = given;
      sgr = sgrTable(look.depth, look.palette, look.italic);
      stale = true;
    },
    forget: () => {
      stale = true;
    },
    aside: () => {
      const gone = `${up(shown.cursor.y)}${ERASE}\x1b[?25h`;
      shown = EMPTY;
      stale = true;
      return gone;
    },
    close: () => undefined,
  };
}

const ascii = (text: string): string => [...text].map((sign) => (sign < "\x7f" ? sign : toAscii(sign))).join("");
const cellsOf = (row: RowOf): number =>
  textCells(
    row
      .map(([, text]) => text)
      .join("")
      .trimEnd(),
  );
const up = (count: number): string => (count > 0 ? `\x1b[${count}A` : "");
const right = (count: number): string => (count > 0 ? `\x1b[${count}C` : "");

/** Everything below the scrollback again, what is finished above it. The cursor ends at the beginning of the last row. */
function fullFrame(was: Shown, fresh: readonly string[], now: Shown): string {
  const above = fresh.map((row) => `${row}\r\n`).join("");
  return `${up(was.cursor.y)}${ERASE}${above}${now.rows.join("\r\n")}\r`;
}

/** Only rows that changed. */
function changedRows(was: Shown, now: Shown): string {
  let at = was.cursor.y;
  let out = "";
  for (const [y, row] of now.rows.entries()) {
    if (row === was.rows[y]) continue;
    out += `${y < at ? up(at - y) : "\n".repeat(y - at)}\r${row}\x1b[K`;
    at = y;
  }
  return out === "" ? "" : `${out}${"\n".repeat(now.rows.length - 1 - at)}\r`;
}

function toCursor(from: Place, { cursor, visible }: Shown): string {
  const vertical = from.y > cursor.y ? up(from.y - cursor.y) : "\n".repeat(cursor.y - from.y);
  return `${vertical}\r${right(cursor.x)}${visible ? "\x1b[?25h" : ""}`;
}

/**
 * Where the cursor is once a terminal of another width has wrapped the rows again: each takes the rows that its cells need. Counted from where the
 * cursor was put, however many widths came since: a window that is dragged sends many before the next frame.
 */
function rewrapped(was: Shown, columns: number): Shown {
  const wide = Math.max(1, columns);
  const needed = (cells: number): number => Math.max(1, Math.ceil(cells / wide));
  const above = was.cells.slice(0, was.put.y).reduce((sum, cells) => sum + needed(cells), 0);
  return { ...was, cursor: { x: was.put.x % wide, y: above + Math.floor(was.put.x / wide) } };
}
