import { type Chip, chipSign, withoutSigns } from "./chip.js";

/** A picture that the owner keeps for a message: its file is named by its content, and then as it was called. */
const KEPT =
  /(?<![\w@/])@image:(?:"[^"\n]{0,1900}\/attached\/[0-9a-f]{16}-([^"\n/]{1,100})"|[^\s"]{0,1900}\/attached\/[0-9a-f]{16}-([^\s"/]{1,100}))/g;

const labelOf = (name: string): string => `Image ${name}`;

/** A text as it is shown, with the names of its pictures where it mentions them. */
export const withLabels = (text: string): string =>
  text.includes("@image:") ? text.replace(KEPT, (_whole, quoted, plain) => `[${labelOf(quoted ?? plain)}]`) : text;

/** A text that comes into the composer: its pictures are chips again. */
export interface Chipped {
  readonly text: string;
  readonly chips: readonly Chip[];
  /** Chips made so far. */
  readonly made: number;
}

export function chipped(given: string, before: number): Chipped {
  const chips: Chip[] = [];
  const text = withoutSigns(given).replace(KEPT, (whole, quoted, plain) => {
    const sign = chipSign(before + chips.length + 1);
    chips.push({ sign, label: labelOf(quoted ?? plain), text: whole, expands: false });
    return sign;
  });
  return { text, chips, made: before + chips.length };
}
