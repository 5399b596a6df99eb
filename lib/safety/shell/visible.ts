import { spellCharacter } from "../../base/text/bidi.js";

/** Anything that a terminal would obey or hide: control characters besides line feed and tab, bidi marks, invisible characters. */
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

const FIRST = new RegExp(HIDDEN.source, "u");

/** A text of which its reader sees every character: `⟪U+001B⟫`, `⟪U+202E⟫`. */
export const visible = (text: string): string => text.replace(HIDDEN, spellCharacter);

/** The same on one line: line feeds and tabs are spelled out too. */
export const visibleLine = (text: string): string => visible(text).replace(/[\n\t]/g, spellCharacter);

/** The first character of a text that is hidden; undefined: without one. */
export const findHidden = (text: string): string | undefined => FIRST.exec(text)?.[0];
