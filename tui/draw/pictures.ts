/** A place of the screen that a picture takes, in cells. */
export interface PictureArea {
  readonly path: string;
  readonly columns: number;
  readonly rows: number;
}

/** Every cell of an area holds one of these, which do not mean anything elsewhere. None of them reaches a terminal. */
const FIRST_MARK = 0x100000;
/** Areas that are remembered; further pictures are shown by their line. */
const MOST = 4_096;

const areas: PictureArea[] = [];
const numbers = new Map<string, number>();

/** Cells of a picture at most. */
const WIDEST = 60;
const TALLEST = 14;
/** A cell is about twice as high as it is wide. */
const CELL_RATIO = 2;

/** The area of a picture of so many pixels where so many columns are free. */
export function areaFor(
  { path, width, height }: { readonly path: string; readonly width: number; readonly height: number },
  room: number,
): PictureArea {
  const widest = Math.max(1, Math.min(WIDEST, room));
  const rows = Math.max(1, Math.min(TALLEST, Math.round((widest * height) / width / CELL_RATIO)));
  const columns = Math.max(1, Math.min(widest, Math.round((rows * CELL_RATIO * width) / height)));
  return { path, columns, rows };
}

/** What each cell of the area holds; undefined: too many are remembered. A mark never changes its area, for rows are kept. */
export function markOf(area: PictureArea): string | undefined {
  const key = JSON.stringify([area.path, area.columns, area.rows]);
  const known = numbers.get(key);
  if (known !== undefined) return String.fromCodePoint(FIRST_MARK + known);
  if (areas.length === MOST) return undefined;
  numbers.set(key, areas.length);
  areas.push(area);
  return String.fromCodePoint(FIRST_MARK + areas.length - 1);
}

/** Number of the area that a cell belongs to; undefined: to none. */
export function areaNumber(cluster: string): number | undefined {
  const point = cluster.length === 2 ? (cluster.codePointAt(0) ?? 0) : 0;
  return point >= FIRST_MARK && point < FIRST_MARK + MOST ? point - FIRST_MARK : undefined;
}

/** The area with a number; undefined: no area has it. */
export const areaAt = (number: number): PictureArea | undefined => areas[number];
