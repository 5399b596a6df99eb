import { sanitize } from "../draw/sanitize.js";

const TAG =
  /^<(\/?)([a-z][a-z0-9]*)((?:\s+[^\s"'<>/=]+(?:\s*=\s*(?:"[^"]{0,2000}"|'[^']{0,2000}'|[^\s"'=<>`]+))?)*)\s*\/?>/i;

/** A tag of HTML as it is written. */
export interface Tag {
  readonly whole: string;
  readonly name: string;
  readonly closes: boolean;
  readonly attributes: string;
}

/** The tag at a place; undefined: what stands there is none. */
export function tagAt(text: string, at: number): Tag | undefined {
  const found = TAG.exec(text.slice(at, at + MOST_TAG));
  if (found === null) return undefined;
  const [whole, slash, name = "", attributes = ""] = found;
  return { whole, name: name.toLowerCase(), closes: slash === "/", attributes };
}

const MOST_TAG = 4_000;

/** The value of an attribute, its entities read; empty where it has none. */
export function attribute({ attributes }: Tag, name: string): string {
  const found = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, "i").exec(attributes);
  return decoded(found?.[1] ?? found?.[2] ?? found?.[3] ?? "");
}

/** A text with its entities read. */
export const decoded = (text: string): string =>
  text.replace(/&[#\w]{1,12};/g, (entity) => entityAt(entity, 0)?.text ?? entity);

const NAMED: Readonly<Record<string, string>> = {
  lt: "<",
  gt: ">",
  amp: "&",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
  hellip: "…",
  mdash: "—",
  ndash: "–",
  middot: "·",
  bull: "•",
  copy: "©",
  reg: "®",
  trade: "™",
  deg: "°",
  times: "×",
  divide: "÷",
  plusmn: "±",
  le: "≤",
  ge: "≥",
  ne: "≠",
  asymp: "≈",
  larr: "←",
  rarr: "→",
  uarr: "↑",
  darr: "↓",
  harr: "↔",
  laquo: "«",
  raquo: "»",
  ldquo: "“",
  rdquo: "”",
  lsquo: "‘",
  rsquo: "’",
  euro: "€",
  pound: "£",
  yen: "¥",
  cent: "¢",
  sect: "§",
  para: "¶",
  infin: "∞",
  check: "✓",
  cross: "✗",
  star: "☆",
  hearts: "♥",
};

/** The character that an entity at a place stands for; undefined where it stands for none, or for one that is not seen. */
export function entityAt(text: string, at: number): { readonly text: string; readonly length: number } | undefined {
  const found = /^&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));/i.exec(text.slice(at, at + 12));
  if (found === null) return undefined;
  const [{ length }, decimal, hexadecimal, name] = found;
  if (name !== undefined) return NAMED[name] === undefined ? undefined : { text: NAMED[name], length };
  const point = decimal === undefined ? Number.parseInt(hexadecimal ?? "", 16) : Number(decimal);
  if (point < 0x20 || point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) return undefined;
  const char = String.fromCodePoint(point);
  return sanitize(char) === char ? { text: char, length } : undefined;
}
