import type { Code } from "../grammar/code.js";
import type { RowOf } from "./canvas.js";

/**
 * Rows that scroll. What is scrolled over are entries (a message, a call); an entry is made of parts, and each part is laid out by itself. A
 * position names entry, part and row, never an offset: whatever grows or changes below or above, what is read stays where it is.
 *
 * Use: keep an `Anchor | undefined` (undefined: the end is followed) in the state, draw `seen(entries, anchor, room)`, move with `scrolled`. A
 * part is known by its object: as long as it is the same, its rows are laid out once per width; they are dropped when much else was looked at
 * since. All functions are pure besides that memory.
 */
export interface Entry {
  /** Names the entry for ever, also when it changes or another one comes before it. */
  readonly key: string;
  /** Number of parts. */
  readonly size: number;
  part(at: number): Part;
}

export interface Part {
  rows(width: number): readonly RowOf[];
  /** How many rows that are, where it is known without making them. */
  height?(width: number): number | undefined;
  /** Code in it that a grammar may colour. */
  readonly code?: readonly Code[];
}

/** A row: that of an entry's part. A row behind the last one of a part is its last one. */
export interface Anchor {
  readonly key: string;
  readonly part: number;
  readonly row: number;
}

export interface Room {
  readonly width: number;
  readonly height: number;
}

export interface SeenRow {
  readonly row: RowOf;
  readonly at: Anchor;
}

export interface Seen {
  readonly rows: readonly SeenRow[];
  /** The last row of all is among them. */
  readonly end: boolean;
  /** Nothing stands above them. */
  readonly start: boolean;
}

const KEPT_ROWS = 1_500; // five screens of 200 x 60 on either side, and some
const KEPT_PARTS = 8; // however tall they are: those of one frame must not drive each other out

interface Laid {
  readonly width: number;
  readonly rows: readonly RowOf[];
}

const kept = new Map<Part, Laid>();
let keptRows = 0;
const heights = new WeakMap<Part, { readonly width: number; readonly height: number }>();

/** Rows of a part. */
function rowsOf(part: Part, width: number): readonly RowOf[] {
  const known = kept.get(part);
  if (known?.width === width) {
    kept.delete(part); // it stands last: it was looked at last
    kept.set(part, known);
    return known.rows;
  }
  const rows = part.rows(width);
  keep(part, { width, rows }, known);
  return rows;
}

function keep(part: Part, laid: Laid, before: Laid | undefined): void {
  kept.delete(part);
  kept.set(part, laid);
  keptRows += laid.rows.length - (before?.rows.length ?? 0);
  heights.set(part, { width: laid.width, height: laid.rows.length });
  for (const [oldest, { rows }] of kept) {
    if (keptRows <= KEPT_ROWS || kept.size <= KEPT_PARTS || oldest === part) break;
    kept.delete(oldest);
    keptRows -= rows.length;
  }
}

/** Number of rows of a part; once known for a width it is not laid out again for it. */
function heightOf(part: Part, width: number): number {
  const known = heights.get(part);
  if (known?.width === width) return known.height;
  const told = part.height?.(width);
  if (told === undefined) return rowsOf(part, width).length;
  heights.set(part, { width, height: told });
  return told;
}

/** A row while it is walked over: places instead of names. */
interface Place {
  readonly entry: number;
  readonly part: number;
  readonly row: number;
}

type Entries = readonly Entry[];

const partAt = (entries: Entries, { entry, part }: Place): Part | undefined => {
  const found = entries[entry];
  return found !== undefined && part >= 0 && part < found.size ? found.part(part) : undefined;
};

function placeOf(entries: Entries, anchor: Anchor, width: number): Place | undefined {
  const entry = entries.findIndex(({ key }) => key === anchor.key);
  const found = entries[entry];
  if (found === undefined || found.size === 0) return undefined;
  const part = Math.min(anchor.part, found.size - 1);
  const most = Math.max(0, heightOf(found.part(part), width) - 1);
  return { entry, part, row: part < anchor.part ? most : Math.min(anchor.row, most) };
}

