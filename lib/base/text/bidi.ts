/**
 * Characters that change the direction in which text around them is shown: U+202E makes `eltit` look like `title`. They are shown as marks wherever
 * people read what others wrote, by the same notation on the page and in the terminal.
 */
export const BIDI_CONTROLS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

const FIRST_ONE = new RegExp(BIDI_CONTROLS.source);

/** The visible mark of a character: `⟪U+202E⟫`. */
export const spellCharacter = (char: string): string =>
  `⟪U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟫`;

/** A text with its bidirectional controls as marks. */
export const markBidi = (text: string): string =>
  FIRST_ONE.test(text) ? text.replace(BIDI_CONTROLS, spellCharacter) : text;
