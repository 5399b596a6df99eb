import { type MarkedToken, ownTokens } from "../../lib/base/text/markdown.js";
import type { Span } from "../draw/canvas.js";
import { linkTo } from "../draw/links.js";
import { italic, THEME } from "../draw/theme.js";
import { attribute, closesTag, decoded, type Tag, tagAt } from "./tags.js";

const DEEPEST = 8; // tags in each other

/** How text looks by the marks around it. */
interface Look {
  readonly base: number;
  readonly strong?: boolean;
  readonly emphasis?: boolean;
  readonly gone?: boolean;
  /** Where a tag around it leads. */
  readonly link?: string;
  /** Tags around it. */
  readonly depth: number;
}

/** What stands in a paragraph, a heading or a cell as styled text. A line end in it is one. */
export function inlineSpans(tokens: readonly MarkedToken[], base: number = THEME.text): readonly Span[] {
  return new Writer().write(tokens, { base, depth: 0 });
}

function styleOf({ base, strong, emphasis, gone, link }: Look): number {
  if (link !== undefined) return linkTo(THEME.link, link);
  if (gone === true) return THEME.dim;
  const set = strong === true ? THEME.bold : base;
  return emphasis === true ? italic(set) : set;
}

const codeStyle = ({ link }: Look): number => (link === undefined ? THEME.code : linkTo(THEME.code, link));

type Wrapper = "strong" | "emphasis" | "gone" | "code" | "link" | "plain";

/** Tags around a part of a line, and what they make of it. */
const WRAPPERS: ReadonlyMap<string, Wrapper> = new Map([
  ["b", "strong"],
  ["strong", "strong"],
  ["i", "emphasis"],
  ["em", "emphasis"],
  ["cite", "emphasis"],
  ["var", "emphasis"],
  ["dfn", "emphasis"],
  ["s", "gone"],
  ["del", "gone"],
  ["strike", "gone"],
  ["code", "code"],
  ["kbd", "code"],
  ["samp", "code"],
  ["tt", "code"],
  ["a", "link"],
  ["u", "plain"],
  ["ins", "plain"],
  ["mark", "plain"],
  ["sub", "plain"],
  ["sup", "plain"],
  ["small", "plain"],
  ["big", "plain"],
  ["span", "plain"],
  ["font", "plain"],
  ["abbr", "plain"],
  ["q", "plain"],
  ["time", "plain"],
  ["bdi", "plain"],
  ["picture", "plain"],
]);

const MORE: Readonly<Record<Exclude<Wrapper, "code" | "link">, Partial<Look>>> = {
  strong: { strong: true },
  emphasis: { emphasis: true },
  gone: { gone: true },
  plain: {},
};

/** Writes tokens as spans. */
class Writer {
  readonly #spans: Span[] = [];
  /** Tags that are not ended in a list of tokens: they are not looked for again. */
  readonly #endless = new Map<readonly MarkedToken[], Set<string>>();

  write(tokens: readonly MarkedToken[], look: Look): readonly Span[] {
    this.#add(tokens, look);
    return this.#spans;
  }

  #add(tokens: readonly MarkedToken[], look: Look): void {
    for (let at = 0; at < tokens.length; ) at += this.#token(tokens, at, look);
  }

  #say(text: string, style: number): void {
    if (text !== "") this.#spans.push([style, text]);
  }

  /** Write the token at a place; returns how many are written with it. */
  #token(tokens: readonly MarkedToken[], at: number, look: Look): number {
    const token = tokens[at];
    if (token?.type === "html") return this.#tag(tokens, at, look);
    if (token !== undefined) this.#one(token, look);
    return 1;
  }

  #one(token: MarkedToken, look: Look): void {
    switch (token.type) {
      case "strong":
        this.#add(ownTokens(token.tokens), { ...look, strong: true });
        break;
      case "em":
        this.#add(ownTokens(token.tokens), { ...look, emphasis: true });
        break;
      case "del":
        this.#add(ownTokens(token.tokens), { ...look, gone: true });
        break;
      case "codespan":
        this.#say(token.text, codeStyle(look));
        break;
      case "br":
        this.#say("\n", styleOf(look));
        break;
      case "escape":
        this.#say(token.text, styleOf(look));
        break;
      case "link":
        this.#link(textIn(ownTokens(token.tokens)), decoded(token.href), token.autolink);
        break;
      case "image":
        this.#image(decoded(token.text), decoded(token.href));
        break;
      case "checkbox":
        break;
      case "text":
        if (token.tokens !== undefined) this.#add(ownTokens(token.tokens), look);
        else this.#say(decoded(token.raw), styleOf(look)); // in its text, references to signs that are not seen are resolved already
        break;
      default:
        this.#say(token.raw, styleOf(look));
    }
  }

  /** The words of a link, and where it leads unless they say so. */
  #link(said: string, address: string, told = false): void {
    this.#say(said, linkTo(THEME.link, address));
    if (!told && address !== said) this.#say(said === "" ? address : ` (${address})`, linkTo(THEME.dim, address));
  }

  #image(said: string, address: string): void {
    this.#link(said === "" ? "" : `[${said}]`, address);
  }

  /** A tag that is known and, where it has an end, ended; anything else stays as it is written. */
  #tag(tokens: readonly MarkedToken[], at: number, look: Look): number {
    const { raw = "" } = tokens[at] ?? {};
    const tag = look.depth < DEEPEST ? tagAt(raw, 0) : undefined;
    if (tag === undefined || tag.closes) this.#say(raw, styleOf(look));
    else if (tag.name === "br") this.#say(" ", styleOf(look));
    else if (tag.name === "img") this.#picture(tag, look);
    else if (tag.name !== "wbr") return this.#wrapped(tokens, { at, tag }, look);
    return 1;
  }

  #picture(tag: Tag, look: Look): void {
    const said = attribute(tag, "alt");
    const address = attribute(tag, "src");
    if (said === "" && address === "") this.#say(tag.whole, styleOf(look));
    else this.#image(said, address);
  }

  #wrapped(
    tokens: readonly MarkedToken[],
    { at, tag }: { readonly at: number; readonly tag: Tag },
    look: Look,
  ): number {
    const kind = WRAPPERS.get(tag.name);
    const end = kind === undefined ? undefined : this.#endOf(tokens, at, tag.name);
    if (kind === undefined || end === undefined) {
      this.#say(tag.whole, styleOf(look));
      return 1;
    }
    const inner = tokens.slice(at + 1, end);
    if (kind === "code") this.#say(decoded(inner.map(({ raw }) => raw).join("")), codeStyle(look));
    else if (kind === "link") this.#anchor(inner, attribute(tag, "href"), look);
    else this.#add(inner, { ...look, ...MORE[kind], depth: look.depth + 1 });
    return end + 1 - at;
  }

  #anchor(inner: readonly MarkedToken[], address: string, look: Look): void {
    this.#add(inner, { ...look, link: address, depth: look.depth + 1 });
    if (address !== "" && address !== textIn(inner)) this.#say(` (${address})`, linkTo(THEME.dim, address));
  }

  #endOf(tokens: readonly MarkedToken[], from: number, name: string): number | undefined {
    const endless = this.#endless.get(tokens) ?? new Set();
    if (endless.has(name)) return undefined;
    const end = tokens.findIndex((token, at) => at > from && token.type === "html" && closesTag(token.raw, name));
    if (end >= 0) return end;
    this.#endless.set(tokens, endless.add(name));
    return undefined;
  }
}

/** The words of tokens without their looks. */
const textIn = (tokens: readonly MarkedToken[]): string =>
  inlineSpans(tokens)
    .map(([, text]) => text)
    .join("");
