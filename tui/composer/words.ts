import { isChip } from "./chip.js";
import { after, before } from "./edges.js";

const LETTER = /^[\p{L}\p{N}\p{M}_]/u;
const BLANK = /^\s/;

type Kind = "letter" | "blank" | "chip" | "sign";

/** Letters and digits make a word; a chip is one by itself. */
function kindAt(text: string, at: number): Kind {
  const sign = String.fromCodePoint(text.codePointAt(at) ?? 32);
  if (isChip(sign)) return "chip";
  return LETTER.test(sign) ? "letter" : BLANK.test(sign) ? "blank" : "sign";
}

/** Back over what is not a word, then over the word. */
export function wordLeft(text: string, at: number): number {
  let place = at;
  while (place > 0 && !isWord(kindAt(text, before(text, place)))) place = before(text, place);
  if (place > 0 && kindAt(text, before(text, place)) === "chip") return before(text, place);
  while (place > 0 && kindAt(text, before(text, place)) === "letter") place = before(text, place);
  return place;
}

/** On over what is not a word, then over the word. */
export function wordRight(text: string, at: number): number {
  let place = at;
  while (place < text.length && !isWord(kindAt(text, place))) place = after(text, place);
  if (place < text.length && kindAt(text, place) === "chip") return after(text, place);
  while (place < text.length && kindAt(text, place) === "letter") place = after(text, place);
  return place;
}

/** Back to the last blank: a path or an address is one word. */
export function partLeft(text: string, at: number): number {
  let place = at;
  while (place > 0 && kindAt(text, before(text, place)) === "blank") place = before(text, place);
  while (place > 0 && kindAt(text, before(text, place)) !== "blank") place = before(text, place);
  return place;
}

const isWord = (kind: Kind): boolean => kind === "letter" || kind === "chip";
