import { linkOf, linkSequence } from "./links.js";
import { measure } from "./width.js";

/** Style (a number that `sgr` turns into a sequence) and cluster. The second half of a wide cluster holds `GAP`. */
export type Cell = [style: number, cluster: string];

export const GAP = "\0";

interface Pen {
  out: string;
  style: number;
  /** Column where the cursor surely is; -1: unknown. */
  at: number;
  /** Cells to write anyway, because a terminal may have painted over them. */
  redo: number;
  /** Number of the link that is open; 0: none. */
  link: number;
}

/** How styles become sequences; `links`: the terminal knows links. */
export interface Ink {
  readonly sgr: (style: number) => string;
  readonly links: boolean;
}

/** Whatever a view forgot to clean: nothing that controls a terminal leaves this program within a cell. */
const CONTROL = /[\x00-\x1f\x7f-\x9f]/;

/**
 * Bytes that turn line `y` from `was` into `now`; `was` becomes equal to `now`. The cursor is addressed again after every cluster on whose
 * width terminals disagree, and what such a cluster may have covered is written over.
 */
export function drawLine(y: number, now: Cell[], was: Cell[], ink: Ink): string {
  const pen: Pen = { out: "", style: -1, at: -1, redo: 0, link: 0 };
  for (let x = 0; x < now.length; x += 1) {
    const cell = now[x];
    const old = was[x];
    if (cell === undefined || old === undefined) break;
    if (pen.redo <= 0 && old[1] === cell[1] && old[0] === cell[0] && isPlain(cell[1])) continue; // most cells of most frames
    if (cell[1] === GAP) cell[1] = " "; // half of nothing: real second halves are skipped below
    if (CONTROL.test(cell[1])) cell[1] = "␛";
    const wide = drawCell(pen, { x, y, cell, old, next: now[x + 1], oldNext: was[x + 1] }, ink);
    pen.redo -= 1;
    if (wide) {
      x += 1;
      pen.redo -= 1;
    }
  }
  return pen.link === 0 ? pen.out : `${pen.out}${linkSequence(0)}`;
}

const isPlain = (cluster: string): boolean => cluster.length === 1 && cluster >= " " && cluster <= "~";

interface Place {
  readonly x: number;
  readonly y: number;
  readonly cell: Cell;
  readonly old: Cell;
  readonly next: Cell | undefined;
  readonly oldNext: Cell | undefined;
}

/** Returns whether the cluster takes two cells. */
function drawCell(pen: Pen, place: Place, { sgr, links }: Ink): boolean {
  const { x, y, cell, old, next, oldNext } = place;
  const size = measure(cell[1]);
  const wide = size.cells === 2 && next !== undefined;
  const cluster = size.cells === 2 && !wide ? " " : cell[1];
  if (wide) {
    next[0] = cell[0];
    next[1] = GAP;
  }
  const same = old[0] === cell[0] && old[1] === cluster && (!wide || oldNext?.[1] === GAP);
  if (!same || pen.redo > 0) {
    old[0] = cell[0];
    old[1] = cluster;
    if (pen.at !== x) pen.out += `\x1b[${y + 1};${x + 1}H`;
    if (cell[0] !== pen.style) {
      pen.style = cell[0];
      pen.out += sgr(cell[0]);
    }
    if (links && linkOf(cell[0]) !== pen.link) {
      pen.link = linkOf(cell[0]);
      pen.out += linkSequence(cell[0]);
    }
    // A terminal that takes it for a narrow one leaves in its second cell what was there.
    if (wide && size.disputed) pen.out += `  \x1b[${y + 1};${x + 1}H`;
    pen.out += cluster;
    pen.at = size.disputed ? -1 : x + (wide ? 2 : 1);
    pen.redo = Math.max(pen.redo, (wide ? 2 : 1) + size.spill);
  }
  if (wide && oldNext) {
    oldNext[0] = cell[0];
    oldNext[1] = GAP;
  }
  return wide;
}

/** One synchronised frame: cursor hidden and autowrap off while it is drawn, so that nothing spills into the next line. */
export const frame = (body: string, cursor: string): string =>
  `\x1b[?2026h\x1b[?25l\x1b[?7l${body}\x1b[0m\x1b[?7h${cursor}\x1b[?2026l`;