/** The part before or behind, over empty entries; undefined at the end. */
function beside(entries: Entries, place: Place, by: 1 | -1): Place | undefined {
  let { entry, part } = place;
  part += by;
  while (part < 0 || part >= (entries[entry]?.size ?? 0)) {
    entry += by;
    const next = entries[entry];
    if (next === undefined) return undefined;
    part = by === 1 ? 0 : next.size - 1;
  }
  return { entry, part, row: 0 };
}

const beforeAll = (_: Entries): Place => ({ entry: -1, part: 0, row: 0 });
const afterAll = (entries: Entries): Place => ({ entry: entries.length, part: 0, row: 0 });

/** Up to `rows` rows above a place; the place itself at the very top. */
function up(entries: Entries, from: Place, rows: number, width: number): Place {
  let left = rows;
  let now = from;
  for (;;) {
    if (now.row >= left) return { ...now, row: now.row - left };
    left -= now.row;
    const above = beside(entries, now, -1);
    if (above === undefined) return { ...now, row: 0 };
    const part = partAt(entries, above);
    now = { ...above, row: part === undefined ? 0 : heightOf(part, width) };
  }
}

/** `rows` rows below a place, but never so far that the view would end below the last row. */
function down(entries: Entries, from: Place, rows: number, room: Room): Place {
  const last = up(entries, afterAll(entries), room.height, room.width);
  let left = rows;
  let now = from;
  for (;;) {
    const part = partAt(entries, now);
    const rest = part === undefined ? 0 : heightOf(part, room.width) - now.row;
    if (left < rest) return earlier({ ...now, row: now.row + left }, last);
    left -= rest;
    const below = beside(entries, now, 1);
    if (below === undefined || below.entry > last.entry) return last;
    now = below;
  }
}

const isBefore = (a: Place, b: Place): boolean =>
  a.entry !== b.entry ? a.entry < b.entry : a.part !== b.part ? a.part < b.part : a.row < b.row;
const earlier = (a: Place, b: Place): Place => (isBefore(a, b) ? a : b);

const anchorOf = (entries: Entries, { entry, part, row }: Place): Anchor => ({
  key: entries[entry]?.key ?? "",
  part,
  row,
});

/** Where a view begins: never so low that it would end below the last row. */
function topOf(entries: Entries, anchor: Anchor | undefined, { width, height }: Room): Place {
  const last = up(entries, afterAll(entries), height, width);
  const wanted = anchor === undefined ? undefined : placeOf(entries, anchor, width);
  return wanted === undefined ? last : earlier(wanted, last);
}

/** The rows that are seen. @param anchor the uppermost row; undefined: the end is followed */
export function findVisibleRows(entries: Entries, anchor: Anchor | undefined, room: Room): Seen {
  let place: Place | undefined = topOf(entries, anchor, room);
  const start = up(entries, place, 1, room.width);
  const rows: SeenRow[] = [];
  let end = true;
  const atStart = !isBefore(start, place);
  if (place.entry < 0) place = beside(entries, beforeAll(entries), 1);
  for (; place !== undefined; place = beside(entries, place, 1)) {
    const part = partAt(entries, place);
    if (part === undefined) continue;
    const all = rowsOf(part, room.width);
    for (let row = place.row; row < all.length && rows.length < room.height; row++)
      rows.push({ row: all[row] ?? [], at: { key: entries[place.entry]?.key ?? "", part: place.part, row } });
    if (rows.length >= room.height) {
      end = (rows.at(-1)?.at.row ?? 0) === all.length - 1 && beside(entries, place, 1) === undefined;
      break;
    }
  }
  return { rows, end, start: atStart };
}

/** The view `rows` rows further down, or up. Undefined: the end is reached, and followed from now on. */
export function scrolled(entries: Entries, anchor: Anchor | undefined, rows: number, room: Room): Anchor | undefined {
  const top = topOf(entries, anchor, room);
  const next = rows < 0 ? up(entries, top, -rows, room.width) : down(entries, top, rows, room);
  const last = up(entries, afterAll(entries), room.height, room.width);
  return isBefore(next, last) ? anchorOf(entries, next) : undefined;
}

