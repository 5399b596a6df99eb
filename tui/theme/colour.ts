/** A colour: exactly, and by hand among the sixteen that every terminal has (a computed neighbour of grey or amber is hard to read). */
export interface Colour {
  /** 0xRRGGBB. */
  readonly rgb: number;
  /** 0 to 15; undefined: the terminal's default. */
  readonly basic: number | undefined;
}

/** How many colours the terminal has. */
export type Depth = "truecolor" | "256" | "16" | "none";

const LEVELS = [0, 0x5f, 0x87, 0xaf, 0xd7, 0xff] as const;

/** The sixteen as most terminals show them. */
const BASIC_RGB: readonly number[] = [
  0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x2a5fd0, 0xcd00cd, 0x00cdcd, 0xe5e5e5, 0x7f7f7f, 0xff5f5f, 0x5fff5f,
  0xffff5f, 0x7fa8ff, 0xff5fff, 0x5fffff, 0xffffff,
];

const channels = (rgb: number): readonly [number, number, number] => [(rgb >> 16) & 255, (rgb >> 8) & 255, rgb & 255];

function distance(a: number, b: number): number {
  const [r1, g1, b1] = channels(a);
  const [r2, g2, b2] = channels(b);
  return 2 * (r1 - r2) ** 2 + 4 * (g1 - g2) ** 2 + 3 * (b1 - b2) ** 2; // the eye weighs green most
}

/** The colours 16 to 255 of the usual table. */
const TABLE: readonly number[] = [
  ...LEVELS.flatMap((r) => LEVELS.flatMap((g) => LEVELS.map((b) => (r << 16) | (g << 8) | b))),
  ...Array.from({ length: 24 }, (_, step) => (8 + step * 10) * 0x010101),
];

const nearest = (rgb: number, among: readonly number[]): number =>
  among.reduce((best, one, at) => (distance(one, rgb) < distance(among[best] ?? 0, rgb) ? at : best), 0);

/** Nearest of the 240 fixed colours: the first sixteen are whatever the user made of them. */
export const nearest256 = (rgb: number): number => 16 + nearest(rgb, TABLE);
export const nearest16 = (rgb: number): number => nearest(rgb, BASIC_RGB);

function luminance(rgb: number): number {
  const [r, g, b] = channels(rgb).map((part) => {
    const share = part / 255;
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * (r ?? 0) + 0.7152 * (g ?? 0) + 0.0722 * (b ?? 0);
}

/** Contrast of two colours as WCAG 2 has it, 1 to 21. */
export function contrast(one: number, other: number): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return ((light ?? 0) + 0.05) / ((dark ?? 0) + 0.05);
}

/** Whether a background is a dark one. */
export const isDark = (rgb: number): boolean => contrast(rgb, 0xffffff) >= contrast(rgb, 0x000000);
