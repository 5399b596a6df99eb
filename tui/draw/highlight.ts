import { type Language, languageOf } from "../markdown/languages.js";
import { kindOf, type TokenKind } from "../markdown/tokens.js";
import { expandTabs, wrapCode } from "../markdown/wrap.js";
import type { RowOf, Span } from "./canvas.js";
import { edged } from "./marks.js";
import { THEME } from "./theme.js";

const LONGEST = 2_000; // a longer line of code stays in one colour: the colours of a minified file do not help

/** Lines of code as rows, coloured for the usual languages. @param lang as the fence names it; an unknown one gives one colour */
export const codeRows = (
  lines: readonly string[],
  lang: string,
  width: number,
  paint: PaintLines = () => undefined,
): readonly RowOf[] => {
  const shown = lines.map((line) => expandTabs(line, 8));
  return edged((paint(lang, shown) ?? paintLines(shown, lang)).flatMap((line) => wrapCode(line, width)));
};

/** Spans of each line, where they are known from elsewhere. */
export type PaintLines = (lang: string, lines: readonly string[]) => readonly (readonly Span[])[] | undefined;

/** The first colours of lines without tabs: spans of each. */
export function paintLines(lines: readonly string[], lang: string): readonly (readonly Span[])[] {
  const painter = new Painter(languageOf(lang));
  return lines.map((line) => painter.line(line));
}

const STYLES: Readonly<Record<TokenKind, number>> = {
  comment: THEME.codeComment,
  string: THEME.codeString,
  number: THEME.codeNumber,
  key: THEME.codeName,
  call: THEME.codeName,
  type: THEME.codeType,
  variable: THEME.codeType,
  operator: THEME.codeOperator,
};

class Painter {
  readonly #language: Language | undefined;
  /** What a construct over several lines ends with, and its style. */
  #until: readonly [end: string, style: number] | undefined;

  constructor(language: Language | undefined) {
    this.#language = language;
  }

  line(line: string): readonly Span[] {
    const language = this.#language;
    if (language === undefined || line.length > LONGEST) return line === "" ? [] : [[THEME.code, line]];
    if (language.diff) return diffLine(line);
    const spans: Span[] = [];
    const begin = this.#rest(line, spans);
    let at = begin;
    for (const found of line.slice(begin).matchAll(language.tokens)) {
      const from = begin + found.index;
      if (from < at) continue;
      if (from > at) spans.push([THEME.text, line.slice(at, from)]);
      at = this.#token(line, from, found, spans);
      if (this.#until !== undefined || at >= line.length) return spans;
    }
    if (at < line.length) spans.push([THEME.text, line.slice(at)]);
    return spans;
  }

  /** What is left of a comment or a string that began on a line before. Returns where it ends. */
  #rest(line: string, spans: Span[]): number {
    if (this.#until === undefined) return 0;
    const [end, style] = this.#until;
    const at = line.indexOf(end);
    const to = at < 0 ? line.length : at + end.length;
    if (to > 0) this.#put(spans, style, line.slice(0, to));
    if (at >= 0) this.#until = undefined;
    return to;
  }

  #token(line: string, from: number, found: RegExpExecArray, spans: Span[]): number {
    const groups = found.groups ?? {};
    const open = groups["open"];
    if (open !== undefined) return this.#opened(line, from, open, spans);
    const text = found[0];
    const style = styleOf(groups, text, line[from - 1] === "." ? undefined : this.#language); // members are not keywords
    this.#put(spans, style, text);
    return from + text.length;
  }

  /** What is computed within a string does not count as a string. */
  #put(spans: Span[], style: number, text: string): void {
    const inside = style === STYLES.string ? this.#language?.inside : undefined;
    let from = 0;
    for (const found of inside === undefined ? [] : text.matchAll(inside)) {
      if (found.index > from) spans.push([style, text.slice(from, found.index)]);
      spans.push([THEME.codeType, found[0]]);
      from = found.index + found[0].length;
    }
    if (from < text.length) spans.push([style, text.slice(from)]);
  }

  #opened(line: string, from: number, open: string, spans: Span[]): number {
    const [, close = "", kind = "comment"] = this.#language?.spans.find(([begin]) => begin === open) ?? [];
    const end = line.indexOf(close, from + open.length);
    const to = end < 0 ? line.length : end + close.length;
    this.#put(spans, STYLES[kind], line.slice(from, to));
    if (end < 0) this.#until = [close, STYLES[kind]];
    return to;
  }
}

function styleOf(
  groups: Readonly<Record<string, string | undefined>>,
  text: string,
  language: Language | undefined,
): number {
  if (language?.words.has(language.anyCase ? text.toLowerCase() : text) === true) return THEME.codeKeyword;
  const kind = kindOf(groups);
  return kind === undefined ? THEME.text : STYLES[kind];
}

function diffLine(line: string): readonly Span[] {
  if (line === "") return [];
  const style = /^(\+\+\+|---|@@|diff |index )/.test(line)
    ? THEME.dim
    : line.startsWith("+")
      ? THEME.diffAdd
      : line.startsWith("-")
        ? THEME.diffDel
        : THEME.text;
  return [[style, line]];
}
