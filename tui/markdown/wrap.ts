import type { RowOf, Span } from "../draw/canvas.js";
import { measure, splitGraphemes, textCells } from "../draw/width.js";

const MOST_CHARS = 10_000; // workspace part, 12: longer lines are cut in the view, never in what is copied

/** A line as it is shown: a very long one says how much of it is not. */
export function shownLine(line: string): string {
  if (line.length <= MOST_CHARS) return line;
  const end = line.charCodeAt(MOST_CHARS - 1) >> 10 === 0x36 ? MOST_CHARS - 1 : MOST_CHARS; // not between the halves of a character
  return `${line.slice(0, end)}… ${line.length - end} more chars`;
}

/** A line with its tabs as blanks up to the next stop. @param every columns from stop to stop: 4 in text, 8 in code and in what programs say */
export function expandTabs(line: string, every: 4 | 8): string {
  if (!line.includes("\t")) return line;
  let column = 0;
  return line
    .split("\t")
    .map((part, at, all) => {
      column += textCells(part);
      const blanks = at === all.length - 1 ? 0 : every - (column % every);
      column += blanks;
      return part + " ".repeat(blanks);
    })
    .join("");
}

/** Break styled text into rows of at most `width` cells, at blanks and between wide characters; a longer word is cut. */
export function wrapSpans(spans: readonly Span[], width: number): readonly RowOf[] {
  const rows = new Rows(Math.max(1, width));
  for (const [style, text] of spans) for (const [atom] of text.matchAll(ATOM)) rows.add(style, atom);
  return rows.end();
}

const ATOM = /\s+|[!-~]+|[^\s!-~]+/g;

/** Break a line of code: only where the row is full, blanks stay. */
export function wrapCode(spans: readonly Span[], width: number): readonly RowOf[] {
  const rows: Span[][] = [[]];
  let used = 0;
  const room = Math.max(1, width);
  for (const [style, text] of spans) {
    for (let rest = text; rest !== ""; ) {
      const [head, cells] = headOf(rest, room - used);
      if (head === "") {
        rows.push([]);
        used = 0;
        continue;
      }
      rows.at(-1)?.push([style, head]);
      used += cells;
      rest = rest.slice(head.length);
    }
  }
  return rows;
}

/** The beginning of a text that fits into that many cells, and its cells; a wide character in a row of one cell is given anyway. */
function headOf(text: string, room: number): readonly [string, number] {
  if (room <= 0) return ["", 0];
  if (/^[ -~]*$/.test(text)) return [text.slice(0, room), Math.min(room, text.length)];
  let cells = 0;
  let head = "";
  for (const cluster of splitGraphemes(text)) {
    const size = measure(cluster).cells;
    if (cells + size > room) return head === "" && room === 1 && cells === 0 ? [cluster, size] : [head, cells];
    head += cluster;
    cells += size;
  }
  return [head, cells];
}

class Rows {
  readonly #width: number;
  readonly #rows: Span[][] = [];
  #row: Span[] = [];
  #used = 0;
  #word: Span[] = [];
  #wordCells = 0;
  #blank: Span | undefined;

  constructor(width: number) {
    this.#width = width;
  }

  add(style: number, atom: string): void {
    if (/^\s/.test(atom)) {
      this.#place();
      if (this.#used > 0) this.#blank = [style, " "];
    } else if (atom <= "~") this.#grow(style, atom, atom.length);
    else this.#wide(style, atom);
  }

  #wide(style: number, atom: string): void {
    for (const cluster of splitGraphemes(atom)) {
      const { cells } = measure(cluster);
      if (cells === 2) this.#place();
      this.#grow(style, cluster, cells);
      if (cells === 2) this.#place();
    }
  }

  end(): readonly RowOf[] {
    this.#place();
    if (this.#row.length > 0 || this.#rows.length === 0) this.#rows.push(this.#row);
    return this.#rows;
  }

  #grow(style: number, text: string, cells: number): void {
    const last = this.#word.at(-1);
    if (last?.[0] === style) this.#word[this.#word.length - 1] = [style, last[1] + text];
    else this.#word.push([style, text]);
    this.#wordCells += cells;
  }

  #place(): void {
    if (this.#wordCells === 0) return;
    const lead = this.#blank === undefined ? 0 : 1;
    if (this.#used + lead + this.#wordCells > this.#width && this.#used > 0) this.#break();
    else if (this.#blank !== undefined) {
      this.#put(this.#blank);
      this.#used += 1;
    }
    this.#blank = undefined;
    if (this.#wordCells > this.#width) this.#cut();
    else {
      for (const span of this.#word) this.#put(span);
      this.#used += this.#wordCells;
    }
    this.#word = [];
    this.#wordCells = 0;
  }

  #put([style, text]: Span): void {
    const last = this.#row.at(-1);
    if (last?.[0] === style) this.#row[this.#row.length - 1] = [style, last[1] + text];
    else this.#row.push([style, text]);
  }

  #break(): void {
    this.#rows.push(this.#row);
    this.#row = [];
    this.#used = 0;
  }

  #cut(): void {
    const parts = wrapCode(this.#word, this.#width);
    this.#rows.push(...parts.slice(0, -1).map((row) => [...row]));
    this.#row = [...(parts.at(-1) ?? [])];
    this.#used = this.#row.reduce((sum, [, text]) => sum + textCells(text), 0);
  }
}
