import { type RowOf, type Span, wrap } from "../draw/canvas.js";
import { THEME } from "../draw/theme.js";
import { textCells, truncateToWidth } from "../draw/width.js";
import type { State } from "../model/state.js";
import { bodyOf, isBare, viewOf } from "./lens.js";
import { endOf } from "./lines.js";
import { topAtEnd } from "./move.js";
import { recordRows } from "./record.js";
import { hitsOf } from "./search.js";
import type { LogName, LogRow, LogView } from "./state.js";
import { subjectOf } from "./subject.js";

interface Look {
  readonly width: number;
  readonly height: number;
  readonly wrap: boolean;
  readonly times: boolean;
  readonly search: string;
}

/** A log, newest line at the end; below it the search, the filter that is typed, or what came where it is not seen. */
export function logRows(state: State, name: LogName, width: number, height: number): readonly RowOf[] {
  const view = viewOf(state, name);
  if (view === undefined) return [];
  if (view.record !== undefined) return recordRows(view.record, width, height);
  if (view.phase === "failed") return failedRows(view.error, width).slice(0, height);
  const low = bodyOf(height) === height;
  const look: Look = {
    width,
    height: bodyOf(height),
    wrap: state.logs.wrap,
    times: state.logs.times,
    search: view.search,
  };
  const foot = footRow(view, width, name === "logs" && isBare(state, "logs") ? subjectOf(view) : "");
  const shown = view.rows.length === 0 ? emptyRows(view, width) : bodyRows(view, look, cursorIn(state, name, view));
  if (foot === undefined) return shown.slice(0, height);
  const body = shown.slice(0, low ? height - 1 : look.height);
  while (body.length < (low ? height - 1 : look.height)) body.push([]);
  return [...body, foot];
}

const failedRows = (error: string, width: number): readonly RowOf[] => [
  [[THEME.error, truncateToWidth(error, width)]],
  [[THEME.dim, truncateToWidth("r retries", width)]],
];

/** Number of the row that is marked; undefined: the pane has no focus. */
function cursorIn(state: State, name: LogName, view: LogView): number | undefined {
  if (state.focus !== (name === "logs" ? "logs" : "runs")) return undefined;
  return view.follow ? endOf(view) - 1 : view.cursor;
}

function bodyRows(view: LogView, look: Look, cursor: number | undefined): RowOf[] {
  const out: RowOf[] = [];
  const top = view.follow ? topAtEnd(view, look) : Math.max(view.from, view.top);
  for (let at = top; at < endOf(view) && out.length < look.height; at++) {
    const row = view.rows[at - view.from];
    if (row !== undefined) out.push(...lineRows(row, look, at === cursor));
  }
  // Of a line that does not fit the end is seen when the end is followed.
  return view.follow ? out.slice(-look.height) : out.slice(0, look.height);
}

function lineRows(row: LogRow, look: Look, marked: boolean): readonly RowOf[] {
  const spans = spansOf(row, look);
  const coloured = look.search === "" ? spans : spans.flatMap((span) => hitSpans(span, look.search));
  if (!look.wrap || row.text.length <= look.width)
    return [cut(marked ? filled(spans, look.width) : coloured, look.width)];
  const style = marked ? THEME.selection : (spans.at(-1)?.[0] ?? THEME.text);
  return wrap(row.text, look.width).map(
    (line): RowOf => (marked ? filled([[style, line]], look.width) : [[style, line]]),
  );
}

const filled = (spans: RowOf, width: number): RowOf => {
  const text = truncateToWidth(spans.map(([, part]) => part).join(""), width);
  return [[THEME.selection, text + " ".repeat(Math.max(0, width - textCells(text)))]];
};

/** What is wider than the pane ends with `…`. */
function cut(spans: RowOf, width: number): RowOf {
  let room = width;
  const out: Span[] = [];
  for (const [style, text] of spans) {
    const cells = textCells(text);
    if (cells > room) return [...out, [style, truncateToWidth(text, room)]];
    out.push([style, text]);
    room -= cells;
  }
  return out;
}

const LEVEL = {
  error: [THEME.error, "error"],
  warning: [THEME.warn, "warn"],
  info: [THEME.text, "info"],
  debug: [THEME.dim, "debug"],
} as const;
const COMPONENT_CELLS = 9;
const NARROW = 60;