/** The row that stands first of all. */
export function firstRow(entries: Entries): Anchor | undefined {
  const first = beside(entries, beforeAll(entries), 1);
  return first === undefined ? undefined : anchorOf(entries, first);
}

/** The view with an entry in it, moved as little as can be; an entry that is taller than the view shows its beginning. */
export function scrollToEntry(
  entries: Entries,
  anchor: Anchor | undefined,
  key: string,
  room: Room,
): Anchor | undefined {
  const at = entries.findIndex((one) => one.key === key);
  if (at < 0) return anchor;
  const first: Place = { entry: at, part: 0, row: 0 };
  const top = topOf(entries, anchor, room);
  const height = entryHeight(entries[at], room.width, room.height + 1);
  const lowest = up(entries, { entry: at + 1, part: 0, row: 0 }, room.height, room.width);
  if (isBefore(first, top) || height > room.height) return fixed(entries, first, room);
  return isBefore(top, lowest) ? fixed(entries, lowest, room) : anchor;
}

/** Rows of an entry whose text fits, from the first to the last. */
export function rowsWith(entry: Entry, width: number, fits: (text: string) => boolean): readonly Anchor[] {
  const found: Anchor[] = [];
  for (let part = 0; part < entry.size; part++)
    for (const [row, spans] of rowsOf(entry.part(part), width).entries())
      if (fits(spans.map(([, text]) => text).join(""))) found.push({ key: entry.key, part, row });
  return found;
}

/** The view with a row in it: as it is when the row is seen, else with the row a third below its top. */
export function showingRow(entries: Entries, anchor: Anchor | undefined, row: Anchor, room: Room): Anchor | undefined {
  const place = placeOf(entries, row, room.width);
  if (place === undefined) return anchor;
  const top = topOf(entries, anchor, room);
  const lowest = up(entries, { ...place, row: place.row + 1 }, room.height, room.width);
  if (!isBefore(place, top) && !isBefore(top, lowest)) return anchor;
  return fixed(entries, up(entries, place, Math.floor(room.height / 3), room.width), room);
}

/** A place as an anchor, undefined where that is the end. */
function fixed(entries: Entries, place: Place, room: Room): Anchor | undefined {
  const last = up(entries, afterAll(entries), room.height, room.width);
  return isBefore(place, last) ? anchorOf(entries, place) : undefined;
}

/** Rows of an entry, counted as far as `most`: a taller one is not laid out to its end. */
export function entryHeight(entry: Entry | undefined, width: number, most: number): number {
  let height = 0;
  for (let part = 0; part < (entry?.size ?? 0) && height < most; part++)
    height += entry === undefined ? 0 : heightOf(entry.part(part), width);
  return Math.min(height, most);
}

/** The end of everything as it is now, to count later what came since. */
export function endOf(entries: Entries, width: number): Anchor | undefined {
  const last = beside(entries, afterAll(entries), -1);
  const part = last === undefined ? undefined : partAt(entries, last);
  return last === undefined || part === undefined
    ? undefined
    : anchorOf(entries, { ...last, row: heightOf(part, width) });
}

/** Rows that came behind a former end. */
export function rowsSince(entries: Entries, mark: Anchor | undefined, width: number): number {
  const entry = mark === undefined ? -1 : entries.findIndex(({ key }) => key === mark.key);
  if (mark === undefined || entry < 0) return 0;
  let rows = -mark.row;
  for (let at: Place | undefined = { entry, part: mark.part, row: 0 }; at !== undefined; at = beside(entries, at, 1)) {
    const part = partAt(entries, at);
    if (part !== undefined) rows += heightOf(part, width);
  }
  return Math.max(0, rows);
}

/** An entry of a single part, for what is short or never changes. */
export const entryOf = (key: string, rows: (width: number) => readonly RowOf[]): Entry => {
  const part: Part = { rows };
  return { key, size: 1, part: () => part };
};
