/** Marks, inside a word that is being read, a brace or comma that was written without quotes. */
export const BRACE_OPEN = "\u0001";
export const BRACE_COMMA = "\u0002";
export const BRACE_CLOSE = "\u0003";
/** Marks where an unquoted variable splits the word in two. */
export const SPLIT = "\u0004";

const WORDS_AT_MOST = 256;
/** A longer word with lists stays one word: it is not written by people, and its expansions would fill the memory. */
const CHARS_AT_MOST = 4_096;

/** Words that brace expansion makes of one; the marks outside of lists become the characters they were. */
export function expandBraces(text: string): readonly string[] {
  if (!text.includes(BRACE_OPEN) || text.length > CHARS_AT_MOST) return [plainMarks(text)];
  const open: string[] = [text];
  const done: string[] = [];
  while (open.length > 0 && done.length + open.length < WORDS_AT_MOST) {
    const next = open.shift() ?? "";
    const made = expandFirst(next);
    if (made === undefined) done.push(plainMarks(next));
    else open.unshift(...made);
  }
  return [...done, ...open.map(plainMarks)];
}

function plainMarks(text: string): string {
  return text.replaceAll(BRACE_OPEN, "{").replaceAll(BRACE_COMMA, ",").replaceAll(BRACE_CLOSE, "}");
}

/** Expand the innermost list that closes first; undefined without one. */
function expandFirst(text: string): readonly string[] | undefined {
  const close = text.indexOf(BRACE_CLOSE);
  if (close === -1) return undefined;
  const open = text.lastIndexOf(BRACE_OPEN, close);
  if (open === -1) return [`${text.slice(0, close)}}${text.slice(close + 1)}`];
  const head = text.slice(0, open);
  const tail = text.slice(close + 1);
  const body = text.slice(open + 1, close);
  const parts = body.includes(BRACE_COMMA) ? body.split(BRACE_COMMA) : sequence(body);
  return parts === undefined ? [`${head}{${body}}${tail}`] : parts.map((part) => head + part + tail);
}

/** `1..3` and `a..c`. */
function sequence(body: string): readonly string[] | undefined {
  const match = /^(-?\d{1,6}|[a-zA-Z])\.\.(-?\d{1,6}|[a-zA-Z])$/.exec(body);
  const [, from = "", to = ""] = match ?? [];
  if (match === null) return undefined;
  const letters = /[a-zA-Z]/.test(from) && /[a-zA-Z]/.test(to);
  const first = letters ? from.charCodeAt(0) : Number(from);
  const last = letters ? to.charCodeAt(0) : Number(to);
  if (Number.isNaN(first) || Number.isNaN(last)) return undefined;
  const count = Math.min(Math.abs(last - first) + 1, WORDS_AT_MOST);
  const step = last < first ? -1 : 1;
  return Array.from({ length: count }, (_, index) =>
    letters ? String.fromCharCode(first + index * step) : String(first + index * step),
  );
}
