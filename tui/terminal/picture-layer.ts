import type { Cell } from "../draw/draw.js";
import { areaAt, areaNumber, type PictureArea } from "../draw/pictures.js";
import { type PictureProtocol, pictureBytes, placeholderCells, throughTmux } from "./picture-bytes.js";

/** Pictures over the cells of the screen. Without a protocol their areas stay blank. */
export interface PictureLayer {
  /** Take the marks out of a frame: what they cover is blank, and is written again where a picture was and is no longer. */
  take(lines: Cell[][], shown: Cell[][]): void;
  /** Bytes behind the cells of the frame: pictures that came, moved or went. */
  bytes(): string;
  /** From the next frame on. */
  use(protocol: PictureProtocol | undefined): void;
  /** What the terminal shows is unknown. */
  forget(): void;
  /** Bytes that take every picture away. */
  clear(): string;
}

/** Gives the bytes of a picture for a protocol; tests give their own. */
export type LoadPicture = typeof pictureBytes;

interface Placed {
  readonly number: number;
  readonly area: PictureArea;
  readonly x: number;
  readonly y: number;
}

/** Numbers of pictures on a terminal that other programs use as well begin far from theirs. */
const KITTY_FIRST = 71_000;
/** Pictures whose bytes are kept; the oldest go first. */
const KEPT = 32;
const KITTY_CLEAR = "\x1b_Ga=d,d=A,q=2\x1b\\";

/** @param changed a picture can be shown now: a frame is wanted */
export function createPictureLayer(changed: () => void, load: LoadPicture = pictureBytes): PictureLayer {
  let protocol: PictureProtocol | undefined;
  /** Bytes by number; undefined: on their way, or not to be had. */
  const known = new Map<number, string | undefined>();
  /** Numbers that a kitty terminal has. */
  const sent = new Set<number>();
  let on = new Map<string, Placed>();
  let wanted = new Map<string, Placed>();
  let stale = false;

  const prepare = async (number: number, area: PictureArea, how: PictureProtocol): Promise<void> => {
    known.set(number, undefined);
    const bytes = await load(how, area, KITTY_FIRST + number);
    if (bytes === undefined || how !== protocol) return;
    known.set(number, bytes);
    for (const oldest of known.keys()) {
      if (known.size <= KEPT) break;
      known.delete(oldest);
    }
    changed();
  };
  const isReady = ({ number, area }: Placed): boolean => {
    // Without its bytes the area stays blank; a line of the result names the file.
    if (protocol !== undefined && !known.has(number)) prepare(number, area, protocol).catch(() => undefined);
    return known.get(number) !== undefined;
  };
  return {
    take: (lines, shown) => {
      const found = areasIn(lines);
      wanted = protocol === undefined ? new Map() : new Map([...found].filter(([, placed]) => isReady(placed)));
      // A cell that is written takes the picture away: kitty gets a command for it, others are painted over.
      if (protocol !== "kitty") for (const [key, placed] of on) if (!wanted.has(key)) unwrite(placed, shown);
    },
    bytes: () => {
      const out: string[] = [];
      if (stale) out.push(clearFor(protocol));
      stale = false;
      const staying = new Set([...wanted.values()].map(({ number }) => number));
      for (const [key, placed] of on)
        if (protocol === "kitty" && !wanted.has(key) && !staying.has(placed.number))
          out.push(`\x1b_Ga=d,d=i,i=${KITTY_FIRST + placed.number},p=1,q=2\x1b\\`);
      for (const [key, placed] of wanted) if (!on.has(key)) out.push(put(placed));
      on = wanted;
      return out.join("");
    },
    use: (next) => {
      if (next === protocol) return;
      protocol = next;
      known.clear();
      sent.clear();
    },
    forget: () => {
      stale = on.size > 0 || sent.size > 0;
      on = new Map();
      sent.clear();
    },
    clear: () => {
      const had = on.size > 0;
      on = new Map();
      return had ? clearFor(protocol) : "";
    },
  };

  function put({ number, area, x, y }: Placed): string {
    const bytes = known.get(number) ?? "";
    const at = `\x1b[${y + 1};${x + 1}H`;
    if (protocol !== "kitty" && protocol !== "placeholders") return `${at}${bytes}`;
    const first = sent.has(number) ? "" : bytes;
    sent.add(number);
    if (protocol === "placeholders") return `${first}${placeholderCells(area, KITTY_FIRST + number, { x, y })}`;
    return `${first}${at}\x1b_Ga=p,i=${KITTY_FIRST + number},p=1,c=${area.columns},r=${area.rows},C=1,q=2\x1b\\`;
  }
}

/** Bytes that take every picture away from terminals that keep them apart from their cells. */
function clearFor(protocol: PictureProtocol | undefined): string {
  if (protocol === "placeholders") return throughTmux(KITTY_CLEAR);
  return protocol === "kitty" ? KITTY_CLEAR : "";
}

/** Areas that are there as a whole, by place; marks become blanks. One that is cut by an edge or covered by something is not shown. */
function areasIn(lines: Cell[][]): Map<string, Placed> {
  const found = new Map<string, Placed>();
  const marks = new Map<number, Map<number, number>>();
  // Every cell of every frame comes through here: iterators with pairs cost more than all the rest of it.
  lines.forEach((line, y) => {
    line.forEach((cell, x) => {
      const number = areaNumber(cell[1]);
      if (number === undefined) return;
      cell[1] = " ";
      const row = marks.get(y) ?? new Map<number, number>();
      marks.set(y, row);
      row.set(x, number);
    });
  });
  const numberAt = (x: number, y: number) => marks.get(y)?.get(x);
  for (const [y, row] of marks)
    for (const [x, number] of row) {
      const area = areaAt(number);
      if (area === undefined || numberAt(x - 1, y) === number || numberAt(x, y - 1) === number) continue;
      const last = { x: x + area.columns - 1, y: y + area.rows - 1 };
      const whole = Array.from({ length: area.rows }, (_, n) => y + n).every(
        (at) => numberAt(x, at) === number && numberAt(last.x, at) === number,
      );
      if (whole) found.set(`${number} ${x} ${y}`, { number, area, x, y });
    }
  return found;
}

/** The cells of a place count as unknown: the frame writes them. */
function unwrite({ area, x, y }: Placed, shown: Cell[][]): void {
  for (const line of shown.slice(y, y + area.rows))
    for (const cell of line.slice(x, x + area.columns)) {
      cell[0] = -1;
      cell[1] = "";
    }
}
