/** Room for the suffix ` (12/345)`. */
const SUFFIX = 10;
/** Longest opening line of a block that is repeated in the next message; what is longer is repeated without its last words. */
const OPENER = 40;

/**
 * Cut a text into messages of at most `max` UTF-16 code units (gateway part, 11.2). Each but a single one has the suffix `(i/n)`. A cut is at the last
 * line in the second half of what fits, else at the last space there, else anywhere but inside a character; one inside a code span is before
 * it where that is in the second half. A fenced block that is cut is closed, and opened again with its language.
 */
export function splitText(text: string, max: number): readonly string[] {
  if (text.length <= max) return text === "" ? [] : [text];
  const few = cutAll(text, max - SUFFIX);
  const parts = few.length < 1000 ? few : cutAll(text, max - SUFFIX - 4);
  return parts.map(
    (part, at) =>
      `${part}${/(?:^|\n)[ ]{0,3}(?:`{3,}|~{3,})[ \t]*$/.test(part) ? "\n" : " "}(${at + 1}/${parts.length})`,
  );
}

/** The first message of a text that does not fit, closed where it is cut inside a block, and how much of the text it shows. */
export function splitFirstMessage(text: string, max: number): { readonly piece: string; readonly taken: number } {
  const { piece, left } = take(text, max, "");
  const open = fenceAfter(piece, "");
  return { piece: `${piece}${open === "" ? "" : `\n${closerOf(open)}`}`, taken: text.length - left.length };
}

/** The rest of a text behind its first `from` code units, with the block opened again in which it begins. */
export function restFrom(text: string, from: number): string {
  const open = fenceAfter(text.slice(0, from), "");
  const rest = text.slice(from);
  return open === "" || rest.trim() === "" ? rest : `${open}\n${rest}`;
}

function cutAll(text: string, room: number): readonly string[] {
  const parts: string[] = [];
  let rest = text;
  let open = "";
  while (rest !== "") {
    const head = open === "" ? "" : `${open}\n`;
    const { piece, left } = take(rest, room - head.length, open);
    open = fenceAfter(piece, open);
    parts.push(`${head}${piece}${open === "" ? "" : `\n${closerOf(open)}`}`);
    rest = left;
  }
  return parts;
}

interface Taken {
  readonly piece: string;
  readonly left: string;
}

function take(rest: string, room: number, open: string): Taken {
  const closed = (piece: string) => {
    const after = fenceAfter(piece, open);
    return piece.length + (after === "" ? 0 : closerOf(after).length + 1) <= room;
  };
  if (closed(rest)) return { piece: rest, left: "" };
  const first = cutAt(rest, room, open);
  return closed(first.piece) ? first : cutAt(rest, room - closerOf(fenceAfter(first.piece, open)).length - 1, open);
}

function cutAt(text: string, most: number, open: string): Taken {
  const half = most / 2;
  const window = text.slice(0, most + 1); // the sign of the cut itself is left out
  const line = window.lastIndexOf("\n");
  if (line > half) return { piece: text.slice(0, line), left: text.slice(line + 1) };
  const space = window.lastIndexOf(" ");
  const end = space > half ? space : hardCut(text, most);
  const before = open === "" && fenceAfter(text.slice(0, end), "") === "" ? spanBefore(text, end) : undefined;
  if (before !== undefined && before > half)
    return { piece: text.slice(0, before).trimEnd(), left: text.slice(before) };
  return { piece: text.slice(0, end), left: end === space ? text.slice(end + 1) : text.slice(end) };
}

/** The last border of characters within `most`. */
function hardCut(text: string, most: number): number {
  const from = Math.max(0, most - 64);
  const segments = [...new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(text.slice(from, most + 64))];
  const fits = segments.map(({ index }) => from + index).filter((index) => index > from && index <= most);
  const whole = fits.at(-1) ?? Math.max(1, most);
  return /[\uD800-\uDBFF]/.test(text[whole - 1] ?? "") && whole > 1 ? whole - 1 : whole;
}

/** Where the code span begins that a cut at `end` would be inside of; undefined: it would be inside none. */
function spanBefore(text: string, end: number): number | undefined {
  const line = text.lastIndexOf("\n\n", end - 1);
  for (const match of text.slice(Math.max(0, line)).matchAll(/(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)/g)) {
    const begins = Math.max(0, line) + match.index;
    if (begins >= end) return undefined;
    if (begins + match[0].length > end) return begins;
  }
  return undefined;
}

/** The line that opened the block in which a piece ends; "" outside one. */
function fenceAfter(piece: string, before: string): string {
  let open = before;
  for (const [, line = ""] of piece.matchAll(/(?:^|\n)[ ]{0,3}((?:`{3,}|~{3,})[^\n]*)/g)) {
    if (open === "") {
      if (!line.startsWith("`") || !line.slice(marksOf(line).length).includes("`")) open = openerOf(line);
    } else if (line.trimEnd() === marksOf(line) && line.startsWith(closerOf(open))) open = "";
  }
  return open;
}

const marksOf = (line: string): string => /^(?:`+|~+)/.exec(line)?.[0] ?? "";
const closerOf = (open: string): string => marksOf(open);
const openerOf = (line: string): string => {
  const marks = marksOf(line);
  const language = /^\s*(\S*)/.exec(line.slice(marks.length))?.[1] ?? "";
  return line.length <= OPENER ? line.trimEnd() : `${marks}${language.length <= OPENER ? language : ""}`;
};
