/** Something that stands in the text as one sign and is sent as something longer. */
export interface Chip {
  /** The sign that stands for it: one of a private range that no keyboard and no font has. */
  readonly sign: string;
  /** What is seen in its place. */
  readonly label: string;
  /** What is sent. */
  readonly text: string;
  /** Whether it can be had in the text itself. */
  readonly expands: boolean;
}

const FIRST = 0x10f000;
const COUNT = 4_000;
const SIGNS = /[\u{10f000}-\u{10ff9f}]/gu;

/** The sign of the n-th chip. */
export const chipSign = (n: number): string => String.fromCodePoint(FIRST + (n % COUNT));

export function isChip(cluster: string): boolean {
  const code = cluster.codePointAt(0) ?? 0;
  return code >= FIRST && code < FIRST + COUNT;
}

/** What is sent: each chip gives way to what it stands for. A mention ends where blanks begin, so it has one to either side. */
export function expandChips(text: string, chips: readonly Chip[]): string {
  if (chips.length === 0) return text;
  return text.replace(SIGNS, (sign, at: number) => {
    const chip = chips.find((one) => one.sign === sign);
    if (chip === undefined || chip.expands) return chip?.text ?? "";
    const before = [...text.slice(Math.max(0, at - 2), at)].at(-1) ?? " ";
    const apart = /\s/.test(before) || chips.some((one) => one.sign === before && !one.expands); // behind another mention its own blank stands
    const after = /^\S/.test(text.slice(at + sign.length)) ? " " : "";
    return `${apart ? "" : " "}${chip.text}${after}`;
  });
}

/** Text from outside holds none of the signs. */
export const withoutSigns = (text: string): string => text.replace(SIGNS, "\ufffd");
