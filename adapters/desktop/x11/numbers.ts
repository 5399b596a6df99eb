import type { DesktopElement } from "../../../lib/contracts/desktop/driver.js";

/** Strokes of the digits, as clocks show them: top, upper left, upper right, middle, lower left, lower right, bottom. No font is needed. */
const SEGMENTS = [
  "1110111",
  "0010010",
  "1011101",
  "1011011",
  "0111010",
  "1101011",
  "1101111",
  "1010010",
  "1111111",
  "1111011",
];

const WIDTH = 8;
const HEIGHT = 14;
const GAP = 4;
const PAD = 4;

/** Elements that are drawn: more would hide the picture. */
const DRAWN_AT_MOST = 200;

/** Arguments of ImageMagick that frame the elements and number them. */
export function drawNumbers(elements: readonly DesktopElement[]): readonly string[] {
  return elements.slice(0, DRAWN_AT_MOST).flatMap(({ index, x, y, width, height }) => {
    const digits = [...String(index)].map(Number);
    const right = x + 2 * PAD + digits.length * (WIDTH + GAP) - GAP;
    const box = `rectangle ${x},${y} ${right},${y + HEIGHT + 2 * PAD}`;
    const frame = `rectangle ${x},${y} ${x + width - 1},${y + height - 1}`;
    const lines = digits.flatMap((digit, at) => strokes(digit, x + PAD + at * (WIDTH + GAP), y + PAD));
    return [
      "-fill",
      "none",
      "-stroke",
      "red",
      "-strokewidth",
      "2",
      "-draw",
      frame,
      "-fill",
      "red",
      "-stroke",
      "none",
      "-draw",
      box,
      "-fill",
      "none",
      "-stroke",
      "white",
      "-strokewidth",
      "2",
      "-draw",
      lines.join(" "),
    ];
  });
}

function strokes(digit: number, x: number, y: number): readonly string[] {
  const right = x + WIDTH;
  const middle = y + HEIGHT / 2;
  const bottom = y + HEIGHT;
  const lines = [
    `line ${x},${y} ${right},${y}`,
    `line ${x},${y} ${x},${middle}`,
    `line ${right},${y} ${right},${middle}`,
    `line ${x},${middle} ${right},${middle}`,
    `line ${x},${middle} ${x},${bottom}`,
    `line ${right},${middle} ${right},${bottom}`,
    `line ${x},${bottom} ${right},${bottom}`,
  ];
  return lines.filter((_, at) => SEGMENTS[digit]?.[at] === "1");
}
