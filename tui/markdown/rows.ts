import type { RowOf, Span } from "../draw/canvas.js";
import { codeRows, type PaintLines } from "../draw/highlight.js";
import { THEME } from "../draw/theme.js";
import { type Block, closes, type Fence, fenceOf, ITEM } from "./block.js";
import { isHtml, piecesOf } from "./html.js";
import { inlineSpans } from "./inline.js";
import { isTable, tableRows } from "./table.js";
import { decoded } from "./tags.js";
import { shownLine, untabbed, wrapSpans } from "./wrap.js";

const DEEPEST = 8; // quotes and lists in each other; what is deeper is shown as it is written
const HEADING = /^ {0,3}(#{1,6})(?:\s(.*))?$/;
/** Marks that close a heading. Tried where blanks begin, not at each of them: a long run of them is a matter of microseconds. */
const HEADING_END = /(?<!\s)\s+#+$/;
const titleIn = (text = ""): string => shownLine(text.trim().replace(HEADING_END, ""));
const RULE = /^ {0,3}(?:(?:\* *){3,}|(?:- *){3,}|(?:_ *){3,})$/;

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
  const cut = Math.min(block.nested, 12);
  const own =
    cut === 0 ? lines : lines.map((line) => line.slice(Math.min(block.nested, line.length - line.trimStart().length)));
  const rows = linesRows(own, { width: Math.max(1, width - cut), depth: 0, paint });
  return rows.length === 0 ? [] : [...gap, ...indented(rows, " ".repeat(cut))]; // of tags alone nothing is seen
}

