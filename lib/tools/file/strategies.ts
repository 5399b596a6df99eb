import { similarity } from "../core/repair.js";

/** A place in the text that `old_string` stands for. */
export interface Match {
  readonly from: number;
  readonly to: number;
}

export interface FoundText {
  readonly strategy: string;
  readonly matches: readonly Match[];
}

/** Lines of a text with their places. */
export interface Lines {
  readonly text: string;
  readonly lines: readonly string[];
  /** Start of each line, and behind the last the length of the text. */
  readonly starts: readonly number[];
}

export function toLines(text: string): Lines {
  const lines = text.split("\n");
  const starts = [0];
  for (const line of lines) starts.push((starts.at(-1) ?? 0) + line.length + 1);
  return { text, lines, starts };
}

/** Line comparisons of one call; a hostile pair of texts gets "no match" instead of a hang. */
const COMPARISONS_AT_MOST = 400_000;
const LINE_CHARS = 300;

type Strategy = (file: Lines, old: string) => readonly Match[];

/** Core part, 18.3: in this order, the first that finds anything wins. */
const STRATEGIES: readonly (readonly [string, Strategy])[] = [
  ["exact", (file, old) => occurrences(file.text, old)],
  ["line_trimmed", (file, old) => byLines(file, old, (line) => line.trim())],
  ["whitespace_normalized", (file, old) => byLines(file, old, (line) => line.replace(/\s+/g, " ").trim())],
  ["indentation_flexible", byIndentation],
  ["escape_normalized", (file, old) => (/\\[ntr]/.test(old) ? occurrences(file.text, unescapeText(old)) : [])],
  [
    "trimmed_boundary",
    (file, old) => (old.trim() === old || old.trim() === "" ? [] : occurrences(file.text, old.trim())),
  ],
  ["unicode_normalized", (file, old) => byLines(file, old, (line) => plainPunctuation(line).trim())],
  ["block_anchor", byAnchors],
  ["context_aware", byContext],
];

export function findByStrategies(file: Lines, old: string): FoundText | undefined {
  for (const [strategy, run] of STRATEGIES) {
    const matches = run(file, old);
    if (matches.length > 0) return { strategy, matches };
  }
  return undefined;
}

function occurrences(text: string, part: string): readonly Match[] {
  const found: Match[] = [];
  if (part === "") return found;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length))
    found.push({ from: at, to: at + part.length });
  return found;
}

/** Lines of what is searched; a line end at its end belongs to the match. */
function block(old: string): { lines: readonly string[]; closed: boolean } {
  const closed = old.endsWith("\n");
  return { lines: (closed ? old.slice(0, -1) : old).split("\n"), closed };
}

function range(file: Lines, first: number, count: number, closed: boolean): Match {
  const end = (file.starts[first + count] ?? 0) - 1;
  const to = closed && end < file.text.length ? end + 1 : end;
  return { from: file.starts[first] ?? 0, to };
}

function byLines(file: Lines, old: string, normal: (line: string) => string): readonly Match[] {
  const { lines, closed } = block(old);
  const wanted = lines.map(normal);
  if (wanted.every((line) => line === "")) return [];
  const have = file.lines.map(normal);
  const found: Match[] = [];
  for (let at = 0; at + wanted.length <= have.length; at++) {
    if (!wanted.every((line, index) => have[at + index] === line)) continue;
    found.push(range(file, at, wanted.length, closed));
    at += wanted.length - 1;
  }
  return found;
}

function byIndentation(file: Lines, old: string): readonly Match[] {
  const { lines, closed } = block(old);
  const wanted = dedent(lines).join("\n");
  if (wanted.trim() === "") return [];
  const found: Match[] = [];
  for (let at = 0; at + lines.length <= file.lines.length; at++) {
    if (dedent(file.lines.slice(at, at + lines.length)).join("\n") === wanted)
      found.push(range(file, at, lines.length, closed));
  }
  return found;
}

function dedent(lines: readonly string[]): readonly string[] {
  const widths = lines.filter((line) => line.trim() !== "").map((line) => line.length - line.trimStart().length);
  const least = widths.length === 0 ? 0 : Math.min(...widths);
  return lines.map((line) => line.slice(least));
}

