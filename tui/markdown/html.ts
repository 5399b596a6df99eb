import { type Tag, tagAt } from "./tags.js";

const BLOCKS = new Set(
  "address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hr html legend li main menu nav ol p pre section summary table tbody td tfoot th thead tr ul".split(
    " ",
  ),
);

/** Whether a block of HTML begins with this line: a tag of a block, or a comment. */
export function isHtml(line: string): boolean {
  const bare = /^ {0,3}(<.*)/.exec(line)?.[1];
  if (bare === undefined) return false;
  if (bare.startsWith("<!--")) return true;
  const tag = tagAt(bare, 0);
  return tag !== undefined && BLOCKS.has(tag.name);
}

/** A piece of what a block of HTML says: lines of Markdown, a comment, or text that is set as it is. */
export type HtmlPiece = { readonly kind: "markdown" | "comment" | "code"; readonly lines: readonly string[] };

/**
 * What a block of HTML says. Its tags give lines, headings, items and tables; every text between them is kept, and so is a tag that is not known.
 */
export function piecesOf(lines: readonly string[]): readonly HtmlPiece[] {
  const reader = new Reader();
  const text = lines.join("\n");
  for (let at = 0; at < text.length; ) at += reader.take(text, at);
  return reader.end();
}

class Reader {
  readonly #pieces: HtmlPiece[] = [];
  #lines: string[] = [];
  #line = "";
  /** Marks that the next line begins with. */
  #lead = "";
  #lists: ("ul" | "ol")[] = [];
  #counts: number[] = [];
  #row: string[] | undefined;
  #ruled = false;

  /** Take in what stands at a place; returns its length. */
  take(text: string, at: number): number {
    if (text.startsWith("<!--", at)) return this.#comment(text, at);
    const tag = text[at] === "<" ? tagAt(text, at) : undefined;
    if (tag !== undefined && (BLOCKS.has(tag.name) || tag.name === "br")) return this.#block(text, at, tag);
    const end = text.indexOf("<", at + 1);
    const said = text.slice(at, end < 0 ? undefined : end);
    this.#say(said);
    return said.length;
  }

  end(): readonly HtmlPiece[] {
    this.#rowEnds();
    this.#flush();
    return this.#pieces;
  }

  #say(said: string): void {
    const flat = said.replace(/\s*\n\s*/g, " ");
    if (this.#row !== undefined && this.#row.length > 0) this.#row[this.#row.length - 1] += flat;
    else this.#line += this.#line === "" ? flat.trimStart() : flat;
  }

  #break(): void {
    const line = this.#line.trim();
    if (line !== "") {
      this.#lines.push(`${this.#lead}${line}`);
      this.#lead = "";
    }
    this.#line = "";
  }

  /** A blank line keeps apart what must not run into one paragraph. */
  #apart(): void {
    this.#break();
    if (this.#lines.length > 0 && this.#lines.at(-1) !== "") this.#lines.push("");
  }

  #flush(): void {
    this.#break();
    while (this.#lines.at(-1) === "") this.#lines.pop();
    if (this.#lines.length > 0) this.#pieces.push({ kind: "markdown", lines: this.#lines });
    this.#lines = [];
  }

  #comment(text: string, at: number): number {
    const end = text.indexOf("-->", at);
    const whole = text.slice(at, end < 0 ? undefined : end + 3);
    this.#flush();
    this.#pieces.push({ kind: "comment", lines: whole.split("\n") });
    return whole.length;
  }

  #block(text: string, at: number, tag: Tag): number {
    const { name, closes, whole } = tag;
    if (name === "pre" && !closes) return this.#pre(text, at, whole);
    if (name === "br") this.#hard();
    else if (name === "td" || name === "th") this.#cell(closes);
    else if (name === "tr" || name === "table") this.#rows(name, closes);
    else if (name === "ul" || name === "ol") this.#list(name, closes);
    else if (name === "li") this.#item(closes);
    else if (/^h[1-6]$/.test(name)) this.#heading(Number(name[1]), closes);
    else if (name === "summary") this.#summary(closes);
    else if (name === "hr") this.#rule();
    else this.#apart();
    return whole.length;
  }

  #hard(): void {
    if (this.#row !== undefined) this.#say(" ");
    else this.#break();
  }

  #pre(text: string, at: number, open: string): number {
    const rest = text.slice(at + open.length);
    const end = /<\/pre\s*>/i.exec(rest);
    const inner = rest.slice(0, end?.index);
    this.#flush();
    const bare = inner
      .replace(/^\s*<code[^>]*>/i, "")
      .replace(/<\/code>\s*$/i, "")
      .replace(/^\n|\n$/g, "");
    this.#pieces.push({ kind: "code", lines: bare.split("\n") });
    return open.length + (end === null ? rest.length : end.index + end[0].length);
  }

  #heading(level: number, closes: boolean): void {
    this.#apart();
    if (!closes) this.#lead = `${"#".repeat(level)} `;
    else this.#lead = "";
  }

  #summary(closes: boolean): void {
    if (closes) {
      this.#line = this.#line.trim() === "" ? "" : `▸ **${this.#line.trim()}**`;
      this.#apart();
    } else this.#apart();
  }

  #rule(): void {
    this.#apart();
    this.#lines.push("---", "");
  }

  #list(kind: "ul" | "ol", closes: boolean): void {
    if (this.#lists.length === 0) this.#apart();
    else this.#break();
    if (closes) {
      this.#lists.pop();
      this.#counts.pop();
    } else {
      this.#lists.push(kind);
      this.#counts.push(0);
    }
    if (this.#lists.length === 0) this.#apart();
  }

  #item(closes: boolean): void {
    this.#break();
    if (closes) return;
    const last = Math.max(0, this.#lists.length - 1);
    const count = (this.#counts[last] ?? 0) + 1;
    if (this.#counts.length > 0) this.#counts[last] = count;
    this.#lead = `${"   ".repeat(last)}${this.#lists[last] === "ol" ? `${count}.` : "-"} `;
  }

  #rows(name: "tr" | "table", closes: boolean): void {
    this.#rowEnds();
    if (name === "table") {
      this.#apart();
      this.#ruled = false;
    } else if (!closes) this.#row = [];
  }

  #cell(closes: boolean): void {
    if (!closes) this.#row = [...(this.#row ?? []), ""];
  }

  /** A row of a table as Markdown has it; the first one is its head. */
  #rowEnds(): void {
    const row = this.#row;
    this.#row = undefined;
    if (row === undefined || row.length === 0) return;
    this.#break();
    this.#lines.push(`| ${row.map((cell) => cell.trim().replaceAll("|", "\\|")).join(" | ")} |`);
    if (!this.#ruled) this.#lines.push(`|${row.map(() => "---").join("|")}|`);
    this.#ruled = true;
  }
}
