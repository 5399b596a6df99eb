import type { Span } from "../draw/canvas.js";
import { italic, THEME } from "../draw/theme.js";
import { attribute, decoded, entityAt, type Tag, tagAt } from "./tags.js";

interface Piece {
  text: string;
  strong: boolean;
  emphasis: boolean;
  gone: boolean;
  style?: number;
}

interface Run {
  readonly char: string;
  count: number;
  readonly opens: boolean;
  readonly closes: boolean;
  readonly piece: Piece;
  readonly place: number;
}

const MOST_RUNS = 400; // more marks than people write: they stay as they are
const SPECIAL = /[\\`*_~[!<&]|https?:\/\//g;
const DEEPEST = 8; // tags in each other
const PUNCTUATION = /[\p{P}\p{S}]/u;

/** A line or paragraph of Markdown as styled text. */
export function inlineSpans(text: string, base: number = THEME.text): readonly Span[] {
  if (!/[\\`*_~[<&]|https?:\/\//.test(text)) return text === "" ? [] : [[base, text]];
  const pieces = new Scanner(text).pieces();
  return pieces.filter((piece) => piece.text !== "").map((piece) => [styleOf(piece, base), piece.text]);
}

function styleOf({ style, strong, emphasis, gone }: Piece, base: number): number {
  if (style !== undefined) return style;
  if (gone) return THEME.dim;
  const set = strong ? THEME.bold : base;
  return emphasis ? italic(set) : set;
}

type Wrapper = "strong" | "emphasis" | "gone" | "code" | "link" | "plain";

/** Tags around a part of a line, and what they make of it. */
const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  b: "strong",
  strong: "strong",
  i: "emphasis",
  em: "emphasis",
  cite: "emphasis",
  var: "emphasis",
  dfn: "emphasis",
  s: "gone",
  del: "gone",
  strike: "gone",
  code: "code",
  kbd: "code",
  samp: "code",
  tt: "code",
  a: "link",
  u: "plain",
  ins: "plain",
  mark: "plain",
  sub: "plain",
  sup: "plain",
  small: "plain",
  big: "plain",
  span: "plain",
  font: "plain",
  abbr: "plain",
  q: "plain",
  time: "plain",
  bdi: "plain",
  picture: "plain",
};

class Scanner {
  readonly #text: string;
  readonly #pieces: Piece[] = [];
  readonly #runs: Run[] = [];
  readonly #depth: number;
  readonly #endless = new Set<string>();
  #at = 0;

  constructor(text: string, depth = 0) {
    this.#text = text;
    this.#depth = depth;
  }

  pieces(): readonly Piece[] {
    const special = new RegExp(SPECIAL.source, "g");
    while (this.#at < this.#text.length) {
      special.lastIndex = this.#at;
      const found = special.exec(this.#text);
      this.#add(this.#text.slice(this.#at, found?.index));
      if (found === null) break;
      this.#at = found.index;
      this.#mark(found[0]);
    }
    if (this.#runs.length <= MOST_RUNS) pair(this.#runs, this.#pieces);
    return this.#pieces;
  }

  #add(text: string, style?: number): Piece {
    const piece: Piece = {
      text,
      strong: false,
      emphasis: false,
      gone: false,
      ...(style === undefined ? {} : { style }),
    };
    this.#pieces.push(piece);
    return piece;
  }

  #mark(mark: string): void {
    if (mark === "\\") this.#escaped();
    else if (mark === "`") this.#code();
    else if (mark === "*" || mark === "_" || mark === "~") this.#run(mark);
    else if (mark === "[") this.#link(0);
    else if (mark === "!") this.#picture();
    else if (mark === "&") this.#entity();
    else if (mark !== "<" || !this.#tag()) this.#address(mark === "<");
  }

  #picture(): void {
    if (this.#text[this.#at + 1] === "[") this.#link(1);
    else this.#plain(1);
  }

  #plain(length: number): void {
    this.#add(this.#text.slice(this.#at, this.#at + length));
    this.#at += length;
  }

