import { lexMarkdown, type MarkedToken, ownTokens } from "../../lib/base/text/markdown.js";
import type { RowOf, Span } from "../draw/canvas.js";
import { codeRows, type PaintLines } from "../draw/highlight.js";
import { restyle } from "../draw/links.js";
import { THEME } from "../draw/theme.js";
import { type Block, closes, type Fence, fenceOf, ITEM } from "./block.js";
import { isHtml, piecesOf } from "./html.js";
import { inlineSpans } from "./inline.js";
import { tableRows } from "./table.js";
import { decoded } from "./tags.js";
import { expandTabs, shownLine, wrapSpans } from "./wrap.js";

const DEEPEST = 8; // quotes and lists in each other; what is deeper is shown as it is written

/** Rows of one block at a width, its blank row before it included. @param paint colours of code that are known already */
export function blockRows(block: Block, width: number, paint?: PaintLines): readonly RowOf[] {
  const lines = linesOf(block);
  const gap: readonly RowOf[] = block.gap ? [[]] : [];
  if (block.inside !== undefined)
    return [
      ...gap,
      ...code(
        lines
          .at(-1)
          ?.trim()
          .match(/^(`{3,}|~{3,})$/)
          ? lines.slice(0, -1)
          : lines,
        block.inside,
        { width, paint },
      ),
    ];
  const back = lines.findIndex((line) => ITEM.test(line) && indentOf(line) < block.nested); // an item of the list around it
  const own = back < 0 ? lines : lines.slice(0, back);
  const rows = [
    ...movedRows(own, block.nested, { width, paint }),
    ...movedRows(lines.slice(own.length), 0, { width, paint }),
  ];
  return rows.length === 0 ? [] : [...gap, ...rows]; // of tags alone nothing is seen
}

/** Rows of lines that are moved in by so many columns. */
function movedRows(lines: readonly string[], nested: number, { width, paint }: Omit<Room, "depth">): readonly RowOf[] {
  const deep = Math.max(nested, leadOf(lines[0]));
  const own = deep === 0 ? lines : lines.map((line) => line.slice(Math.min(deep, indentOf(line))));
  const cut = Math.min(nested, 12);
  return indented(textRows(own.join("\n"), { width: Math.max(1, width - cut), depth: 0, paint }), " ".repeat(cut));
}

const indentOf = (line: string): number => line.length - line.trimStart().length;

/** How far the first line of a block is moved in, where it begins an item or code: what it belongs to stands in another block. */
const leadOf = (line = ""): number => (ITEM.test(line) || fenceOf(line) !== undefined ? indentOf(line) : 0);

/** Its lines, as they are shown; tabs of text become blanks, those of code stay until it is laid out. */
function linesOf({ text, inside }: Block): readonly string[] {
  const lines = text.replace(/\n$/, "").split("\n").map(shownLine);
  if (inside !== undefined || !text.includes("\t")) return lines;
  let fence: Fence | undefined;
  return lines.map((line) => {
    const flat = expandTabs(line, 4);
    const within = fence !== undefined;
    if (fence !== undefined && closes(line, fence)) fence = undefined;
    else if (fence === undefined && !flat.startsWith(" ")) fence = fenceOf(flat); // one that is indented is laid out without its indentation
    return within ? line : flat;
  });
}

/** How many rows a block gives, where that is known without its colours: the middle of a long fence in plain characters. */
export function blockHeight(block: Block, width: number): number | undefined {
  if (block.inside === undefined || block.gap || !/^[ -~\n]*$/.test(block.text)) return undefined;
  const lines = block.text.replace(/\n$/, "").split("\n");
  if (/^(`{3,}|~{3,})$/.test(lines.at(-1)?.trim() ?? "")) return undefined;
  return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(shownLine(line).length / Math.max(1, width))), 0);
}

const indented = (rows: readonly RowOf[], lead: string, style: number = THEME.dim): readonly RowOf[] =>
  lead === "" ? rows : rows.map((row): RowOf => [[style, lead], ...row]);

const code = (lines: readonly string[], lang: string, { width, paint }: Omit<Room, "depth">): readonly RowOf[] =>
  codeRows(lines, lang, width, paint);

interface Room {
  readonly width: number;
  readonly depth: number;
  readonly paint: PaintLines | undefined;
}

