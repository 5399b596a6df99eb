import { literalWord, type Word } from "../options/command-line.js";
import { type Call, hasFlag, optionValues } from "./operands.js";

/** One place that a call writes, as its words name it. */
export interface WriteTarget {
  readonly word: Word;
  /** Directories that the call changes to before, outermost first: `git -C a -C b`. */
  readonly into: readonly Word[];
  /** Names that it makes there when the place is a directory. */
  readonly names: readonly Word[];
  /** The name is completed when it is made: `split` adds letters, `ssh-keygen` adds `.pub`. */
  readonly suffixes: readonly string[];
}

/** What the table says about one call. */
export interface Writes {
  readonly targets: readonly WriteTarget[];
  /** What writes where only running it would tell; absent: every place is among the targets. */
  readonly unknown?: string;
}

export const NO_WRITES: Writes = { targets: [] };

export const toTarget = (word: Word, more: Partial<Omit<WriteTarget, "word">> = {}): WriteTarget => ({
  word,
  into: more.into ?? [],
  names: more.names ?? [],
  suffixes: more.suffixes ?? [],
});

/** The current directory of the call. */
export const HERE: Word = literalWord(".");

export const toTargets = (words: readonly (Word | undefined)[]): readonly WriteTarget[] =>
  words.flatMap((word) => (word === undefined || word.text === "-" ? [] : [toTarget(word)]));

export const toWrites = (...words: readonly (readonly Word[])[]): Writes => ({ targets: toTargets(words.flat()) });

/** Values of these options, separated by blanks, are written. */
export const listOptionWords = (call: Call, options: string): readonly Word[] =>
  optionValues(call, ...options.split(" "));

/** One of these options, separated by blanks, is given. */
export const given = (call: Call, options: string): boolean => hasFlag(call, ...options.split(" "));

/** The word that a value with a prefix holds: `of=x`. */
export const listPrefixedWords = (call: Call, prefix: string): readonly Word[] =>
  call.simple.words
    .slice(1)
    .flatMap((word) => (word.text.startsWith(prefix) ? [dropWordStart(word, prefix.length)] : []));

/** A word without its first characters. */
export const dropWordStart = (word: Word, from: number): Word => ({
  ...word,
  text: word.text.slice(from),
  ...(word.choices === undefined ? {} : { choices: word.choices.map((one) => one.slice(from)) }),
});

/** Another text in place of a word's own, with what is known of the word. */
export const withText = (word: Word, text: string): Word => ({
  text,
  literal: word.literal,
  glob: false,
  quoted: true,
  inner: [],
});

/** Last part of an address or a path, as programs name what they fetch. */
export function nameIn(word: Word): Word | undefined {
  const name = word.text
    .replace(/[?#].*$/s, "")
    .replace(/\/+$/, "")
    .split("/")
    .at(-1);
  return name === undefined || name === "" ? undefined : withText(word, name);
}
