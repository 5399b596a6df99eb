import { shortTokens } from "../../../lib/contracts/chat/compaction-lines.js";
import { readInvocation } from "../../../lib/contracts/skills/invoked.js";
import { type RowOf, wrap } from "../../draw/canvas.js";
import { GLYPH } from "../../draw/glyphs.js";
import { rowsOfMarkdown } from "../../draw/markdown.js";
import { banded } from "../../draw/marks.js";
import { THEME } from "../../draw/theme.js";
import { textCells } from "../../draw/width.js";
import { shownLine, wrapSpans } from "../../markdown/wrap.js";
import type { ChatItem } from "../state.js";
import { indent, type Look, moreRow, plain, rightRow, took } from "./look.js";
import { toolRows } from "./tool.js";

/** Rows of an item as a whole. The chat pane lays an answer out block by block. */
export function itemRows(item: ChatItem, look: Look, width: number): readonly RowOf[] {
  switch (item.kind) {
    case "user":
      return look.bands === true ? banded(userRows(item.text, look, width)) : userRows(item.text, look, width);
    case "answer":
      return rowsOfMarkdown(item.text, width);
    case "thinking":
      return thinkingRows(item.text, item.ms, look, width);
    case "tool":
      return toolRows(item, look, width);
    case "child":
      return childRows(item, look, width);
    case "command":
      return commandRows(item, width);
    case "notice":
      return noticeRows(item, width);
  }
}

const FOLDED_OVER = 4; // workspace part, 5.1

function userRows(text: string, { display, open }: Look, width: number): readonly RowOf[] {
  const lines = text.split("\n");
  const { first, last } = display.userPreview;
  const unfolded = open("text") === true;
  const typed = unfolded ? undefined : readInvocation(text);
  if (typed !== undefined) {
    const rows = typed.split("\n").flatMap((line) => lineRows(line, width));
    return [...rows.slice(0, Math.max(1, first)), moreRow(lines.length, "Space")];
  }
  if (!unfolded && lines.length > MANY_LINES) {
    const tail =
      last > 0
        ? lines
            .slice(-last)
            .flatMap((line) => lineRows(line, width))
            .slice(-last)
        : [];
    const head = lines.slice(0, first).flatMap((line) => lineRows(line, width));
    return [...head.slice(0, first), moreRow(lines.length - first - last, "Space"), ...tail];
  }
  const rows = lines.flatMap((line) => lineRows(line, width));
  if (unfolded || rows.length <= Math.max(FOLDED_OVER, first + last)) return rows;
  return [
    ...rows.slice(0, first),
    moreRow(rows.length - first - last, "Space"),
    ...(last > 0 ? rows.slice(-last) : []),
  ];
}

const MANY_LINES = 200; // above it the number of broken lines is not of interest while they are folded

/** Rows of a part of a long message that is unfolded. */
export const userPartRows = (lines: readonly string[], width: number): readonly RowOf[] =>
  banded(lines.flatMap((line) => lineRows(line, width)));

/** A line as it was typed: what is indented or set in columns stays so. */
const lineRows = (line: string, width: number): readonly RowOf[] =>
  SET.test(line)
    ? wrap(shownLine(line).trimEnd(), width).map((row): RowOf => [[THEME.text, row]])
    : wrapSpans([[THEME.text, shownLine(line)]], width);

const SET = /^\s+\S|\S(?: {2,}|\t)\S/;

function thinkingRows(text: string, ms: number | undefined, { display, open }: Look, width: number): readonly RowOf[] {
  const unfolded = open("thinking") ?? display.details.thinking === "expanded";
  const time = ms === undefined ? "" : ` for ${took(ms)}`;
  const head: RowOf = [[THEME.thinking, `${unfolded ? GLYPH.unfolded : GLYPH.folded} thought${time}`]];
  return unfolded
    ? [head, ...indent(plain(text.trim(), THEME.thinking, Math.max(1, width - 2)), [THEME.thinking, "  "])]
    : [head];
}

/** Thinking that still goes on. */
export function liveThinkingRows(
  text: string,
  ms: number,
  { display, open, spin }: Look,
  width: number,
): readonly RowOf[] {
  const unfolded = open("thinking") ?? display.details.thinking === "expanded";
  const head: RowOf = [[THEME.thinking, `${spin} thinking ${took(ms)}`]];
  return unfolded
    ? [head, ...indent(plain(text.trim(), THEME.thinking, Math.max(1, width - 2)), [THEME.thinking, "  "])]
    : [head];
}

function childRows(
  item: Extract<ChatItem, { kind: "child" }>,
  { display, open, spin, now }: Look,
  width: number,
): readonly RowOf[] {
  const running = item.status === "running";
  const well = item.status === "ok" || item.status === "completed" || item.status === "done";
  const [glyph, style] = running ? [spin, THEME.accent] : well ? [GLYPH.ok, THEME.ok] : [GLYPH.failed, THEME.error];
  const facts = [
    `${shortTokens(item.tokens)} tok`,
    ...(running && item.tool !== undefined ? [item.tool] : []),
    took(running ? now - item.since : item.ms),
  ];
  const head = rightRow(
    [
      [style, `${glyph} `],
      [THEME.tool, `child ${item.role}`],
      [THEME.text, ` ${item.goal}`],
    ],
    facts.join("  "),
    width,
  );
  const unfolded = open("inner") ?? display.details.children === "expanded";
  const tools = unfolded ? item.tools.map((tool): RowOf => [[THEME.dim, `  · ${tool}`]]) : [];
  return running || well ? [head, ...tools] : [head, ...tools, [[THEME.error, `  ${item.status}`]]];
}

function commandRows(
  { text, answer, failed }: Extract<ChatItem, { kind: "command" }>,
  width: number,
): readonly RowOf[] {
  const said =
    answer === undefined
      ? []
      : wrap(answer, width).map((line): RowOf => [[failed ? THEME.warn : THEME.text, shownLine(line)]]);
  return [...plain(text, THEME.user, width), ...said];
}

function noticeRows({ text, level, rule }: Extract<ChatItem, { kind: "notice" }>, width: number): readonly RowOf[] {
  const style = level === "error" ? THEME.error : level === "warning" ? THEME.warn : THEME.dim;
  const rows = text === "" ? [] : plain(text, style, width);
  return rule === undefined ? rows : [ruleRow(rule, width), ...rows];
}

/** `── compacted ──────` */
function ruleRow(text: string, width: number): RowOf {
  const label = `── ${text} `;
  return [[THEME.dim, `${label}${"─".repeat(Math.max(2, width - textCells(label)))}`]];
}
