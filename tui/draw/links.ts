/** Bits of a style below the number of its link. Styles with a link pass 32 bits, so the number is taken by arithmetic. */
const BITS = 23;
const UNIT = 2 ** BITS;

/** Addresses that are remembered; text that names further ones is shown without a link. */
const MOST = 4_096;

/** Schemes that a terminal may open, and printable ASCII only: nothing in it ends the sequence. */
const ALLOWED = /^(?:https?|file|mailto):[!-~]{1,2000}$/i;

/** Addresses by number; a number never changes its address, for rows are kept. */
const addresses: string[] = [];
const numbers = new Map<string, number>();

/** The style with a link to an address; unchanged where the address is not one that a terminal may open. */
export function linkTo(style: number, address: string): number {
  if (!ALLOWED.test(address)) return style;
  const known = numbers.get(address);
  if (known !== undefined) return withoutLink(style) + known * UNIT;
  if (addresses.length === MOST) return style;
  addresses.push(address);
  numbers.set(address, addresses.length);
  return withoutLink(style) + addresses.length * UNIT;
}

export const withoutLink = (style: number): number => style & (UNIT - 1);

/** Change colours and attributes of a style; its link stays. */
export function restyle(style: number, change: (plain: number) => number): number {
  const plain = withoutLink(style);
  return style - plain + change(plain);
}

/** The sequence that begins the link of a style, or ends the last one. */
export function linkSequence(style: number): string {
  return `\x1b]8;;${addresses[linkOf(style) - 1] ?? ""}\x1b\\`;
}

/** Number of the link in a style; 0: none. */
export const linkOf = (style: number): number => (style < 0 ? 0 : Math.floor(style / UNIT));
