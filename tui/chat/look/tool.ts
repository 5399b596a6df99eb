import { ownEntry } from "../../../lib/base/json/record.js";
import type { RowOf, Span } from "../../draw/canvas.js";
import { GLYPH } from "../../draw/glyphs.js";
import { areaFor, markOf } from "../../draw/pictures.js";
import { THEME } from "../../draw/theme.js";
import { textCells, truncateToWidth } from "../../draw/width.js";
import { expandTabs, shownLine, wrapCode } from "../../markdown/wrap.js";
import type { ToolItem } from "../state.js";
import { diffRows, statOf } from "./diff.js";
import { indent, type Look, moreRow, rightRow, took } from "./look.js";

const DIFF_LINES = 20; // workspace part, 5.1
const LIVE_LINES = 3;
const RESULT_LINES = 400;

const SIGNS = {
  ok: [GLYPH.ok, THEME.ok],
  error: [GLYPH.failed, THEME.error],
  denied: [GLYPH.denied, THEME.error],
  stopped: [GLYPH.cancelled, THEME.dim],
} as const;

/** A call that does nothing before a question is answered. */
const WAITS = [GLYPH.asks, THEME.warn] as const;

/** A call: its row and why it failed, what it changed, what it says while it runs, and its whole result when it is unfolded. */
export function toolRows(item: ToolItem, look: Look, width: number): readonly RowOf[] {
  const output = look.open("output") ?? look.display.details.tools === "expanded";
  return [
    ...callRows(item, look, width),
    ...(item.state === "running" ? liveRows(item, look, width) : []),
    ...diffOf(item, look, width),
    ...(item.inner.length > 0 && (look.open("inner") ?? false)
      ? indent(
          item.inner.flatMap((one) => callRows(one, look, width - 2)),
          [THEME.dim, "  "],
        )
      : []),
    ...(output && item.state !== "running" ? resultRows(item, look, width) : []),
    ...pictureRows(item, look, width),
  ];
}

/** Where the terminal shows pictures: rows that each hold the marks of one. */
function pictureRows({ result, state }: ToolItem, { display, bands }: Look, width: number): readonly RowOf[] {
  // Rows that are written for good have no pictures.
  if (display.pictures === "off" || bands !== true || state === "running") return [];
  return (result?.pictures ?? []).flatMap((picture) => {
    const area = areaFor(picture, width - 4);
    const mark = markOf(area);
    if (mark === undefined) return [];
    return Array.from(
      { length: area.rows },
      (): RowOf => [
        [THEME.dim, "  "],
        [THEME.text, mark.repeat(area.columns)],
      ],
    );
  });
}

/** Glyph, name, what it is about, how it ended, how long. Why it failed has a row of its own where both do not fit into one. */
function callRows(item: ToolItem, look: Look, width: number): readonly RowOf[] {
  const state = wentWrong(item) ? "error" : item.state;
  const waits = state === "running" && look.waits?.(item) === true;
  const [glyph, style] = waits ? WAITS : state === "running" ? [look.spin, THEME.accent] : SIGNS[state];
  const time = waits
    ? "waiting for you"
    : state === "running"
      ? took(look.now - item.since)
      : item.ms > 0 || item.since > 0
        ? took(item.ms)
        : "";
  const name = state === "error" || state === "denied" ? THEME.error : THEME.tool; // seen from afar
  const head: readonly Span[] = [
    [style, `${glyph} `],
    [name, item.name],
    [THEME.text, ` ${item.preview}`],
    ...countsOf(item),
  ];
  const room = width - cells(head) - (time === "" ? 0 : textCells(time) + 1) - GAP.length;
  const [why] = whyOf(item);
  if (why === undefined) return [rightRow([...head, ...lastOf(item, room)], time, width, 2)];
  const [tone, said] = why;
  if (textCells(said) <= room) return [rightRow([...head, [tone, `${GAP}${said}`]], time, width)];
  return [
    rightRow(head, time, width, 2),
    [
      [THEME.dim, "  │ "],
      [tone, truncateToWidth(said, Math.max(1, width - 4))],
    ],
  ];
}

const GAP = "  ";
const LEAST_SAID = 8; // cells; fewer cannot be understood

const cells = (spans: readonly Span[]): number => spans.reduce((sum, [, text]) => sum + textCells(text), 0);

/** The last line that a command wrote, as far as there is room: mostly it says what came of it. */
function lastOf({ state, result }: ToolItem, room: number): readonly Span[] {
  const last = state === "ok" ? (result?.last ?? "") : "";
  return last === "" || room < Math.min(LEAST_SAID, textCells(last))
    ? []
    : [[THEME.dim, `${GAP}${truncateToWidth(last, room)}`]];
}

/** A command that ran well and ended with an error is a call that did. */
const wentWrong = ({ state, result }: ToolItem): boolean => state === "ok" && (result?.exit ?? 0) !== 0;

