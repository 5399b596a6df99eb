/** A line as the rules read it; `line` is where it begins in the file. */
export interface ScanLine {
  readonly text: string;
  readonly line: number;
}

const WINDOW = 2_000;
const OVERLAP = 300;
/** Lines that a backslash joins to one. */
const JOINED_MAX = 20;

const INVISIBLE =
  /[\u00ad\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\u3164\ufeff\uffa0\u{e0000}-\u{e007f}]/gu;

/** Lines as a reader and a shell see them: without what is invisible, look-alike forms folded, continued lines joined, long ones in pieces that overlap. */
export function toScanLines(text: string): readonly ScanLine[] {
  const lines: ScanLine[] = [];
  const source = text.split("\n");
  for (let at = 0; at < source.length; at++) {
    const line = at + 1;
    let whole = readable(source[at] ?? "");
    for (let more = 0; whole.endsWith("\\") && more < JOINED_MAX && at + 1 < source.length; more++) {
      at += 1;
      whole = `${whole.slice(0, -1).trimEnd()} ${readable(source[at] ?? "").trim()}`;
    }
    const tidy = whole.replace(/[ \t\u00a0]+/g, " ");
    for (let from = 0; from === 0 || from + OVERLAP < tidy.length; from += WINDOW - OVERLAP)
      lines.push({ text: tidy.slice(from, from + WINDOW), line });
  }
  return lines;
}

function readable(line: string): string {
  const plain = line.endsWith("\r") ? line.slice(0, -1) : line;
  return /[^\u0000-\u007f]/.test(plain) ? plain.replace(INVISIBLE, "").normalize("NFKC") : plain;
}
