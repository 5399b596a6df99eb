const SHIFT = 23;

/** Addresses by their number; the oldest makes room. More than these are never on one screen. */
const urls: string[] = [];

export const withoutLink = (style: number): number => style & ((1 << SHIFT) - 1);

/** The sequence that begins the link of a style, or ends the last one. */
export function linkSequence(style: number): string {
  return `\x1b]8;;${urls[(style >>> SHIFT) - 1] ?? ""}\x1b\\`;
}

/** Number of the link in a style; 0: none. */
export const linkOf = (style: number): number => (style < 0 ? 0 : style >>> SHIFT);
