const SHIFT = 23; // above the attributes of a style
const MOST = 255;

/** Addresses by their number; the oldest makes room. More than these are never on one screen. */
const urls: string[] = [];
let next = 0;

/** Only these lead somewhere that a terminal may open. */
const ALLOWED = /^(https?|file|mailto):[!-~]{1,2000}$/;

/** The style with a link to this address; as it was when the address is none. The address stands as text beside it. */
function linked(style: number, url: string): number {
  if (!ALLOWED.test(url)) return style;
  let at = urls.indexOf(url);
  if (at < 0) {
    at = next;
    urls[at] = url;
    next = (next + 1) % MOST;
  }
  return withoutLink(style) | ((at + 1) << SHIFT);
}

export const withoutLink = (style: number): number => style & ((1 << SHIFT) - 1);

/** The sequence that begins the link of a style, or ends the last one. */
export function linkSequence(style: number): string {
  return `\x1b]8;;${urls[(style >>> SHIFT) - 1] ?? ""}\x1b\\`;
}

/** Number of the link in a style; 0: none. */
export const linkOf = (style: number): number => (style < 0 ? 0 : style >>> SHIFT);
