import { programOnPath } from "../../../lib/base/process/program-path.js";
import type { Ms } from "../../../lib/base/units.js";
import { runProgram, type X11Parts } from "./programs.js";

/**
 * Keys for characters that no key has. xdotool puts each on a spare key for a moment; a program that is busy looks the key up later, when another
 * character is on it. Here each character gets a spare key, which it keeps, so that it does not matter when it is looked up.
 */
export interface SpareKeys {
  /** Whether all of them have a key now. Without xmodmap they have not. */
  place(chars: readonly string[], signal: AbortSignal): Promise<boolean>;
}

/** Part of a text. */
export interface Piece {
  readonly text: string;
  /** Characters of it that a keyboard may not have, each once. */
  readonly foreign: readonly string[];
}

/** Characters that one xdotool types: an interrupt is heard between two. */
const CHARS = 200;
/** A keyboard has about twenty keys without a character. */
const FOREIGN = 12;
/** Before a key gets another character: programs have read what was typed with it by then. */
const READ_MS: Ms = 1_000;

/** The text in pieces whose foreign characters fit on spare keys together. */
export function piecesOf(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let chars: string[] = [];
  let foreign = new Set<string>();
  const end = () => {
    if (chars.length > 0) pieces.push({ text: chars.join(""), foreign: [...foreign] });
    chars = [];
    foreign = new Set();
  };
  for (const char of text) {
    const isNew = !/[\x20-\x7e\s]/.test(char) && !foreign.has(char);
    if (chars.length === CHARS || (isNew && foreign.size === FOREIGN)) end();
    chars.push(char);
    if (!/[\x20-\x7e\s]/.test(char)) foreign.add(char);
  }
  end();
  return pieces;
}

export function createSpareKeys(parts: X11Parts): SpareKeys {
  /** Key codes by their character, the one that was placed first at the front. */
  const placed = new Map<string, number>();
  return {
    place: async (chars, signal) => {
      if (chars.length === 0) return true;
      if (programOnPath("xmodmap", parts.env["PATH"]) === undefined) return false;
      const empty = await emptyKeys(parts, signal);
      for (const [char, code] of placed) if (empty.includes(code)) placed.delete(char); // the keyboard was set again
      const wanted = chars.filter((char) => !placed.has(char));
      if (wanted.length === 0) return true;
      const others = [...placed].filter(([char]) => !chars.includes(char)).map(([, code]) => code);
      const codes = [...empty, ...others].slice(0, wanted.length);
      if (codes.length < wanted.length) return false;
      if (codes.some((code) => others.includes(code))) await parts.clock.sleep(READ_MS, signal);
      for (const [char, code] of placed) if (codes.includes(code)) placed.delete(char);
      const lines = wanted.map((char, at) => `keycode ${codes[at]} = ${keysymOf(char)} ${keysymOf(char)}`);
      const ran = await runProgram(parts, ["xmodmap", ...lines.flatMap((line) => ["-e", line])], signal);
      if (ran.code !== 0) return false;
      for (const [at, code] of codes.entries()) placed.set(wanted[at] ?? "", code);
      return true;
    },
  };
}

/** Code points have names of their own as keys: `U6771`. */
const keysymOf = (char: string): string => `U${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;

/** Codes of keys without a character, as xmodmap prints them: `keycode  97 =`. Code 8 is not a key of some servers. */
async function emptyKeys(parts: X11Parts, signal: AbortSignal): Promise<readonly number[]> {
  const { out } = await runProgram(parts, ["xmodmap", "-pke"], signal);
  return [...out.toString("utf8").matchAll(/^keycode +(\d+) =\s*$/gm)]
    .map(([, code]) => Number(code))
    .filter((code) => code > 8);
}
