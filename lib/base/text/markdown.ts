import { Lexer, type MarkedToken, type Token, Tokenizer, type Tokens } from "marked";

export type { MarkedToken, Token, Tokens } from "marked";

/** How a text is read: the screen shows what tags of HTML mean, the page shows them as they are written. */
interface MarkdownReading {
  /** Quotes and lists in each other, above which the rest is text as it was written. */
  readonly deepest: number;
  /** Whether a block of HTML begins with this text; absent: where the grammar says so. */
  readonly isHtml?: (text: string) => boolean;
}

/** The tokens of a text in the one grammar of Markdown (GFM). Never throws; undefined: its marks stand in each other too deeply to be read. */
export function lexMarkdown(text: string, reading: MarkdownReading): readonly MarkedToken[] | undefined {
  try {
    return ownTokens(new Lexer({ gfm: true, tokenizer: new Reader(reading) }).lex(text));
  } catch {
    return undefined; // ok to lose: brackets by the thousand overflow the stack; the text itself is shown
  }
}

/** Tokens inside of a token. */
export const ownTokens = (tokens: readonly Token[] = []): readonly MarkedToken[] => tokens as readonly MarkedToken[]; // no extension makes others

class Reader extends Tokenizer {
  readonly #reading: MarkdownReading;
  #depth = 0;

  constructor(reading: MarkdownReading) {
    super();
    this.#reading = reading;
  }

  override blockquote(src: string): Tokens.Blockquote | undefined {
    return this.#inside(() => super.blockquote(src));
  }

  override list(src: string): Tokens.List | undefined {
    return this.#inside(() => super.list(src));
  }

  #inside<T>(read: () => T): T | undefined {
    if (this.#depth >= this.#reading.deepest) return undefined;
    this.#depth += 1;
    try {
      return read();
    } finally {
      this.#depth -= 1;
    }
  }

  override html(src: string): Tokens.HTML | undefined {
    return this.#reading.isHtml?.(src) === false ? undefined : super.html(src);
  }

  /** A table ends at the first line without a bar: what follows is not a row of one cell. A bar in code is text. */
  override table(src: string): Tokens.Table | undefined {
    const lines = this.rules.block.table.exec(src)?.[0].replace(/\n+$/, "").split("\n");
    if (lines === undefined) return undefined;
    const end = lines.findIndex((line, at) => at > 1 && !line.includes("|"));
    const own = end < 0 ? lines : lines.slice(0, end);
    const table = super.table(own.map(escapeBars).join("\n"));
    return table && { ...table, raw: own.join("\n") };
  }
}

/** A line of a table with a backslash before each bar in code. */
function escapeBars(line: string): string {
  const last = line.lastIndexOf("`");
  if (last < 0) return line;
  let code = false;
  let escaped = "";
  for (let at = 0; at < line.length; at++) {
    const char = line[at] ?? "";
    if (char === "`") code = !code;
    escaped += char === "|" && code && at < last && line[at - 1] !== "\\" ? "\\|" : char;
  }
  return escaped;
}