/** How many calls it made itself, how many lines it changed. */
function countsOf({ result, inner }: ToolItem): readonly Span[] {
  const calls: readonly Span[] =
    inner.length === 0 ? [] : [[THEME.dim, `  ${inner.length} ${inner.length === 1 ? "call" : "calls"}`]];
  if (result?.diff === undefined) return calls;
  const { added, removed } = statOf(result.diff);
  return [...calls, [THEME.diffAdd, `  +${added}`], [THEME.diffDel, ` −${removed}`]];
}

/** Why it did not end well; none where it did. */
function whyOf(item: ToolItem): readonly Span[] {
  const { result, state } = item;
  if ((state === "ok" && !wentWrong(item)) || state === "running" || result === undefined || result.diff !== undefined)
    return [];
  const first = result.text.split("\n").find((line) => line.trim() !== "") ?? "";
  const said = (state === "denied" ? whyNot(first) : failure(result.exit, first)).trim();
  return said === "" ? [] : [[state === "stopped" ? THEME.dim : THEME.error, said]];
}

/** The exit code and the first line of what was written; a negative code is that of a command that never ran. */
function failure(exit: number | undefined, first: string): string {
  if (exit === undefined || exit <= 0) return first;
  return first === "" ? `exit ${exit}` : `exit ${exit}: ${first}`;
}

/** What the model reads of a refusal is meant for it; what blocked a call is of interest to every reader. */
const whyNot = (first: string): string => (first === "" || /^denied\b/i.test(first) ? "denied" : first);

function liveRows(_item: ToolItem, { output, open }: Look, width: number): readonly RowOf[] {
  const lines = output.at(-1) === "" ? output.slice(0, -1) : output;
  const shown = open("output") === true ? lines : lines.slice(-LIVE_LINES);
  const room = Math.max(1, width - 4);
  return shown.map(
    (line): RowOf => [[THEME.dim, "  │ "], ...(wrapCode([[THEME.dim, expandTabs(line, 8)]], room)[0] ?? [])],
  );
}

function diffOf({ result }: ToolItem, { display, open }: Look, width: number): readonly RowOf[] {
  const state = open("diff");
  if (result?.diff === undefined || !(state ?? display.inlineDiffs)) return [];
  const { rows, hidden } = diffRows(result.diff, width, state === true ? Number.POSITIVE_INFINITY : DIFF_LINES);
  return hidden === 0 ? rows : [...rows, moreRow(hidden, "d")];
}

function resultRows({ result }: ToolItem, { whole }: Look, width: number): readonly RowOf[] {
  if (result === undefined) return [[[THEME.dim, "  │ (no result)"]]];
  const text = whole ?? result.text;
  const lines = text.split("\n");
  const rows = lines
    .slice(0, RESULT_LINES)
    .flatMap((line) => wrapCode([[THEME.dim, expandTabs(shownLine(line), 8)]], Math.max(1, width - 4)));
  const cut = whole === undefined && result.cut;
  return [
    ...indent(rows, [THEME.dim, "  │ "]),
    ...(lines.length > RESULT_LINES ? [moreRow(lines.length - RESULT_LINES, "O opens the pager")] : []),
    ...(cut ? [[[THEME.dim, "  … loading the rest"]] satisfies RowOf] : []),
  ];
}

/** What finished calls that only looked are called when they stand together. */
const READERS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  read_file: ["read", "reads"],
  search_files: ["search", "searches"],
  session_search: ["recall", "recalls"],
  kanban_list: ["list", "lists"],
  kanban_show: ["look", "looks"],
  tool_search: ["tool search", "tool searches"],
  tool_describe: ["tool description", "tool descriptions"],
  todo: ["todo", "todos"],
  skill_view: ["skill", "skills"],
  web_search: ["web search", "web searches"],
  web_extract: ["page", "pages"],
};

/** Whether a finished call only looked, so that it may stand in a group. */
export const onlyLooked = ({ name, state, inner, result }: ToolItem): boolean =>
  state === "ok" && inner.length === 0 && result?.pictures === undefined && Object.hasOwn(READERS, name);

/** `✓ 6 reads, 2 searches  1.2 s` */
export function groupRow(items: readonly ToolItem[], unfolded: boolean, width: number): RowOf {
  const counts = new Map<string, number>();
  for (const { name } of items) counts.set(name, (counts.get(name) ?? 0) + 1);
  const said = [...counts]
    .map(([name, count]) => `${count} ${ownEntry(READERS, name)?.[count === 1 ? 0 : 1] ?? name}`)
    .join(", ");
  const ms = items.reduce((sum, item) => sum + item.ms, 0);
  return rightRow(
    [
      [THEME.ok, `${unfolded ? GLYPH.unfolded : GLYPH.ok} `],
      [THEME.text, said],
    ],
    ms > 0 ? took(ms) : "",
    width,
  );
}
