/** Which rows of a long list are drawn, and how much room the others take above and below, in pixels. */
export interface RowWindow {
  readonly from: number;
  /** Behind the last. */
  readonly to: number;
  readonly above: number;
  readonly below: number;
}

interface Sight {
  /** Pixels that are scrolled away, and that are seen. */
  readonly top: number;
  readonly height: number;
}

/** Pixels drawn beyond what is seen, so that scrolling shows no gaps. */
const MARGIN = 600;

/** The rows in sight and around it. `heightOf`: measured, or a guess, with the gap to the next row. */
export function partInSight(count: number, heightOf: (row: number) => number, { top, height }: Sight): RowWindow {
  const begin = top - MARGIN;
  const end = top + height + MARGIN;
  let at = 0;
  let from = 0;
  while (from < count && at + heightOf(from) < begin) at += heightOf(from++);
  const above = at;
  let to = from;
  while (to < count && at < end) at += heightOf(to++);
  let below = 0;
  for (let row = to; row < count; row++) below += heightOf(row);
  return { from, to, above, below };
}

/** Where to scroll so that a row is seen whole; the same place when it is already. */
export function scrolledTo(row: number, heightOf: (row: number) => number, { top, height }: Sight): number {
  let begin = 0;
  for (let at = 0; at < row; at++) begin += heightOf(at);
  const end = begin + heightOf(row);
  if (begin < top) return begin;
  return end > top + height ? end - height : top;
}
