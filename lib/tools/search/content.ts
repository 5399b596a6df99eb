import { readNow } from "../../base/files.js";
import { matchWithin, mayBacktrack } from "../../base/regex.js";
import type { Ms } from "../../base/units.js";
import { headText } from "../../safety/text.js";
import { decode, isBinary, splitLines } from "../files/codec.js";

const FILE_BYTES = 16 << 20;
const LINE_CHARS = 2_000;
const SHOWN_CHARS = 500;
/** A slow pattern may block this long for one file, and after so many such files the search ends. */
const SLOW_MS: Ms = 250;
const SLOW_FILES = 4;

export interface Hit {
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly content: string;
  readonly before?: readonly string[];
  readonly after?: readonly string[];
}

/** What a line is looked for, and where a match of it begins. */
export interface Needle {
  readonly note: string | undefined;
  /** Column from 0 in each line, -1 for none; undefined when the file took too long. */
  find(lines: readonly string[]): readonly number[] | undefined;
  /** A text without this cannot match; undefined when nothing is known. */
  mayHold(text: string): boolean;
}

export function createNeedle(pattern: string, ignoreCase: boolean): Needle {
  const compiled = compile(pattern, ignoreCase);
  if (compiled === undefined)
    return literalNeedle(pattern, ignoreCase, "the pattern is no regular expression; it was searched as literal text");
  if (!/[\\^$.*+?()[\]{}|]/.test(pattern)) return literalNeedle(pattern, ignoreCase, undefined);
  if (mayBacktrack(pattern)) return { note: undefined, find: (lines) => matchWithin(compiled, lines, SLOW_MS), mayHold: () => true };
  return { note: undefined, find: (lines) => lines.map((line) => line.search(compiled)), mayHold: () => true };
}

function compile(pattern: string, ignoreCase: boolean): RegExp | undefined {
  try {
    return new RegExp(pattern, ignoreCase ? "i" : "");
  } catch {
    return undefined; // no regular expression: searched as it is written
  }
}

function literalNeedle(pattern: string, ignoreCase: boolean, note: string | undefined): Needle {
  const wanted = ignoreCase ? pattern.toLowerCase() : pattern;
  const fold = (text: string) => (ignoreCase ? text.toLowerCase() : text);
  return { note, find: (lines) => lines.map((line) => fold(line).indexOf(wanted)), mayHold: (text) => fold(text).includes(wanted) };
}

export interface Searched {
  total: number;
  readonly hits: Hit[];
  readonly counts: Map<string, number>;
  files: number;
  readonly skipped: string[];
}

export const createSearched = (): Searched => ({ total: 0, hits: [], counts: new Map(), files: 0, skipped: [] });

export interface Page {
  readonly offset: number;
  readonly limit: number;
  readonly context: number;
}

/** One search: what is looked for, which part of the hits is shown, and what was found so far. */
export interface Look {
  readonly needle: Needle;
  readonly page: Page;
  readonly searched: Searched;
}

/** Look through one file; hits beyond the page are only counted. */
export function searchFile(path: string, shown: string, look: Look): void {
  const { needle, page, searched } = look;
  if (searched.skipped.length >= SLOW_FILES || isBinary(path, Buffer.alloc(0))) return;
  const bytes = readNow(path, FILE_BYTES);
  if (bytes === undefined || isBinary(path, bytes)) return;
  searched.files += 1;
  const { text } = decode(bytes);
  if (!needle.mayHold(text)) return;
  const lines = splitLines(text);
  const columns = needle.find(lines.map((line) => (line.length > LINE_CHARS ? headText(line, LINE_CHARS) : line)));
  if (columns === undefined) {
    searched.skipped.push(shown);
    return;
  }
  let count = 0;
  for (const [index, column] of columns.entries()) {
    if (column === -1) continue;
    count += 1;
    const place = searched.total;
    searched.total += 1;
    if (place >= page.offset && searched.hits.length < page.limit)
      searched.hits.push({ path: shown, line: index + 1, column: column + 1, ...toText(lines, index, page.context) });
  }
  if (count > 0) searched.counts.set(shown, count);
}

function toText(lines: readonly string[], index: number, context: number): Pick<Hit, "content" | "before" | "after"> {
  const cut = (line: string) => headText(line, SHOWN_CHARS);
  const content = cut(lines[index] ?? "");
  if (context === 0) return { content };
  return {
    content,
    before: lines.slice(Math.max(0, index - context), index).map(cut),
    after: lines.slice(index + 1, index + 1 + context).map(cut),
  };
}
