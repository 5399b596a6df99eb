import { Lexer, type Token, type Tokens } from "marked";
import { decodeEntities } from "../../../base/text/entities.js";
import { safeHref } from "./links.js";
import { PIECE_MOST, type Piece, splitMarkdown } from "./pieces.js";
import type { Inline, MarkdownBlock, TableCell } from "./tree.js";

/** Blocks and marks inside each other, above which the rest is shown as it was written. */
const DEEPEST = 24;

/**
 * Read Markdown of somebody who is not trusted. Raw HTML stays text, pictures become links, links lead to web pages and mail addresses
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
  try {
    return blocksOf(new Lexer({ gfm: true }).lex(text), 0);
  } catch {
    /* ok to lose: brackets by the thousand overflow the reader; the text itself is shown */
    return [{ kind: "plain", text }];
  }
}

const blocksOf = (tokens: readonly Token[], depth: number): MarkdownBlock[] =>
  tokens.flatMap((token) => blockOf(token, depth));

function blockOf(given: Token, depth: number): MarkdownBlock[] {
  if (depth > DEEPEST) return [{ kind: "plain", text: given.raw }];
  const token = given as Tokens.Generic; // the union of marked has an open member; every use below checks or converts
  switch (token.type) {
    case "space":
    case "def":
      return [];
    case "heading":
      return [
        {
          kind: "heading",
          level: Math.min(6, Math.max(1, Number(token["depth"]))),
          inner: inlinesOf(token.tokens ?? [], depth),
        },
      ];
    case "paragraph":
      return [{ kind: "paragraph", inner: inlinesOf(token.tokens ?? [], depth) }];
    case "text":
      return [
        { kind: "line", inner: token.tokens ? inlinesOf(token.tokens, depth) : [{ kind: "text", text: shown(token) }] },
      ];
    case "code":
      return [
        { kind: "code", text: String(token["text"]), language: String(token["lang"] ?? "").split(/\s/)[0] ?? "" },
      ];
    case "blockquote":
      return [{ kind: "quote", blocks: blocksOf(token.tokens ?? [], depth + 1) }];
    case "list":
      return [listOf(given as Tokens.List, depth)]; // its type says so
    case "table":
      return [tableOf(given as Tokens.Table, depth)]; // its type says so
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
    tokens.filter(({ type }) => type !== "checkbox"),
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
  const cell = ({ align, tokens }: Tokens.TableCell): TableCell => ({ align, inner: inlinesOf(tokens, depth) });
  return { kind: "table", head: header.map(cell), rows: rows.map((row) => row.map(cell)) };
}

const inlinesOf = (tokens: readonly Token[], depth: number): Inline[] =>
  tokens.flatMap((token) => inlineOf(token, depth + 1));

function inlineOf(given: Token, depth: number): Inline[] {
  if (depth > DEEPEST) return [{ kind: "text", text: given.raw }];
  const token = given as Tokens.Generic; // as above
  const inner = () => inlinesOf(token.tokens ?? [], depth);
  switch (token.type) {
    case "text":
      return token.tokens ? inner() : [{ kind: "text", text: shown(token) }];
    case "escape":
      return [{ kind: "text", text: String(token["text"]) }];
    case "strong":
    case "em":
    case "del":
      return [{ kind: token.type, inner: inner() }];
    case "codespan":
      return [{ kind: "code", text: String(token["text"]) }];
    case "br":
      return [{ kind: "break" }];
    case "link":
      return linkOf(String(token["href"]), inner());
    case "image":
      return linkOf(String(token["href"]), [{ kind: "text", text: decodeEntities(String(token["text"])) || "image" }]);
    case "checkbox":
      return [{ kind: "box", checked: token["checked"] === true }];
    default:
      return [{ kind: "text", text: token.raw }];
  }
}

const shown = (token: Tokens.Generic): string => decodeEntities(String(token["text"]));

/** A link that may not be followed is told with its address, so that nobody wonders where it leads. */
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