  #escaped(): void {
    const next = this.#text[this.#at + 1] ?? "";
    if (/[!-/:-@[-`{-~]/.test(next)) {
      this.#add(next);
      this.#at += 2;
    } else this.#plain(1);
  }

  #code(): void {
    const open = /^`+/.exec(this.#text.slice(this.#at))?.[0] ?? "`";
    const close = new RegExp(`(?<!\`)${open}(?!\`)`, "g");
    close.lastIndex = this.#at + open.length;
    const end = close.exec(this.#text);
    if (end === null) {
      this.#plain(open.length);
      return;
    }
    const inner = this.#text.slice(this.#at + open.length, end.index).replaceAll("\n", " ");
    this.#add(/^ .*[^ ].* $|^ [^ ] $/.test(inner) ? inner.slice(1, -1) : inner, THEME.code);
    this.#at = end.index + open.length;
  }

  #run(char: string): void {
    let end = this.#at;
    while (this.#text[end] === char) end += 1;
    const count = end - this.#at;
    const before = this.#text[this.#at - 1] ?? " ";
    const after = this.#text[end] ?? " ";
    const piece = this.#add(this.#text.slice(this.#at, end));
    this.#at = end;
    if (char === "~" && count !== 2) return;
    const left = !/\s/.test(after) && (!PUNCTUATION.test(after) || /\s/.test(before) || PUNCTUATION.test(before));
    const right = !/\s/.test(before) && (!PUNCTUATION.test(before) || /\s/.test(after) || PUNCTUATION.test(after));
    const opens = left && (char !== "_" || !right || PUNCTUATION.test(before));
    const closes = right && (char !== "_" || !left || PUNCTUATION.test(after));
    this.#runs.push({ char, count, opens, closes, piece, place: this.#pieces.length - 1 });
  }

  /** `[text](address)`, a picture with a `!` before it; anything else stays as it is written. */
  #link(lead: number): void {
    const found =
      /^\[((?:[^[\]\\]|\\.|\[[^[\]]*\])*)\]\(\s*<?([^\s<>()]*(?:\([^\s()]*\)[^\s<>()]*)*)>?(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)/.exec(
        this.#text.slice(this.#at + lead, this.#at + lead + 4_000),
      );
    if (found === null) {
      this.#plain(lead + 1);
      return;
    }
    const [whole, label = "", address = ""] = found;
    const said = inlineSpans(label)
      .map(([, part]) => part)
      .join("");
    if (said !== "") this.#add(lead === 1 ? `[${said}]` : said, THEME.link);
    if (address !== "" && address !== said) this.#add(said === "" ? address : ` (${address})`, THEME.dim);
    this.#at += lead + whole.length;
  }

  #entity(): void {
    const found = entityAt(this.#text, this.#at);
    this.#add(found?.text ?? "&");
    this.#at += found?.length ?? 1;
  }

  /** A tag that is known and, where it has an end, ended; anything else stays as it is written. */
  #tag(): boolean {
    const tag = this.#depth < DEEPEST ? tagAt(this.#text, this.#at) : undefined;
    if (tag === undefined || tag.closes) return false;
    if (tag.name === "br" || tag.name === "wbr") return this.#took(tag.whole.length, tag.name === "br" ? " " : "");
    if (tag.name === "img") return this.#image(tag);
    const kind = WRAPPERS[tag.name];
    if (kind === undefined) return false;
    const from = this.#at + tag.whole.length;
    const close = this.#closeOf(tag.name, from);
    if (close === undefined) return false;
    this.#wrapped(tag, kind, this.#text.slice(from, close.at));
    this.#at = close.end;
    return true;
  }

  /** Where a tag ends; one that is not ended once is not looked for again. */
  #closeOf(name: string, from: number): { readonly at: number; readonly end: number } | undefined {
    if (this.#endless.has(name)) return undefined;
    const close = new RegExp(`</${name}\\s*>`, "gi");
    close.lastIndex = from;
    const found = close.exec(this.#text);
    if (found === null) this.#endless.add(name);
    return found === null ? undefined : { at: found.index, end: found.index + found[0].length };
  }

  #wrapped(tag: Tag, kind: Wrapper, inner: string): void {
    if (kind === "code") {
      this.#add(decoded(inner), THEME.code);
      return;
    }
    const pieces = new Scanner(inner, this.#depth + 1).pieces();
    for (const piece of pieces) {
      if (kind === "strong" || kind === "emphasis" || kind === "gone") piece[kind] = true;
      if (kind === "link") piece.style ??= THEME.link;
      this.#pieces.push(piece);
    }
    const address = kind === "link" ? attribute(tag, "href") : "";
    if (address !== "" && address !== pieces.map((piece) => piece.text).join("")) this.#add(` (${address})`, THEME.dim);
  }

  #image(tag: Tag): boolean {
    const said = attribute(tag, "alt");
    const address = attribute(tag, "src");
    if (said === "" && address === "") return false;
    if (said !== "") this.#add(`[${said}]`, THEME.link);
    if (address !== "") this.#add(said === "" ? address : ` (${address})`, THEME.dim);
    return this.#took(tag.whole.length, "");
  }

  #took(length: number, said: string): true {
    this.#add(said);
    this.#at += length;
    return true;
  }

  #address(bracket: boolean): void {
    const rest = this.#text.slice(this.#at, this.#at + 4_000);
    const found = bracket
      ? /^<((?:https?|file|mailto):[^\s<>]+|[^\s<>@]+@[^\s<>@]+)>/.exec(rest)
      : /^https?:\/\/[^\s<>`]+/.exec(rest);
    if (found === null) {
      this.#plain(1);
      return;
    }
    const address = bracket ? (found[1] ?? "") : bare(found[0]);
    this.#add(address, THEME.link);
    this.#at += bracket ? found[0].length : address.length;
  }
}

/** An address in running text ends before the punctuation of the sentence, and before a bracket that it did not open. */
function bare(found: string): string {
  let address = found.replace(/[.,;:!?'"*_~\]}]+$/, "");
  while (address.endsWith(")") && (address.match(/\)/g)?.length ?? 0) > (address.match(/\(/g)?.length ?? 0))
    address = address.slice(0, -1);
  return address;
}

/** Each closing run takes the nearest opening one of its kind; what lies between gets its style. */
function pair(runs: Run[], pieces: readonly Piece[]): void {
  for (let at = 0; at < runs.length; at++) {
    const closer = runs[at];
    while (closer?.closes && closer.count > 0) {
      const from = runs.findLastIndex(
        (run, place) => place < at && run.opens && run.count > 0 && run.char === closer.char && fits(run, closer),
      );
      const opener = runs[from];
      if (opener === undefined) break;
      join(opener, closer, pieces);
      for (const between of runs.slice(from + 1, at)) between.count = 0;
    }
  }
}

const fits = (opener: Run, closer: Run): boolean =>
  !(
    (opener.closes || closer.opens) &&
    (opener.count + closer.count) % 3 === 0 &&
    (opener.count % 3 !== 0 || closer.count % 3 !== 0)
  );

function join(opener: Run, closer: Run, pieces: readonly Piece[]): void {
  const used = opener.count >= 2 && closer.count >= 2 ? 2 : 1;
  for (const piece of pieces.slice(opener.place + 1, closer.place)) {
    if (opener.char === "~") piece.gone = true;
    else if (used === 2) piece.strong = true;
    else piece.emphasis = true;
  }
  for (const run of [opener, closer]) {
    run.count -= used;
    run.piece.text = run.piece.text.slice(used);
  }
}
