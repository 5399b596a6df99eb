import { readAtMost } from "../../lib/base/fs/files.js";
import { PICTURE_SOURCE_BYTES } from "../../lib/base/fs/picture-facts.js";
import { pixelsWithin, pngWithin } from "../../lib/base/fs/picture-scale.js";
import type { PictureArea } from "../draw/pictures.js";

/** How a terminal takes pictures. `placeholders`: kitty behind tmux, which passes the picture on and keeps cells that stand for its parts. */
export type PictureProtocol = "kitty" | "iterm" | "sixel" | "placeholders";

/** Pixels of a cell, as far as pictures are made for them: kitty and iTerm2 scale to cells, sixels must not be larger than theirs. */
const FINE = { width: 16, height: 32 };
const COARSE = { width: 8, height: 16 };

/** Bytes of a picture for one protocol; kitty gets it once, and its place by number afterwards. Undefined: it cannot be shown. */
export async function pictureBytes(
  protocol: PictureProtocol,
  area: PictureArea,
  number: number,
): Promise<string | undefined> {
  const given = await readAtMost(area.path, PICTURE_SOURCE_BYTES);
  if (given === undefined) return undefined;
  const cell = protocol === "sixel" ? COARSE : FINE;
  const most = { width: area.columns * cell.width, height: area.rows * cell.height };
  if (protocol === "sixel") {
    const pixels = await pixelsWithin(given, most);
    return pixels === undefined ? undefined : toSixel(pixels);
  }
  const png = await pngWithin(given, most);
  if (png === undefined) return undefined;
  if (protocol === "iterm") return itermPicture(png, area);
  if (protocol === "kitty") return kittyPieces(png, `a=t,f=100,i=${number},q=2`).join("");
  const { columns, rows } = area;
  const virtual = `a=T,U=1,f=100,i=${placeholderId(number)},c=${columns},r=${rows},q=2`;
  return kittyPieces(png, virtual).map(throughTmux).join("");
}

/** A sequence for the terminal that tmux stands before (`allow-passthrough`). */
export const throughTmux = (sequence: string): string => `\x1bPtmux;${sequence.replaceAll("\x1b", "\x1b\x1b")}\x1b\\`;

/** Pictures behind placeholders are named by one of 256 colours, which every tmux keeps; the first ones are those of texts. */
const FIRST_COLOUR = 40;
const COLOURS = 200;
const placeholderId = (number: number): number => FIRST_COLOUR + (number % COLOURS);

/** A character that stands for a part of a picture, and the marks that tell its row; columns follow from the cell before. */
const PLACEHOLDER = "\u{10eeee}";
const ROWS = "\u0305\u030d\u030e\u0310\u0312\u033d\u033e\u033f\u0346\u034a\u034b\u034c\u0350\u0351\u0352\u0357";

/** The cells of a picture whose bytes were passed through tmux, with its upper left corner at this place. */
export function placeholderCells({ columns, rows }: PictureArea, number: number, at: { x: number; y: number }): string {
  const lines = Array.from(
    { length: rows },
    (_, row) => `\x1b[${at.y + row + 1};${at.x + 1}H${`${PLACEHOLDER}${ROWS[row] ?? ""}`.repeat(columns)}`,
  );
  return `\x1b[0;38;5;${placeholderId(number)}m${lines.join("")}\x1b[0m`;
}

/** Characters of one piece, as the protocol wants them at most. */
const PIECE = 4_096;

/** The picture in pieces; `q=2` in `keys`: the terminal answers nothing. */
function kittyPieces(png: Buffer, keys: string): readonly string[] {
  const text = png.toString("base64");
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += PIECE) {
    const more = at + PIECE < text.length ? 1 : 0;
    const head = at === 0 ? `${keys},m=${more}` : `m=${more}`;
    pieces.push(`\x1b_G${head};${text.slice(at, at + PIECE)}\x1b\\`);
  }
  return pieces;
}

const itermPicture = (png: Buffer, { columns, rows }: PictureArea): string =>
  `\x1b]1337;File=inline=1;size=${png.length};width=${columns};height=${rows};preserveAspectRatio=1;doNotMoveCursor=1:${png.toString("base64")}\x07`;

export interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Three bytes a pixel. */
  readonly data: Uint8Array;
}

/** Steps of each colour: 216 colours, which every sixel terminal has. */
const STEPS = 6;
const BAND = 6;

/** A picture as sixels: bands of six rows, each colour of a band by itself, runs shortened. */
export function toSixel({ width, height, data }: Pixels): string {
  const used = new Set<number>();
  const bands: string[] = [];
  for (let top = 0; top < height; top += BAND) bands.push(bandOf({ width, height, data }, top, used));
  const percent = (step: number) => Math.round((step * 100) / (STEPS - 1));
  const colours = [...used].map(
    (colour) =>
      `#${colour};2;${percent(Math.floor(colour / 36))};${percent(Math.floor(colour / 6) % 6)};${percent(colour % 6)}`,
  );
  return `\x1bPq"1;1;${width};${height}${colours.join("")}${bands.join("-")}\x1b\\`;
}

function bandOf({ width, height, data }: Pixels, top: number, used: Set<number>): string {
  const rows = new Map<number, Uint8Array>();
  for (let y = top; y < Math.min(height, top + BAND); y++)
    for (let x = 0; x < width; x++) {
      const colour = colourAt(data, (y * width + x) * 3);
      const row = rows.get(colour) ?? new Uint8Array(width);
      rows.set(colour, row);
      row[x] = (row[x] ?? 0) | (1 << (y - top));
    }
  const written = [...rows].map(([colour, row]) => {
    used.add(colour);
    return `#${colour}${runs(row)}`;
  });
  return written.join("$");
}

function colourAt(data: Uint8Array, at: number): number {
  const step = (value = 0) => Math.round((value * (STEPS - 1)) / 255);
  return step(data[at]) * 36 + step(data[at + 1]) * 6 + step(data[at + 2]);
}

function runs(row: Uint8Array): string {
  let out = "";
  for (let at = 0; at < row.length; ) {
    let end = at + 1;
    while (end < row.length && row[end] === row[at]) end += 1;
    const sign = String.fromCharCode(63 + (row[at] ?? 0));
    out += end - at > 3 ? `!${end - at}${sign}` : sign.repeat(end - at);
    at = end;
  }
  return out;
}