/** Rows of a text, or of what a block of HTML says. */
function textRows(text: string, room: Room): readonly RowOf[] {
  const tokens = lexMarkdown(text, { deepest: DEEPEST, isHtml: room.depth < DEEPEST ? isHtml : () => false });
  return tokens === undefined ? plainRows(text, room.width) : tokensRows(tokens, room);
}

/** Rows of blocks one below the other, apart where they were written apart. */
function tokensRows(tokens: readonly MarkedToken[], room: Room): readonly RowOf[] {
  const rows: RowOf[] = [];
  let apart = false;
  for (const token of tokens) {
    if (token.type !== "space") rows.push(...(apart && rows.length > 0 ? [[]] : []), ...tokenRows(token, room));
    apart = token.type === "space" || token.raw.endsWith("\n\n");
  }
  return rows;
}

function tokenRows(token: MarkedToken, room: Room): readonly RowOf[] {
  const { width } = room;
  switch (token.type) {
    case "heading":
      return wrapSpans(inlineSpans(ownTokens(token.tokens), THEME.heading).map(headed), width);
    case "hr":
      return [[[THEME.dim, "─".repeat(width)]]];
    case "code":
      return token.text === ""
        ? []
        : code(token.text.replace(/\n$/, "").split("\n"), /^\S*/.exec(token.lang ?? "")?.[0].toLowerCase() ?? "", room);
    case "blockquote":
      return indented(tokensRows(ownTokens(token.tokens), narrower(room, 2)), "│ ");
    case "list":
      return listRows(token.items, room);
    case "table":
      return tableRows(token, width);
    case "html":
      return htmlRows(token.raw, room);
    case "paragraph":
    case "text":
      return paragraphRows(token.tokens === undefined ? [token] : ownTokens(token.tokens), width);
    case "checkbox":
      return [];
    default:
      return plainRows(token.raw, width);
  }
}

const narrower = (room: Room, by: number): Room => ({ ...room, width: Math.max(1, room.width - by) });

/** Everything in a heading looks like one, besides code. */
const headed = ([style, text]: Span): Span => [
  style === THEME.code ? style : restyle(style, () => THEME.heading),
  text,
];

const plainRows = (text: string, width: number): readonly RowOf[] =>
  text.split("\n").flatMap((line) => wrapSpans([[THEME.text, line]], width));

/** What a block of HTML says; its comments are shown as they are written. */
function htmlRows(raw: string, room: Room): readonly RowOf[] {
  return piecesOf(raw.replace(/\n+$/, "").split("\n")).flatMap(({ kind, lines }): readonly RowOf[] => {
    if (kind === "markdown") return textRows(lines.join("\n"), { ...room, depth: room.depth + 1 });
    if (kind === "code") return code(lines.map(decoded), "", room);
    return lines.flatMap((line) => wrapSpans([[THEME.dim, line]], room.width));
  });
}

type Item = Extract<MarkedToken, { readonly type: "list_item" }>;

function listRows(items: readonly Item[], room: Room): readonly RowOf[] {
  return items.flatMap((item, place): readonly RowOf[] => {
    const [sign, style] = signOf(item);
    const rows = tokensRows(ownTokens(item.tokens), narrower(room, sign.length));
    const blank = " ".repeat(sign.length);
    const body = (rows.length === 0 ? [[]] : rows).map(
      (row, at): RowOf => [[at === 0 ? style : THEME.text, at === 0 ? sign : blank], ...row],
    );
    return items[place - 1]?.raw.endsWith("\n\n") ? [[], ...body] : body;
  });
}

/** What an item begins with: its number as it was written, a box, or a dot. */
function signOf({ raw, task, checked }: Item): readonly [sign: string, style: number] {
  if (task) return checked === true ? ["☑ ", THEME.ok] : ["☐ ", THEME.dim];
  const number = /^ *(\d{1,9}[.)])/.exec(raw)?.[1];
  return [number === undefined ? "• " : `${number} `, THEME.dim];
}

/** A line end in a paragraph stays one: who answers with one thing a line means it. What is marked may go on over it. */
function paragraphRows(tokens: readonly MarkedToken[], width: number): readonly RowOf[] {
  const lines: Span[][] = [[]];
  for (const span of inlineSpans(tokens)) {
    if (!span[1].includes("\n")) {
      lines.at(-1)?.push(span);
      continue;
    }
    for (const [at, part] of span[1].split("\n").entries()) {
      if (at > 0) lines.push([]);
      if (part !== "") lines.at(-1)?.push([span[0], part]);
    }
  }
  return lines.flatMap((line) => wrapSpans(line, width));
}
