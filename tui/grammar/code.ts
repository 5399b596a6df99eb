import type { Span } from "../draw/canvas.js";
import { type Block, blockRows } from "../draw/markdown.js";
import { findGrammar } from "./names.js";

/** Lines of code in their colours: for each line its spans. */
export type Painted = readonly (readonly Span[])[];

/** Colours that a grammar found, by `codeKey`. */
export type Colours = ReadonlyMap<string, Painted>;

/** A piece of code that a grammar may colour. */
export interface Code {
  /** As the fence names it. */
  readonly lang: string;
  /** As they are shown, tabs as blanks. */
  readonly lines: readonly string[];
  readonly key: string;
}

/** More characters keep the first colours: a grammar needs 78 ms for 20 KB. */
const MOST_CHARS = 20 * 1024;

export const codeKey = (lang: string, lines: readonly string[]): string => `${lang}\n${lines.join("\n")}`;

const NONE: readonly Code[] = [];
const found = new WeakMap<Block, readonly Code[]>();

/** Code of a finished block, nested in quotes and lists too, that a grammar may colour. */
export function findCode(block: Block): readonly Code[] {
  if (block.inside === undefined && !/`{3}|~{3}/.test(block.text)) return NONE;
  const known = found.get(block);
  if (known !== undefined) return known;
  const codes: Code[] = [];
  blockRows(block, WIDE, (lang, lines) => {
    const key = codeKey(lang, lines);
    if (lines.length > 0 && key.length <= MOST_CHARS && findGrammar(lang) !== undefined)
      codes.push({ lang, lines, key });
    return [];
  });
  found.set(block, codes);
  return codes;
}

const WIDE = 1_000;

/** Whether spans hold exactly the text of the lines: what is copied, searched and broken into rows stays the same. */
export const hasSameText = (painted: Painted, lines: readonly string[]): boolean =>
  painted.length === lines.length && lines.every((line, at) => painted[at]?.map(([, text]) => text).join("") === line);
