import { decodeEntities } from "../../../base/text/entities.js";
import { lexMarkdown, type MarkedToken, ownTokens, type Token, type Tokens } from "../../../base/text/markdown.js";
import { PIECE_MOST, type Piece, splitMarkdown } from "./pieces.js";
import type { Inline, MarkdownBlock, TableCell } from "./tree.js";

const SCHEMES: ReadonlySet<string> = new Set(["http:", "https:", "mailto:"]);

/** The address of a link as a browser would open it, or undefined for everything except web pages and mail addresses. */
function safeHref(written: string): string | undefined {
  let url: URL;
  try {
    url = new URL(written.trim());
  } catch {
    /* ok to lose: an incomplete address is shown as text */
    return undefined;
  }
  return SCHEMES.has(url.protocol) ? url.href : undefined;
}

/** Blocks and marks inside each other, above which the rest is shown as it was written. */
const DEEPEST = 24;

/**
 * Read Markdown from an untrusted source. Raw HTML stays text, pictures become links, links lead to web pages and mail addresses
 * only. Never throws: what cannot be read is `plain`.
 */
export function readMarkdown(text: string): readonly MarkdownBlock[] {
  return splitMarkdown(text.replaceAll("\r\n", "\n")).flatMap(readPiece);
}

function readPiece(piece: Piece): readonly MarkdownBlock[] {
  if (piece.kind === "code") return [piece];
  const { text } = piece;
  if (text.trim() === "") return [];
  if (text.length > PIECE_MOST) return [{ kind: "plain", text }];
  const tokens = lexMarkdown(text, { deepest: DEEPEST });
  return tokens === undefined ? [{ kind: "plain", text }] : blocksOf(tokens, 0);
}

const blocksOf = (tokens: readonly MarkedToken[], depth: number): MarkdownBlock[] =>
  tokens.flatMap((token) => blockOf(token, depth));

function blockOf(token: MarkedToken, depth: number): MarkdownBlock[] {
  switch (token.type) {
    case "space":
    case "def":
      return [];
    case "heading":
      return [{ kind: "heading", level: token.depth, inner: innerOf(token.tokens, depth) }];
    case "paragraph":
      return [{ kind: "paragraph", inner: innerOf(token.tokens, depth) }];
    case "text":
      return [{ kind: "line", inner: innerOf(token.tokens ?? [token], depth) }];
    case "code":
      return [{ kind: "code", text: token.text, language: token.lang?.split(/\s/)[0] ?? "" }];
    case "blockquote":
      return [{ kind: "quote", blocks: blocksOf(ownTokens(token.tokens), depth + 1) }];
    case "list":
      return [listOf(token, depth)];
    case "table":
      return [tableOf(token, depth)];
    case "hr":
      return [{ kind: "rule" }];
    default:
      return [{ kind: "plain", text: token.raw.replace(/\n+$/, "") }];
  }
}

function listOf({ ordered, start, items }: Tokens.List, depth: number): MarkdownBlock {
  return {
    kind: "list",
    start: ordered ? Number(start === "" ? 1 : start) : null,
    items: items.map((item) => itemOf(item, depth + 1)),
  };
}

function itemOf({ task, checked, tokens }: Tokens.ListItem, depth: number): readonly MarkdownBlock[] {
  const blocks = blocksOf(
    ownTokens(tokens).filter(({ type }) => type !== "checkbox"),
    depth,
  );
  if (!task) return blocks;
  const box: Inline = { kind: "box", checked: checked === true };
  const [first, ...rest] = blocks;
  if (first?.kind === "line" || first?.kind === "paragraph")
    return [{ ...first, inner: [box, ...withoutBoxes(first.inner)] }, ...rest];
  return [{ kind: "line", inner: [box] }, ...blocks];
}

const withoutBoxes = (inner: readonly Inline[]) => inner.filter(({ kind }) => kind !== "box");

function tableOf({ header, rows }: Tokens.Table, depth: number): MarkdownBlock {
  const cell = ({ align, tokens }: Tokens.TableCell): TableCell => ({ align, inner: innerOf(tokens, depth) });
  return { kind: "table", head: header.map(cell), rows: rows.map((row) => row.map(cell)) };
}

const innerOf = (tokens: readonly Token[], depth: number): Inline[] =>
  ownTokens(tokens).flatMap((token) => inlineOf(token, depth + 1));

function inlineOf(token: MarkedToken, depth: number): Inline[] {
  if (depth > DEEPEST) return [{ kind: "text", text: token.raw }];
  switch (token.type) {
    case "text":
      return token.tokens ? innerOf(token.tokens, depth) : [{ kind: "text", text: decodeEntities(token.raw) }];
    case "escape":
      return [{ kind: "text", text: token.text }];
    case "strong":
    case "em":
    case "del":
      return [{ kind: token.type, inner: innerOf(token.tokens, depth) }];
    case "codespan":
      return [{ kind: "code", text: token.text }];
    case "br":
      return [{ kind: "break" }];
    case "link":
      return linkOf(token.href, innerOf(token.tokens, depth));
    case "image":
      return linkOf(token.href, [{ kind: "text", text: decodeEntities(token.text) || "image" }]);
    case "checkbox":
      return [{ kind: "box", checked: token.checked }];
    default:
      return [{ kind: "text", text: token.raw }];
  }
}

/** A link that may not be followed is shown with its address, so that it is clear where it leads. */
function linkOf(written: string, inner: readonly Inline[]): Inline[] {
  const href = safeHref(decodeEntities(written));
  if (href !== undefined) return [{ kind: "link", href, inner: withoutLinks(inner) }];
  return [...inner, { kind: "text", text: ` (${written})` }];
}

/** A link inside a link is its text. */
const withoutLinks = (inner: readonly Inline[]): readonly Inline[] =>
  inner.flatMap((one) =>
    one.kind === "link" ? one.inner : "inner" in one ? [{ ...one, inner: withoutLinks(one.inner) }] : [one],
  );