/** Its lines; tabs of text become blanks, those of code stay until it is laid out. */
function linesOf({ text, inside }: Block): readonly string[] {
  const lines = text.replace(/\n$/, "").split("\n");
  if (inside !== undefined || !text.includes("\t")) return lines;
  let fence: Fence | undefined;
  return lines.map((line) => {
    const flat = untabbed(line, 4);
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
  codeRows(lines.map(shownLine), lang, width, paint);

/** Rows of the lines of a block, or of what stands in a quote or an item. */
function linesRows(lines: readonly string[], room: Room): readonly RowOf[] {
  const rows: RowOf[] = [];
  for (let at = 0; at < lines.length; ) {
    const [more, used] = element(lines, at, room);
    rows.push(...more);
    at += used;
  }
  return rows;
}

interface Room {
  readonly width: number;
  readonly depth: number;
  readonly paint: PaintLines | undefined;
}

type Laid = readonly [rows: readonly RowOf[], lines: number];

function element(lines: readonly string[], at: number, room: Room): Laid {
  const { width, depth } = room;
  const line = lines[at] ?? "";
  if (line.trim() === "") return [[[]], 1];
  const fence = fenceOf(line);
  if (fence !== undefined) {
    const end = lines.findIndex((one, place) => place > at && closes(one, fence));
    const inner = lines.slice(at + 1, end < 0 ? undefined : end);
    const lead = line.length - line.trimStart().length;
    return [
      code(
        inner.map((one) => one.replace(new RegExp(`^ {0,${lead}}`), "")),
        fence.lang,
        room,
      ),
      inner.length + (end < 0 ? 1 : 2),
    ];
  }
  const heading = HEADING.exec(line);
  if (heading) return [wrapSpans(inlineSpans(titleIn(heading[2]), THEME.heading).map(headed), width), 1];
  if (RULE.test(line)) return [[[[THEME.dim, "─".repeat(width)]]], 1];
  if (depth < DEEPEST && /^ {0,3}>/.test(line)) return quote(lines, at, room);
  if (depth < DEEPEST && ITEM.test(line)) return item(lines, at, room);
  if (isTable(lines, at)) return tableRows(lines, at, width);
  if (depth < DEEPEST && isHtml(line)) return html(lines, at, room);
  return paragraph(lines, at, width);
}

/** Everything in a heading looks like one, besides code. */
const headed = ([style, text]: Span): Span => [style === THEME.code ? style : THEME.heading, text];

/** A block of HTML goes as far as there are lines; its comments are shown as they are written. */
function html(lines: readonly string[], at: number, room: Room): Laid {
  const rest = lines.slice(at);
  const end = rest.findIndex((line) => line.trim() === "");
  const own = end < 0 ? rest : rest.slice(0, end);
  const rows = piecesOf(own.map(shownLine)).flatMap(({ kind, lines: said }): readonly RowOf[] => {
    if (kind === "markdown") return linesRows(said, { ...room, depth: room.depth + 1 });
    if (kind === "code") return code(said.map(decoded), "", room);
    return said.flatMap((line) => wrapSpans([[THEME.dim, line]], room.width));
  });
  return [rows, own.length];
}

function quote(lines: readonly string[], at: number, room: Room): Laid {
  const inner: string[] = [];
  for (let next = at; next < lines.length; next++) {
    const line = lines[next] ?? "";
    if (!/^ {0,3}>/.test(line) && (line.trim() === "" || starts(line))) break;
    inner.push(line.replace(/^ {0,3}> ?/, ""));
  }
  return [
    indented(linesRows(inner, { ...room, width: Math.max(1, room.width - 2), depth: room.depth + 1 }), "│ "),
    inner.length,
  ];
}

/** One item of a list with everything that is indented below it. */
function item(lines: readonly string[], at: number, room: Room): Laid {
  const first = lines[at] ?? "";
  const [lead = "", indent = "", mark = ""] = ITEM.exec(first) ?? [];
  const inner = [first.slice(lead.length)];
  for (let next = at + 1; next < lines.length; next++) {
    const line = lines[next] ?? "";
    const deep = line.length - line.trimStart().length;
    if (line.trim() !== "" && deep <= indent.length && (starts(line) || deep < indent.length)) break;
    inner.push(line.slice(Math.min(deep, Math.max(lead.length, indent.length + 2))));
  }
  const [sign, style, rest] = signOf(mark, inner[0] ?? "");
  const body = linesRows([rest, ...inner.slice(1)], {
    ...room,
    width: Math.max(1, room.width - sign.length),
    depth: room.depth + 1,
  });
  const blank = " ".repeat(sign.length);
  return [
    body.map((row, place): RowOf => [[place === 0 ? style : THEME.text, place === 0 ? sign : blank], ...row]),
    inner.length,
  ];
}

function signOf(mark: string, text: string): readonly [sign: string, style: number, rest: string] {
  const task = /^\[([ xX])\] +/.exec(text);
  if (task)
    return task[1] === " "
      ? ["☐ ", THEME.dim, text.slice(task[0].length)]
      : ["☑ ", THEME.ok, text.slice(task[0].length)];
  return [/\d/.test(mark) ? `${mark} ` : "• ", THEME.dim, text];
}

/** Whether a line begins something that ends a paragraph. */
const starts = (line: string): boolean =>
  fenceOf(line) !== undefined ||
  HEADING.test(line) ||
  RULE.test(line) ||
  /^ {0,3}>/.test(line) ||
  ITEM.test(line) ||
  isHtml(line);

/** Lines up to what begins something else. A line that ends in two blanks or a backslash stays one; an underline makes a heading. */
function paragraph(lines: readonly string[], at: number, width: number): Laid {
  const own: string[] = [];
  let style: number = THEME.text;
  let end = at;
  for (; end < lines.length; end++) {
    const line = lines[end] ?? "";
    if (own.length > 0 && /^ {0,3}(=+|-+) *$/.test(line)) {
      style = THEME.heading;
      end += 1;
      break;
    }
    if (line.trim() === "" || (own.length > 0 && (starts(line) || isTable(lines, end)))) break;
    own.push(line);
  }
  const text = own.map((line) => shownLine(line.trimStart()).replace(/(?<! ) +$|\\$/, "")).join("\n");
  return [linesIn(inlineSpans(text, style)).flatMap((line) => wrapSpans(line, width)), Math.max(1, end - at)];
}

/** A line end in a paragraph stays one: who answers with one thing a line means it. What is marked may go on over it. */
function linesIn(spans: readonly Span[]): readonly (readonly Span[])[] {
  const lines: Span[][] = [[]];
  for (const [style, text] of spans) {
    for (const [at, part] of text.split("\n").entries()) {
      if (at > 0) lines.push([]);
      if (part !== "") lines.at(-1)?.push([style, part]);
    }
  }
  return lines;
}
