/** Markdown is read in pieces of about this length: some texts cost the square of their length. */
const PIECE_CHARS = 16_000;
/** A piece without an empty line to cut it at is cut at the end of a line; what is one line above this is not read as Markdown. */
export const PIECE_MOST = 40_000;

/** Long code is a piece by itself, which needs no reading. */
export type Piece =
  | { readonly kind: "markdown"; readonly text: string }
  | { readonly kind: "code"; readonly text: string; readonly language: string };

interface Fence {
  readonly mark: string;
  readonly language: string;
  /** Where its line begins, and where its code does. */
  readonly at: number;
  readonly code: number;
}

const OPENS = /^ {0,3}(?:(`{3,})([^`]*)|(~{3,})(.*))$/;
const RULED = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(\|[ \t]*:?-*:?[ \t]*)+$/;

/** Cut a long text at empty lines outside of fenced code; without empty lines, a paragraph or list at its lines, and a table, whose head is repeated. */
export function splitMarkdown(text: string): readonly Piece[] {
  if (text.length <= PIECE_CHARS) return [{ kind: "markdown", text }];
  const cutter = new Cutter(text);
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf("\n", at);
    const next = end < 0 ? text.length : end + 1;
    cutter.line(at, next);
    at = next;
  }
  return cutter.end();
}

/** A line, from its beginning to that of the next one. */
interface Place {
  readonly at: number;
  readonly next: number;
}

class Cutter {
  readonly #text: string;
  readonly #pieces: Piece[] = [];
  #from = 0;
  #fence: Fence | undefined;
  /** Lines since the last empty one, as far as a table needs them. */
  #block: string[] = [];
  /** Head of the table that goes on. */
  #head = "";

  constructor(text: string) {
    this.#text = text;
  }

  line(at: number, next: number): void {
    const line = this.#text.slice(at, next).replace(/\n$/, "");
    if (this.#fence === undefined) this.#outside(line, { at, next });
    else this.#inCode(this.#fence, line, { at, next });
  }

  #outside(line: string, { at, next }: Place): void {
    const [, ticks, info, tildes, about] = OPENS.exec(line) ?? [];
    const mark = ticks ?? tildes;
    if (mark !== undefined)
      this.#fence = { mark, language: (info ?? about ?? "").trim().split(/\s/)[0] ?? "", at, code: next };
    const empty = line.trim() === "";
    if (mark !== undefined || empty) this.#block = [];
    else if (this.#block.length < 2) this.#block.push(line);
    if (mark === undefined && next - this.#from >= PIECE_CHARS * (empty ? 1 : 2)) this.#cut(next);
  }

  end(): readonly Piece[] {
    const fence = this.#fence;
    if (fence !== undefined && this.#text.length - fence.at > PIECE_CHARS)
      this.#code(fence, this.#text.length, this.#text.length);
    else this.#cut(this.#text.length);
    return this.#pieces;
  }

  #inCode(fence: Fence, line: string, { at, next }: Place): void {
    const mark = line.trim();
    if (!mark.startsWith(fence.mark) || mark !== (mark[0] ?? "").repeat(mark.length) || /^ {4}/.test(line)) return;
    this.#fence = undefined;
    if (next - fence.at > PIECE_CHARS) this.#code(fence, at, next);
  }

  #code({ at, code, language }: Fence, end: number, next: number): void {
    this.#cut(at);
    this.#pieces.push({ kind: "code", text: this.#text.slice(code, end).replace(/\n$/, ""), language });
    this.#from = next;
    this.#head = "";
  }

  #cut(to: number): void {
    const text = this.#text.slice(this.#from, to);
    if (text !== "") this.#pieces.push({ kind: "markdown", text: `${this.#head}${text}` });
    const [first = "", second = ""] = this.#block;
    this.#head = RULED.test(second) && first.includes("|") ? `${first}\n${second}\n` : "";
    this.#from = to;
  }
}
