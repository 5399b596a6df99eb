import { AppError } from "../../base/errors.js";

/** One word, where it begins, and whether it is whole: no quote is open and something follows it. */
export interface SlashWord {
  readonly text: string;
  readonly at: number;
  readonly closed: boolean;
}

/**
 * Split a line as a shell does: blanks part words, `'…'` keeps everything, `"…"` and a backslash keep the next character. Nothing is expanded.
 *
 * @param open what an open quote is: an error, or the end of a word that is still being typed
 * @throws E_USAGE naming the place of a quote that is never closed
 */
export function splitWords(line: string, open: "refuse" | "keep" = "refuse"): readonly SlashWord[] {
  const words: SlashWord[] = [];
  for (let at = skip(line, 0); at < line.length; ) {
    const word = readWord(line, at, open);
    words.push({ text: word.text, at, closed: word.end < line.length });
    at = skip(line, word.end);
  }
  return words;
}

const BLANK = /\s/;
const skip = (line: string, from: number): number => {
  let at = from;
  while (at < line.length && BLANK.test(line.charAt(at))) at += 1;
  return at;
};

function readWord(line: string, from: number, open: "refuse" | "keep"): { text: string; end: number } {
  let text = "";
  let at = from;
  while (at < line.length && !BLANK.test(line.charAt(at))) {
    const piece = readPiece(line, at, open);
    text += piece.text;
    at = piece.end;
  }
  return { text, end: at };
}

function readPiece(line: string, at: number, open: "refuse" | "keep"): { text: string; end: number } {
  const first = line.charAt(at);
  if (first === "\\") return { text: line.charAt(at + 1), end: Math.min(at + 2, line.length) };
  if (first !== "'" && first !== '"') return { text: first, end: at + 1 };
  let text = "";
  for (let next = at + 1; next < line.length; next++) {
    const sign = line.charAt(next);
    if (sign === first) return { text, end: next + 1 };
    const escaped = first === '"' && sign === "\\" && next + 1 < line.length;
    if (escaped) next += 1;
    text += escaped ? unescaped(line.charAt(next)) : sign;
  }
  if (open === "refuse")
    throw new AppError("E_USAGE", `unclosed quote at character ${at + 1}: ${line.slice(at, at + 20)}`);
  return { text, end: line.length };
}

/** In double quotes a backslash speaks for quotes, backslashes and `$`; before anything else it is itself. */
const unescaped = (sign: string): string => ('"\\$`'.includes(sign) ? sign : `\\${sign}`);