const ESCAPES: Readonly<Record<string, string>> = { "\\n": "\n", "\\t": "\t", "\\r": "\r" };

const unescapeText = (text: string): string => text.replace(/\\[ntr]/g, (mark) => ESCAPES[mark] ?? mark);

function plainPunctuation(text: string): string {
  return text
    .replace(/[\u2018\u2019\u201a\u201b]/g, "'")
    .replace(/[\u201c\u201d\u201e\u201f\u00ab\u00bb]/g, '"')
    .replace(/[\u2010-\u2015\u2212]/g, "-")
    .replace(/\u2026/g, "...")
    .replace(/[\u00a0\u2007\u202f\u2002\u2003\u2009]/g, " ");
}

/** How alike two lines are, without the blanks at their ends. */
function likeness(a: string, b: string): number {
  const left = a.trim().slice(0, LINE_CHARS);
  const right = b.trim().slice(0, LINE_CHARS);
  if (left === right) return 1;
  const longer = Math.max(left.length, right.length);
  // A difference in length alone can put it out of reach; then the expensive comparison is not made.
  return Math.min(left.length, right.length) < longer * 0.4 ? 0 : similarity(left, right);
}

/** First and last line equal, the middle alike. */
function byAnchors(file: Lines, old: string): readonly Match[] {
  const { lines, closed } = block(old);
  if (lines.length < 3) return [];
  const first = (lines[0] ?? "").trim();
  const last = (lines.at(-1) ?? "").trim();
  const starts: number[] = [];
  for (let at = 0; at + lines.length <= file.lines.length; at++) {
    if ((file.lines[at] ?? "").trim() === first && (file.lines[at + lines.length - 1] ?? "").trim() === last)
      starts.push(at);
  }
  if (starts.length * lines.length > COMPARISONS_AT_MOST / 100) return [];
  const least = starts.length === 1 ? 0.5 : 0.7;
  const scored = starts
    .map((at) => ({ at, score: middleScore(file, at, lines) }))
    .filter(({ score }) => score >= least);
  return scored.map(({ at }) => range(file, at, lines.length, closed));
}

function middleScore(file: Lines, at: number, lines: readonly string[]): number {
  let sum = 0;
  for (let index = 1; index < lines.length - 1; index++)
    sum += likeness(file.lines[at + index] ?? "", lines[index] ?? "");
  return sum / (lines.length - 2);
}

/** At least half of the lines are alike by 80 %; the best place wins, several equally good ones are all told. */
function byContext(file: Lines, old: string): readonly Match[] {
  const { lines, closed } = block(old);
  if (lines.length < 2 || lines.length * file.lines.length > COMPARISONS_AT_MOST / 20) return [];
  let best = 0;
  let places: number[] = [];
  for (let at = 0; at + lines.length <= file.lines.length; at++) {
    const alike = lines.filter(
      (line, index) => line.trim() !== "" && likeness(file.lines[at + index] ?? "", line) >= 0.8,
    ).length;
    const share = alike / lines.length;
    if (share < 0.5 || share < best) continue;
    places = share > best ? [at] : [...places, at];
    best = share;
  }
  return places.map((at) => range(file, at, lines.length, closed));
}

/** The places that are most like what was searched, best first. */
export function closest(file: Lines, old: string, count: number): readonly { line: number; text: string }[] {
  const wanted = block(old).lines.slice(0, 12);
  const scored: { at: number; score: number }[] = [];
  const anchor = wanted.find((line) => line.trim() !== "") ?? "";
  const offset = Math.max(0, wanted.indexOf(anchor));
  if (file.lines.length > COMPARISONS_AT_MOST / 20) return [];
  for (let at = 0; at < file.lines.length; at++) {
    const score = likeness(file.lines[at] ?? "", anchor);
    if (score >= 0.5) scored.push({ at: Math.max(0, at - offset), score });
  }
  return scored
    .sort((a, b) => b.score - a.score)
    .slice(0, count)
    .map(({ at }) => ({
      line: at + 1,
      text: file.lines
        .slice(at, at + Math.max(3, wanted.length))
        .join("\n")
        .slice(0, 1_500),
    }));
}