function spansOf(row: LogRow, { width, times }: Look): RowOf {
  if (row.spans !== undefined) return row.spans;
  if (row.note) return [[THEME.warn, row.text]];
  if (row.parts === undefined || row.level === undefined) return [[THEME.text, row.text]];
  const [style, name] = LEVEL[row.level];
  const time: readonly Span[] = times ? [[THEME.dim, `${timeOf(row.parts.at)} `]] : [];
  const text = row.level === "info" ? THEME.text : style;
  if (width < NARROW) return [...time, [style, `${name.slice(0, 1).toUpperCase()} `], [text, row.parts.text]];
  const component = row.parts.component.padEnd(COMPONENT_CELLS);
  return [
    ...time,
    [style === THEME.text ? THEME.dim : style, `${name.padEnd(5)} `],
    [THEME.dim, `${component} `],
    [text, row.parts.text],
  ];
}

/** Time of day where the reader is. */
const timeOf = (at: string): string =>
  new Date(`${at.replace(" ", "T").replace(",", ".")}Z`).toTimeString().slice(0, 8);

/** What is searched stands out. */
function hitSpans([style, text]: Span, search: string): RowOf {
  const exact = search !== search.toLowerCase();
  const [where, what] = exact ? [text, search] : [text.toLowerCase(), search];
  if (where.length !== text.length) return [[style, text]]; // some letters change their length: rather no mark than a wrong one
  const out: Span[] = [];
  let from = 0;
  for (let at = where.indexOf(what); at >= 0; at = where.indexOf(what, from)) {
    if (at > from) out.push([style, text.slice(from, at)]);
    from = at + what.length;
    out.push([THEME.selection, text.slice(at, from)]);
  }
  return from < text.length ? [...out, [style, text.slice(from)]] : out;
}

const KEYS: Readonly<Record<string, string>> = {
  error: "2 shows warnings",
  warning: "3 shows info",
  info: "4 shows debug",
};
const SHOWN: Readonly<Record<string, string>> = { error: "error", warning: "warn", info: "info", debug: "debug" };

function emptyRows({ phase, filter, exists, fetching }: LogView, width: number): RowOf[] {
  const say = (text: string): RowOf[] => wrap(text, width).map((line): RowOf => [[THEME.dim, line]]);
  if (phase === "loading" || fetching) return say("…");
  const raw = filter.source === "run" || filter.source === "process";
  if (!exists) return say(raw ? "No output yet." : `Nothing yet: ${filter.source} has written no log.`);
  const more = [
    ...(filter.text === undefined ? [] : [`with "${filter.text}"`]),
    ...(filter.session === undefined ? [] : ["of this session"]),
  ].join(" ");
  if (raw) return say(`No lines${more === "" ? " yet" : ` ${more}`}.`);
  const level = filter.level ?? "debug";
  const hint = KEYS[level];
  return say(
    `No lines at level ${SHOWN[level] ?? level}${more === "" ? "" : ` ${more}`}.${hint === undefined ? "" : ` ${hint}.`}`,
  );
}

/** The last row; undefined: there is nothing to say. */
function footRow(view: LogView, width: number, subject: string): RowOf | undefined {
  const right = [subject, endWords(view)].filter((part) => part !== "").join("  ");
  const left = leftWords(view, right, width);
  if (left === "" && right === "") return undefined;
  const room = width - textCells(left) - textCells(right);
  if (left === "")
    return [
      [THEME.dim, " ".repeat(Math.max(0, width - textCells(right)))],
      [THEME.accent, truncateToWidth(right, width)],
    ];
  if (room < 1) return [[THEME.accent, truncateToWidth(left, width)]];
  return [
    [THEME.accent, left],
    [THEME.dim, " ".repeat(room)],
    [THEME.dim, right],
  ];
}

function leftWords(view: LogView, right: string, width: number): string {
  const { line, search } = view;
  if (line?.kind === "filter") return truncateToWidth(`filter: ${line.editor.text}▏`, width);
  if (search === "" && line === undefined) return "";
  const hits = hitsOf(view);
  const at = hits.indexOf((view.follow ? endOf(view) - 1 : view.cursor) - view.from) + 1;
  const count =
    search === "" ? "" : hits.length === 0 ? "not found" : at === 0 ? `${hits.length} hits` : `${at} of ${hits.length}`;
  return truncateToWidth(
    `/${search}${line === undefined ? "  " : "▏ "}${count}`,
    Math.max(8, width - textCells(right) - 1),
  );
}

function endWords(view: LogView): string {
  if (view.follow || view.rows.length === 0) return "";
  const fresh = endOf(view) - view.left;
  return fresh > 0 ? `↓ ${fresh.toLocaleString("en-US")} new ${fresh === 1 ? "line" : "lines"}` : "↓ End follows";
}
