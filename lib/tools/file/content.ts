import { createMatcher, type Matches } from "../../base/async/regex-worker.js";
import { readAtMostSync } from "../../base/fs/files.js";
import { mayBacktrack } from "../../base/text/regex.js";
import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";
import { headText } from "../../safety/redact/text.js";
import { decode, isBinary, splitLines } from "../run/codec.js";

const FILE_BYTES = 16 << 20;
const LINE_CHARS = 2_000;
const SHOWN_CHARS = 500;
/** Core part, 18.4: a pattern may take this long for one file. */
const SLOW_MS: Ms = 2_000;
/** Files that a thread is given at once. */
const BATCH_FILES = 256;
const BATCH_CHARS = 2 << 20;

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
  /** Column from 0 in each line, -1 for none. Absent: the pattern may take for ever, and a thread looks for it. */
  readonly find?: (line: string) => number;
  /** A text without this cannot match. */
  mayHold(text: string): boolean;
  readonly source: string;
  readonly flags: string;
}

export function createNeedle(pattern: string, ignoreCase: boolean): Needle {
  const compiled = compile(pattern, ignoreCase);
  if (compiled === undefined)
    return literalNeedle(pattern, ignoreCase, "the pattern is no regular expression; it was searched as literal text");
  if (!/[\\^$.*+?()[\]{}|]/.test(pattern)) return literalNeedle(pattern, ignoreCase, undefined);
  const made = { note: undefined, mayHold: () => true, source: pattern, flags: compiled.flags };
  return mayBacktrack(pattern) ? made : { ...made, find: (line) => line.search(compiled) };
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
  return {
    note,
    find: (line) => fold(line).indexOf(wanted),
    mayHold: (text) => fold(text).includes(wanted),
    source: "",
    flags: "",
  };
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
export interface ContentSearch {
  readonly needle: Needle;
  readonly page: Page;
  readonly searched: Searched;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** The files of one search, one after the other. */
export interface FileSearch {
  /** Look through one file; hits beyond the page are only counted. A promise when it has to be waited for. */
  visit(path: string, shown: string): Promise<void> | undefined;
  /** Nothing more comes: finish what waits. Always called, so that no thread is left. */
  end(): Promise<void>;
}

export function searchFiles(look: ContentSearch): FileSearch {
  const { needle } = look;
  const { find } = needle;
  if (find === undefined) return threadSearch(look);
  return {
    visit: (path, shown) => {
      const lines = linesOf(path, look);
      if (lines === undefined) return undefined;
      const found: number[] = [];
      for (const [index, line] of lines.entries()) {
        const column = find(headText(line, LINE_CHARS));
        if (column !== -1) found.push(index, column);
      }
      record(look, { shown, lines }, found);
      return undefined;
    },
    end: async () => undefined,
  };
}

/** Lines of a file that may hold a match; undefined when it is none to search. */
function linesOf(path: string, { needle, searched }: ContentSearch): readonly string[] | undefined {
  if (isBinary(path, Buffer.alloc(0))) return undefined;
  const bytes = readAtMostSync(path, FILE_BYTES);
  if (bytes === undefined || isBinary(path, bytes)) return undefined;
  searched.files += 1;
  const { text } = decode(bytes);
  return needle.mayHold(text) ? splitLines(text) : undefined;
}

interface Waiting {
  readonly shown: string;
  readonly lines: readonly string[];
}

/** Files are given to the thread many at once, and read here while it works on the ones before. */
function threadSearch(look: ContentSearch): FileSearch {
  const { needle, clock, signal } = look;
  const matcher = createMatcher({ source: needle.source, flags: needle.flags, clock, within: SLOW_MS });
  let batch: Waiting[] = [];
  let chars = 0;
  let working: Promise<void> = Promise.resolve();
  const work = async (files: readonly Waiting[]): Promise<void> => {
    const texts = files.map(({ lines }) => lines.map((line) => headText(line, LINE_CHARS)).join("\n"));
    const found = await matcher.find(texts, signal);
    for (const [index, file] of files.entries()) record(look, file, found[index]);
  };
  const flush = (): Promise<void> => {
    const files = batch;
    batch = [];
    chars = 0;
    const before = working;
    working = before.then(() => work(files));
    working.catch(() => undefined); // the waiter for the next batch, or for the end, gets the error
    return before;
  };
  return {
    visit: (path, shown) => {
      const lines = linesOf(path, look);
      if (lines === undefined) return undefined;
      batch.push({ shown, lines });
      for (const line of lines) chars += line.length;
      return batch.length >= BATCH_FILES || chars >= BATCH_CHARS ? flush() : undefined;
    },
    end: async () => {
      try {
        await flush();
        await working;
      } finally {
        await matcher.close();
      }
    },
  };
}

/** Take in where one file matches. */
function record({ page, searched }: ContentSearch, { shown, lines }: Waiting, found: Matches): void {
  if (found === undefined) {
    searched.skipped.push(shown);
    return;
  }
  for (let at = 0; at < found.length; at += 2) {
    const place = searched.total;
    searched.total += 1;
    if (place < page.offset || searched.hits.length >= page.limit) continue;
    const index = found[at] ?? 0;
    searched.hits.push({
      path: shown,
      line: index + 1,
      column: (found[at + 1] ?? 0) + 1,
      ...toText(lines, index, page.context),
    });
  }
  if (found.length > 0) searched.counts.set(shown, found.length / 2);
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
